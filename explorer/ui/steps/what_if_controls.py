"""What if: the controls of one change to one attention."""

from typing import Final

import streamlit as st

from explorer.analysis.what_if import AttentionChange
from explorer.ui.controls.choices import IN_URL, keep_choice
from explorer.ui.settings import TEMPERATURES

UNCHANGED: Final = AttentionChange()


def choose_change(n_heads: int) -> AttentionChange:
    """What if: the controls of one change."""
    with st.popover("What if …", icon=":material/experiment:"):
        unscaled = st.toggle("no division by √d_k", False, key="unscaled", **IN_URL)
        unmasked = st.toggle("no mask", False, key="unmasked", **IN_URL)
        temperature = st.select_slider(
            "scores divided by a temperature",
            TEMPERATURES,
            1.0,
            key="temperature",
            format_func=str,
            **IN_URL,
        )
        off_head = None
        if n_heads > 1:
            heads = range(1, n_heads + 1)
            if st.session_state.get("off_head") is not None:
                keep_choice("off_head", heads)
            off_head = st.selectbox(
                "one head switched off",
                heads,
                index=None,
                placeholder="none",
                key="off_head",
                **IN_URL,
            )
        st.button("Back to how it was", on_click=_forget_change)
    return AttentionChange(
        scaled=not unscaled,
        masked=not unmasked,
        temperature=temperature,
        without_head=None if off_head is None else off_head - 1,
    )


def change_in_words(change: AttentionChange) -> str:
    """What is different, for everybody who looks at the page."""
    parts = [
        "no division by √d_k" if not change.scaled else "",
        "no mask" if not change.masked else "",
        f"temperature {change.temperature}" if change.temperature != 1.0 else "",
        f"head {change.without_head + 1} switched off" if change.without_head is not None else "",
    ]
    return "What if: " + ", ".join(filter(None, parts))


def _forget_change() -> None:
    """Everything as it was again."""
    st.session_state.update(unscaled=False, unmasked=False, temperature=1.0, off_head=None)
