"""A follower's page is brought to where the room is."""

import streamlit as st

from explorer.ui.address import show_address
from explorer.ui.registry import PAGES, open_page
from explorer.ui.room.place import has_applied, keep_up, notice_own_deeds, to_apply


def follow_room() -> None:
    """Show what the room shows, if this window follows one that has moved on."""
    page = st.session_state.get("page_on_show", "home")
    notice_own_deeds(page)
    keep_up()
    room = to_apply()
    if room is None:
        return
    activity, to, params = room.activity, room.page, room.params
    if activity is not None and activity.kind == "training":
        to, params = "training", activity.params
    show_address(params)
    if to != page and to in PAGES:
        open_page(to)  # which ends this run: it may be cut short, and then this is done again
    has_applied(room)
