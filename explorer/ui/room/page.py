"""The page of a room: open or join one, show others the way in, and see what it does."""

from functools import partial
from typing import Final

import streamlit as st

from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.rooms import codes
from explorer.rooms.member import Member
from explorer.rooms.room import Room
from explorer.ui.frame.page import fold, heading
from explorer.ui.frame.session import memory
from explorer.ui.room.asking import PROJECTOR, show_question, show_saving
from explorer.ui.room.door import say_what_happens, show_entrances, show_way_in
from explorer.ui.room.place import is_follower, leads, room_on_show, this_member

# Large for the last row: nothing on the screen but the question, what was answered, and the code.
PROJECTED: Final = """
[data-testid="stHeader"], .st-key-page_head, .st-key-sentences, .st-key-room_bar,
.st-key-room_saving, :is(.st-key-take, [class*="st-key-take-"]) { display: none; }
.stMainBlockContainer { zoom: 1.6; padding-top: 1rem; }
.st-key-heading { padding-right: 8rem; }
.st-key-room_question { zoom: 0.6; }
.st-key-page li { font-size: 1.5rem; }
@media (min-width: 1600px) { .stMainBlockContainer { zoom: 2; } }
"""


def show_page(settings: Settings) -> None:
    """The whole page."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or room.closed:
        heading(
            tr("Explore together"),
            tr("A room shows everybody the page of one person."),
        )
        show_entrances()
        say_what_happens()
        return
    leading = leads(member, room)
    if room.activity is None:
        if room.page == "predict" and is_follower():
            heading(
                tr("The teacher is choosing a question"),
                tr("Soon everybody is asked: you answer here, without your name."),
            )
            _fold_way_in(member, room)
            return
        if leading:
            heading(
                tr("Join this room"),
                tr("Scan the picture, open the link, or type the code on the page “Room”."),
            )
        else:
            heading(
                tr("You are in this room"),
                tr("Your page goes where the one who leads goes. Others join by the same code."),
            )
        show_way_in(member, room, leading=leading)
        if leading and room.activities:
            show_saving(member)
        return
    show_question(member, room)
    _fold_way_in(member, room)
    if leading and memory().get(PROJECTOR):
        # A style that comes with an element goes with it; one alone stays until the page is turned.
        code = codes.readable(room.code)
        st.html(f'<p class="room-code projected">{code}</p><style>{PROJECTED}</style>')


def _fold_way_in(member: Member, room: Room) -> None:
    way_in = partial(show_way_in, member, room, leading=leads(member, room))
    fold(tr("The way into this room"), "room_way", way_in)
