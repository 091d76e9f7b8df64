"""Choices that live in the address: what every control of the explorer is made of."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Literal, get_args

import streamlit as st
from streamlit.errors import StreamlitAPIException

from explorer.transformer import AttentionKind
from explorer.ui.settings import Settings

SHARED: Final = ("attention", "layer", "head")  # by several pages
IN_URL: Final[dict[str, Any]] = {"bind": "query-params"}


def choice(
    label: str,
    options: Sequence[int],
    *,
    key: str,
    width: int | Literal["stretch"] = "stretch",
    usual: int | None = None,
) -> int:
    """A select box of numbers; a choice that is no longer offered moves to the nearest below.

    As long as nobody has chosen, it is `usual`, or the first.
    """
    index = 0 if usual is None else options.index(usual)
    if key in SHARED:
        take_along(key, options[index])
    keep_choice(key, options)
    chosen: int = st.selectbox(label, options, index, key=key, width=width, **IN_URL)
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
        state[f"{key}_chosen"] = as_number(state[key], usual)

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


def note_choices(page: str) -> None:
    """Remember what all pages share; called before the widgets of `page` are there.

    Streamlit forgets the value of a widget with its page, also where the next one has it again.
    """
    state = st.session_state
    kept = state.setdefault("shared_choices", {})
    kept.update({key: state[key] for key in SHARED if state.get(key) is not None})
    state.has_turned = state.get("page_on_show", page) != page
    state.page_on_show = page


def take_along(key: str, otherwise: int | str) -> None:
    """On a page that one has just turned to: what was chosen on another, also in the address."""
    state, params = st.session_state, st.query_params
    if state.get("has_turned") and key in state.shared_choices and key not in params:
        state[key] = state.shared_choices[key]
    if key in state and key not in params and state[key] != otherwise:
        with suppress(StreamlitAPIException):  # once it is bound, Streamlit writes it itself
            params[key] = str(state[key])


def keep_choice(key: str, options: Sequence[int]) -> None:
    """Move a choice that is no longer offered to the nearest one below it."""
    value = st.session_state.get(key)
    if value is not None and value not in options:
        number = as_number(value, options[0])
        below = (option for option in options if option <= number)
        st.session_state[key] = max(below, default=options[0])


def as_number(chosen: object, otherwise: int) -> int:
    """A choice as a number.

    Streamlit hands on as text what was chosen from options that have been replaced meanwhile.
    """
    if isinstance(chosen, int):
        return chosen
    digits = re.match(r"\d{1,9}", str(chosen), re.ASCII)
    return int(digits[0]) if digits else otherwise


def choose_attention(settings: Settings) -> tuple[AttentionKind, int]:
    """Which attention and which layer, from 0, of the model.

    Trained weights begin with the one that shows most plainly what was learnt.
    """
    take_along("attention", "encoder")
    if settings.weights.task is not None:
        begin_with(attention="cross", layer=settings.n_decoder_layers)
    kind: AttentionKind = st.segmented_control(
        "Attention",
        get_args(AttentionKind),
        default="encoder",
        required=True,
        key="attention",
        label_visibility="collapsed",
        **IN_URL,
    )
    layers = settings.n_encoder_layers if kind == "encoder" else settings.n_decoder_layers
    return kind, choice("Layer", range(1, layers + 1), key="layer", width=112) - 1


def begin_with(**choices: str | int) -> None:
    """What is chosen as long as nobody, and no link, has chosen any of it."""
    state, params = st.session_state, st.query_params
    if not any(key in state or key in params for key in choices):
        state.update(choices)
        params.update({key: str(value) for key, value in choices.items()})
