"""The what-if controls: one change to one attention."""

from typing import Final

import streamlit as st

from explorer.analysis.what_if import AttentionChange
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import select, stops, toggle
from explorer.ui.parameters import OFF_HEAD, TEMPERATURE, UNMASKED, UNSCALED

UNCHANGED: Final = AttentionChange()


def choose_change(n_heads: int, *, divides: bool) -> AttentionChange:
    """Draw the what-if controls; `divides` says whether the scores are divided by √d_k."""
    with st.popover("What if …", icon=":material/experiment:"):
        unscaled = toggle(UNSCALED, "no division by √d_k") if divides else False
        unmasked = toggle(UNMASKED, "no mask")
        temperature = stops(TEMPERATURE, "scores divided by a temperature")
        off_head = None
        if n_heads > 1:
            off_head = select(
                OFF_HEAD, "one head switched off", range(1, n_heads + 1), nothing="none"
            )
        st.button("Back to how it was", on_click=_forget_change)
    return AttentionChange(
        scaled=not unscaled,
        masked=not unmasked,
        temperature=temperature,
        without_head=None if off_head is None else off_head - 1,
    )


def change_in_words(change: AttentionChange) -> str:
    """How the attention differs from the model's."""
    parts = [
        "no division by √d_k" if not change.scaled else "",
        "no mask" if not change.masked else "",
        f"temperature {change.temperature}" if change.temperature != 1.0 else "",
        f"head {change.without_head + 1} switched off" if change.without_head is not None else "",
    ]
    return "What if: " + ", ".join(filter(None, parts))


def _forget_change() -> None:
    for parameter in (UNSCALED, UNMASKED, TEMPERATURE, OFF_HEAD):
        choose(parameter, None)
