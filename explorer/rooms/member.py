"""One window in a room: which room, whose it is, and whether it follows."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from explorer.rooms import codes


class Stance(Enum):
    """Whether a window follows its room. (Which window leads is in the room's state.)"""

    ROLE_UNKNOWN = auto()  # its browser has not reported yet whether it leads
    FOLLOWING = auto()
    EXPLORING = auto()


class StanceEvent(Enum):
    """An event that changes a stance."""

    ROLE_KNOWN = auto()  # the browser has reported whether it leads
    EXPLORE = auto()  # a person has pressed the button, typed or turned the page
    RETURN = auto()  # a person has come back, was called back, or has taken the lead


STANCES: Final = {
    (Stance.ROLE_UNKNOWN, StanceEvent.ROLE_KNOWN): Stance.FOLLOWING,
    (Stance.ROLE_UNKNOWN, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.ROLE_UNKNOWN, StanceEvent.RETURN): Stance.FOLLOWING,
    (Stance.FOLLOWING, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.EXPLORING, StanceEvent.RETURN): Stance.FOLLOWING,
}


@dataclass(eq=False, slots=True)
class Member:
    """One window of a person in a room."""

    code: str
    person: str = field(default_factory=codes.new_name)  # one for all windows of a browser
    seat: str = field(default_factory=codes.new_name)  # one for each window
    secret: str = ""
    browser_pass: str = ""  # kept by its browser, see `codes.pass_of`
    is_known: bool = False  # its browser has reported its seat and secret

    stance: Stance = Stance.FOLLOWING
    drawn: str = ""  # how new the room was when the page was drawn, see `Hub.news`
    applied_version: int = 0  # of the room that the page shows
    before: tuple[str, dict[str, Any]] | None = None  # the page and choices that the run began with
    calls: int = 0  # how often the teacher had called everybody back
    reported_page: object = None  # the page and address that this window last reported to the room

    def change_stance(self, event: StanceEvent) -> bool:
        """Change the stance; returns whether the event changed it."""
        after = STANCES.get((self.stance, event))
        if after is None:
            return False
        self.stance = after
        return True

    def restore_seat(self, seat: str, secret: str, *, alone: bool) -> bool:
        """Take what the browser has kept, once; returns whether the role was unknown."""
        if self.is_known:
            return False
        self.is_known, self.before = True, None
        self.seat, self.secret = seat or self.seat, self.secret or secret
        event = StanceEvent.EXPLORE if alone else StanceEvent.ROLE_KNOWN
        return self.change_stance(event)
