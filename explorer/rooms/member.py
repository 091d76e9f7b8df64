"""One window in a room: which room, whose it is, and whether it follows."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from explorer.rooms import codes


class Stance(Enum):
    """Whether a window follows its room. (Which window leads is in the room's state.)"""

    ROLE_UNKNOWN = auto()  # its browser has not reported yet whether it leads
    FOLLOWING = auto()
    EXPLORING = auto()  # a person has pressed the button, typed or turned the page


@dataclass(eq=False, slots=True)
class Member:
    """One window of a person in a room."""

    code: str
    person: str = field(default_factory=codes.new_name)  # one for all windows of a browser
    seat: str = field(default_factory=codes.new_name)  # one for each window
    secret: str = ""
    browser_pass: str = ""  # kept by its browser, see `codes.pass_of`

    stance: Stance = Stance.FOLLOWING
    drawn: str = ""  # how new the room was when the page was drawn, see `Hub.news`
    applied_version: int = 0  # of the room that the page shows
    before: tuple[str, dict[str, Any]] | None = None  # the page and choices that the run began with
    calls: int = 0  # how often the teacher had called everybody back
    reported_page: object = None  # the page and address that this window last reported to the room

    def restore_seat(self, seat: str, secret: str, *, alone: bool) -> None:
        """Take what the browser has kept: then it is known whether it leads."""
        self.before = None
        self.seat, self.secret = seat or self.seat, self.secret or secret
        if alone:
            self.stance = Stance.EXPLORING
        elif self.stance is Stance.ROLE_UNKNOWN:
            self.stance = Stance.FOLLOWING
