"""The what-if controls: each changes one attention, and stands beside the step that it changes."""

from typing import Final

import streamlit as st

from explorer.analysis.what_if import AttentionChange
from explorer.choices.parameters import WhatIf
from explorer.languages import between, mark, tr
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose, chosen, on_show, value
from explorer.ui.controls.widgets import select, select_slider, toggle

UNCHANGED: Final = AttentionChange()
CHANGES: Final = (WhatIf.unscaled, WhatIf.unmasked, WhatIf.temperature, WhatIf.off_head)
PLACES: Final = ("scores", "mask", "softmax", "context", "concat")  # steps with a control
ELSEWHERE: Final = mark(
    "The steps ÷ √d_k, mask, softmax and × v let you change something: “What if …”."
)


def change_on_show(n_heads: int, *, divides: bool) -> AttentionChange:
    """The chosen change; `divides` says whether the scores are divided by √d_k."""
    off_head = value(WhatIf.off_head) if n_heads > 1 else None
    return AttentionChange(
        scaled=not (divides and value(WhatIf.unscaled)),
        masked=not value(WhatIf.unmasked),
        temperature=value(WhatIf.temperature),
        without_head=None if off_head is None else min(off_head, n_heads) - 1,
    )


def draw_change(step: str, change: AttentionChange, n_heads: int, *, divides: bool) -> None:
    """Draw the controls of this step, and the present change."""
    for parameter in CHANGES:  # a choice at another step stays in the address
        if chosen(parameter) is not None:
            on_show()[parameter.key] = value(parameter)
    if step in PLACES:
        st.markdown(tr("**What if …**"), width="content")
    if step == "scores" and divides:
        toggle(WhatIf.unscaled, tr("no division by √d_k"))
    if step == "mask":
        toggle(WhatIf.unmasked, tr("no mask"))
    if step in ("scores", "softmax"):
        select_slider(WhatIf.temperature, tr("scores ÷ temperature"), width=200)
    if step in ("context", "concat") and n_heads > 1:
        select(
            WhatIf.off_head,
            tr("one head switched off"),
            range(1, n_heads + 1),
            # Translators: no head.
            nothing=tr("no head"),
            width=200,
        )
    if change != UNCHANGED:
        st.badge(change_in_words(change), icon=":material/experiment:", color="gray")
        button(tr("Back to how it was"), on_click=_forget_change, type="tertiary")
    elif step not in PLACES:
        st.caption(tr(ELSEWHERE), width="content")


def change_in_words(change: AttentionChange) -> str:
    """The differences from the model's own attention, in words."""
    parts = []
    if not change.scaled:
        parts.append(tr("no division by √d_k"))
    if not change.masked:
        parts.append(tr("no mask"))
    if change.temperature != 1.0:
        parts.append(tr("temperature {temperature}", temperature=change.temperature))
    if change.without_head is not None:
        parts.append(tr("head {head} switched off", head=change.without_head + 1))
    return tr("What if: {changes}", changes=between(", ").join(parts))


def _forget_change() -> None:
    for parameter in CHANGES:
        choose(parameter, None)
