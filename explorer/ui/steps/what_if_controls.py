"""The switches that change one attention: no division by √d_k, no mask, a head switched off."""

from functools import partial
from typing import Final

import streamlit as st

from explorer.analysis.what_if import AttentionChange
from explorer.choices.parameters import WhatIf
from explorer.languages import tr
from explorer.ui.controls.choices import choose, drawn, value
from explorer.ui.controls.widgets import toggle
from explorer.ui.frame.session import held

UNCHANGED: Final = AttentionChange()


def change_on_show(n_heads: int, *, divides: bool) -> AttentionChange:
    """The chosen change; `divides` says whether the scores are divided by √d_k."""
    off_head = value(WhatIf.off_head) if n_heads > 1 else None
    return AttentionChange(
        scaled=not (divides and value(WhatIf.unscaled)),
        masked=not value(WhatIf.unmasked),
        without_head=None if off_head is None else min(off_head, n_heads) - 1,
    )


def draw_change(head: int, n_heads: int, *, divides: bool) -> None:
    """Draw the switches, a row that is one stop of the Tab key; `head` is followed, from 0."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_if"):
        st.markdown(tr("**What if …**"), width="content")
        if divides:
            toggle(WhatIf.unscaled, tr("no division by √d_k"))
        toggle(WhatIf.unmasked, tr("no mask"))
        if n_heads > 1:
            off_head = drawn(WhatIf.off_head, value(WhatIf.off_head))
            switched = min(off_head or head + 1, n_heads)
            switch = partial(_switch, switched)
            name = held(WhatIf.off_head.key, off_head is not None, switch, switched)
            st.toggle(tr("head {head} switched off", head=switched), off_head is not None, key=name)


def _switch(head: int, off: bool) -> None:
    choose(WhatIf.off_head, head if off else None)
