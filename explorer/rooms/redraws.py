"""Why a follower's page was not drawn again: the reasons, and the log that says them.

See docs/workshop.md, "A page that does not follow".
"""

import logging
from enum import StrEnum
from typing import Final

LOG: Final = logging.getLogger("explorer.rooms.redraws")


class Why(StrEnum):
    """A reason not to draw a page, or a part of it, for now."""

    # The page stays as it is.
    CLOSED = "the room is closed"
    EXPLORES = "its person explores alone"
    ROLE_UNKNOWN = "its browser has not said yet whether it leads"
    LEADS = "it leads the room"  # which is not logged
    TRAINS = "everybody trains on their own"
    # It waits.
    AWAY = "no browser is connected"
    COUNTS = "only counts have changed, which are drawn twice a second"
    ASKED = "its own run was asked for, and has not begun"
    OTHER_PART = "another part of the page is drawn first"
    SILENT = "its own run was asked for in vain: it is asked again later, ever more seldom"
    SHOWN = "its screen was sent the picture: its own run follows when the news stop"
    COMING = "another follower is drawn, whose picture it may be sent"
    FULL = "two other pages are being drawn"
    BUSY = "its script runs, or its last picture is on the way"
    # It is not sent another follower's picture, and waits for a run of its own.
    NOT_SENT = "the other's run cannot be sent: it was not for news alone, or added something"
    ADDRESS = "its address is not what the other's was"
    SCREEN = "its screen does not show what the other's did"
