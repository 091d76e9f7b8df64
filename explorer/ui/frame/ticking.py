"""A part of a page that is drawn again and again by itself. It has no widget in it."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.runtime.turns import in_turn
from explorer.ui.components.line import tick_ends
from explorer.ui.frame.running import PartEndsError
from explorer.ui.frame.session import begin, has_changes, has_session, session


def ticking(show: Callable[..., None], *args: Any, every: float | None) -> None:
    """Draw a part with `args`, every so many seconds; None draws it once.

    A click in it redraws the whole page, as any change does.
    """

    @in_turn
    def tick() -> None:
        if not (has_session() and session().is_framed):  # it is drawn alone
            begin()
            if has_changes():
                st.rerun()
        with suppress(PartEndsError):  # the message about it has been shown
            show(*args)
        tick_ends()

    st.fragment(tick, run_every=every)()
