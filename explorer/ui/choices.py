"""Choices that live in the address: what every control of the explorer is made of."""

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

IN_URL: Final[dict[str, Any]] = {"bind": "query-params"}


def choice(label: str, options: Sequence[int], *, key: str, width: int) -> int:
    """A select box of numbers; a choice that is no longer offered moves to the nearest below."""
    keep_choice(key, options)
    chosen: int = st.selectbox(label, options, key=key, width=width, **IN_URL)
    return chosen


def choose_word(label: str, words: Sequence[str], usual: int, *, key: str) -> int:
    """A select box of words, by position; in the address stands the position, not the word.

    As long as nobody has chosen, it is `usual`.
    """
    state, params = st.session_state, st.query_params
    if f"{key}_chosen" not in state:
        state[f"{key}_chosen"] = int(params[key]) if key in params else None
    wanted = state[f"{key}_chosen"]
    state[key] = usual if wanted is None else min(wanted, len(words) - 1)

    def chosen() -> None:
        state[f"{key}_chosen"] = state[key]

    at: int = st.selectbox(
        label,
        range(len(words)),
        key=key,
        format_func=lambda position: f"{position} · {words[position]}",
        on_change=chosen,
    )
    if wanted is None:
        params.pop(key, None)
    else:
        params[key] = str(at)
    return at


def keep_choice(key: str, options: Sequence[int]) -> None:
    """Move a choice that is no longer offered to the nearest one below it."""
    value = st.session_state.get(key)
    if value is not None and value not in options:
        below = (option for option in options if option <= value)
        st.session_state[key] = max(below, default=options[0])
