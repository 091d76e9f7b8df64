"""The switches that change one attention: no division by √d_k, no mask, a head switched off."""

from typing import Final

import streamlit as st

from explorer.analysis.what_if import AttentionChange
from explorer.choices.parameters import WhatIf
from explorer.languages import tr
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import select, toggle

UNCHANGED: Final = AttentionChange()


def change_on_show(n_heads: int, *, divides: bool) -> AttentionChange:
    """The chosen change; `divides` says whether the scores are divided by √d_k."""
    off_head = value(WhatIf.off_head) if n_heads > 1 else None
    return AttentionChange(
        scaled=not (divides and value(WhatIf.unscaled)),
        masked=not value(WhatIf.unmasked),
        without_head=None if off_head is None else min(off_head, n_heads) - 1,
    )


def draw_change(n_heads: int, *, divides: bool) -> None:
    """Draw the switches."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_if"):
        st.markdown(tr("**What if …**"), width="content")
        if divides:
            toggle(WhatIf.unscaled, tr("no division by √d_k"))
        toggle(WhatIf.unmasked, tr("no mask"))
        if n_heads > 1:
            select(
                WhatIf.off_head,
                tr("one head switched off"),
                range(1, n_heads + 1),
                # Translators: no head.
                nothing=tr("no head"),
                width=330,
            )
