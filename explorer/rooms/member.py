"""One window in a room: whether it follows, and what each part of its page shows.

Both are small state machines. What leads from one state to another stands in one table each. The
script of the window and the thread of the rooms both use them, so a lock guards every change.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from explorer.rooms import board, codes
from explorer.rooms.redraws import LOG, Why

PATIENCE: Final = 2.0  # seconds that a run has to begin before others are asked for
AGAIN: Final = 4.0  # seconds until a silent page is asked again, then twice that, …
MAX_RETRY_DELAY: Final = 32.0  # … but not less often than this: it may be busy with something else
OFTEN: Final = 0.5  # seconds between two pictures of answers that come in
QUIET: Final = 0.3  # seconds without news until a page that was sent its picture is drawn
AT_ONCE_SHOWN: Final = {"room", "state", "self", "store"}


class Stance(Enum):
    """How a window stands to its room. (Whether it leads, the room says.)"""

    ROLE_UNKNOWN = auto()  # it may be the one who leads: its browser has not said so yet
    FOLLOWING = auto()
    EXPLORING = auto()


class StanceEvent(Enum):
    """What changes how a window stands to its room."""

    SAID = auto()  # the browser has said whether it leads
    EXPLORE = auto()  # its person has pressed the button, clicked, typed or turned the page
    RETURN = auto()  # its person has come back, or taken the lead


STANCES: Final = {
    (Stance.ROLE_UNKNOWN, StanceEvent.SAID): Stance.FOLLOWING,
    (Stance.ROLE_UNKNOWN, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.ROLE_UNKNOWN, StanceEvent.RETURN): Stance.FOLLOWING,
    (Stance.FOLLOWING, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.EXPLORING, StanceEvent.RETURN): Stance.FOLLOWING,
}


NOT_FOLLOWING: Final = {Stance.ROLE_UNKNOWN: Why.ROLE_UNKNOWN, Stance.EXPLORING: Why.EXPLORES}


class State(Enum):
    """What a part of a page shows."""

    CURRENT = auto()  # all news
    BEHIND = auto()  # something old
    SHOWN = auto()  # the news, as drawn for another: its session has not heard of them
    ASKED = auto()  # something old; its own run was asked for
    SILENT = auto()  # the same, and the run has not begun in time


class Event(Enum):
    """What happens to a part of a page."""

    NEWS = auto()
    SENT = auto()  # another's picture
    ASK = auto()  # for a run of its own
    LATE = auto()  # the run has not begun
    DRAWN = auto()  # by a run of its own, whoever has asked for it


STATES: Final = {
    (State.BEHIND, Event.SENT): State.SHOWN,
    (State.SILENT, Event.SENT): State.SHOWN,
    (State.BEHIND, Event.ASK): State.ASKED,
    (State.SHOWN, Event.ASK): State.ASKED,
    (State.SILENT, Event.ASK): State.ASKED,
    (State.ASKED, Event.LATE): State.SILENT,
    **{(state, Event.NEWS): State.BEHIND for state in State},
    **{(state, Event.DRAWN): State.CURRENT for state in State},
}


@dataclass(slots=True)
class Part:
    """A part of a page that is drawn alone."""

    state: State = State.CURRENT
    # What it has drawn: each topic, and how new it was. See `Hub.news`.
    topics: Mapping[str, int] = field(default_factory=dict)
    version: int = 0  # how new the news are that the state is about: the sum over the topics
    asked: int = -1  # the version that it was asked for last
    at: float = 0.0  # when it was asked for, or sent, the last picture
    patience: float = AGAIN  # seconds until it is asked again, if it does not answer

    def __str__(self) -> str:
        return f"{'+'.join(self.topics)} {self.version}"


@dataclass(eq=False, slots=True)
class Member:
    """One window of a person in a room."""

    session: str
    code: str
    person: str = field(default_factory=codes.new_name)  # one for all windows of a browser
    seat: str = field(default_factory=codes.new_name)  # one for each window
    secret: str = ""
    browser_pass: str = ""  # kept by its browser, see `codes.pass_of`
    is_known: bool = False  # its browser has said its seat and secret

    stance: Stance = Stance.FOLLOWING
    turns: int = 0  # how often the stance has changed
    parts: dict[str, Part] = field(default_factory=dict)
    last_asked: float = 0.0  # when a part was asked for a run of its own
    came: float = field(default_factory=time.monotonic)
    last_here: float = field(default_factory=time.monotonic)  # when its browser was connected

    # What only its own script changes.
    applied: int = 0  # the version of the room that the page shows
    begun: int = 0  # the activity that the page has begun
    answered: int = 0  # the activity that this window has answered
    told: object = None  # the page and address that this window has told the room last
    curve: Callable[[], board.Curve | None] | None = None
    trains: int = 0  # the activity that the curve belongs to

    _said: set[tuple[str, Why]] = field(default_factory=set)  # logged since something happened
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def does(self, event: StanceEvent) -> bool:
        """Change how it stands to its room; whether that was a change."""
        with self._lock:
            after = STANCES.get((self.stance, event))
            if after is None:
                return False
            LOG.debug("%s: %s", self, after.name)
            self.stance = after
            self.turns += 1
            return True

    def restore_seat(self, seat: str, secret: str) -> bool:
        """Take the seat and secret that the browser kept, once. Whether the role was unknown."""
        with self._lock:
            if self.is_known:
                return False
            self.is_known = True
            self.seat, self.secret = seat or self.seat, self.secret or secret
            return self.does(StanceEvent.SAID)

    def draws(self, name: str, topics: Mapping[str, int]) -> None:
        """A run draws a part, with these topics as new as they are."""
        with self._lock:
            part = self.parts.setdefault(name, Part())
            part.topics, part.version = topics, sum(topics.values())
            self.happens(name, Event.DRAWN)

    def begins_anew(self) -> None:
        """A run draws everything: which parts there are is not known yet."""
        with self._lock:
            self.parts = {}

    def happens(self, name: str, event: Event, now: float = 0.0) -> None:
        """Something happens to a part, if it is still there."""
        with self._lock:
            part = self.parts.get(name)
            after = None if part is None else STATES.get((part.state, event))
            if part is None or after is None:
                return
            if event is Event.ASK:
                in_vain = part.state is State.SILENT
                part.patience = min(2 * part.patience, MAX_RETRY_DELAY) if in_vain else AGAIN
                part.asked = part.version
                self.last_asked = now
            if event in (Event.ASK, Event.SENT):
                part.at = now
            LOG.debug("%s, %s: %s: %s", self, part, event.name.lower(), after.name)
            part.state = after
            self._said = {said for said in self._said if said[0] != name}

    def waiting(self, news: Callable[[str], int], now: float) -> list[str]:
        """The parts that are to be drawn now; why others are not, the log says.

        `news(topic)` says how new a topic is.
        """
        due = []
        with self._lock:
            for name, part in self.parts.items():
                newest = {topic: news(topic) for topic in part.topics}
                if changed := {topic for topic in newest if newest[topic] != part.topics[topic]}:
                    # What the teacher does is shown at once; numbers that count up, now and then.
                    if not AT_ONCE_SHOWN & changed and now - self.last_asked <= OFTEN:
                        self.explain(name, Why.COUNTS)
                    elif why := self._waits(name, part, sum(newest.values()), now):
                        self.explain(name, why)
                    else:
                        due.append(name)
        return due

    def _waits(self, name: str, part: Part, version: int, now: float) -> Why | None:
        if version != part.version or part.state is State.CURRENT:
            part.version = version
            self.happens(name, Event.NEWS)
        if "room" in part.topics and self.stance in NOT_FOLLOWING:
            return NOT_FOLLOWING[self.stance]
        if part.state is State.ASKED and now - part.at >= PATIENCE:
            self.happens(name, Event.LATE)
        if part.state is State.ASKED:
            return Why.ASKED
        if part.state is State.SILENT and now - part.at < part.patience:
            return Why.SILENT
        return None

    @property
    def is_asked(self) -> bool:
        """Whether it was asked for a run that has not begun, and may still."""
        with self._lock:
            return any(part.state is State.ASKED for part in self.parts.values())

    def explain(self, name: str, why: Why) -> None:
        """Log why a part is not drawn, or sent a picture: once, until something happens to it."""
        with self._lock:
            if (name, why) not in self._said:
                self._said.add((name, why))
                LOG.debug("%s, %s: not drawn: %s", self, self.parts.get(name, "page"), why)

    def __str__(self) -> str:
        return f"room {self.code[:4]}, window {self.seat[:4]}"
