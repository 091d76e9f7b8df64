"""One window in a room: whether it follows, and what each part of its page shows.

Both are small state machines, each with a table of its transitions. The window's script and the
thread of the rooms use them, so a lock guards every change.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from explorer.rooms import board, codes
from explorer.rooms.redraws import LOG, Why

START_TIMEOUT: Final = 2.0  # seconds that a run has to begin
FIRST_RETRY_DELAY: Final = 4.0  # seconds until a silent page is asked again, then twice that, …
MAX_RETRY_DELAY: Final = 32.0  # … but no more than this
COUNTS_INTERVAL: Final = 0.5  # seconds between two redraws of counts
QUIET_TIME: Final = 0.3  # seconds without news until a page that was sent a picture is redrawn
URGENT_TOPICS: Final = {"room", "state", "self", "store"}


class Stance(Enum):
    """Whether a window follows its room. (Which window leads is in the room's state.)"""

    ROLE_UNKNOWN = auto()  # its browser has not reported yet whether it leads
    FOLLOWING = auto()
    EXPLORING = auto()


class StanceEvent(Enum):
    """An event that changes a stance."""

    ROLE_KNOWN = auto()  # the browser has reported whether it leads
    EXPLORE = auto()  # a person has pressed the button, clicked, typed or turned the page
    RETURN = auto()  # a person has come back, or taken the lead


STANCES: Final = {
    (Stance.ROLE_UNKNOWN, StanceEvent.ROLE_KNOWN): Stance.FOLLOWING,
    (Stance.ROLE_UNKNOWN, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.ROLE_UNKNOWN, StanceEvent.RETURN): Stance.FOLLOWING,
    (Stance.FOLLOWING, StanceEvent.EXPLORE): Stance.EXPLORING,
    (Stance.EXPLORING, StanceEvent.RETURN): Stance.FOLLOWING,
}


NOT_FOLLOWING: Final = {Stance.ROLE_UNKNOWN: Why.ROLE_UNKNOWN, Stance.EXPLORING: Why.EXPLORES}


class State(Enum):
    """Whether a part of a page is up to date."""

    CURRENT = auto()  # it shows all news
    BEHIND = auto()  # it is out of date
    SHOWN = auto()  # its screen shows all news, sent from another; its session has not drawn them
    ASKED = auto()  # out of date; a run of its own was requested
    SILENT = auto()  # the same, but the run has not begun in time


class Event(Enum):
    """An event that changes the state of a part of a page."""

    NEWS = auto()
    SENT = auto()  # it was sent another member's picture
    ASK = auto()  # a run of its own was requested
    LATE = auto()  # the run has not begun in time
    DRAWN = auto()  # a run of its own has drawn it, whoever requested that


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
    """A part of a page that can be redrawn alone."""

    state: State = State.CURRENT
    # The topics that it shows, and how new each was when it was drawn. See `Hub.news`.
    topics: Mapping[str, int] = field(default_factory=dict)
    version: int = 0  # of the news that the state refers to: the sum over the topics
    requested_version: int = -1  # of the last run that was requested
    updated_at: float = 0.0  # when a run was last requested, or a picture sent
    retry_delay: float = FIRST_RETRY_DELAY  # seconds

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
    is_known: bool = False  # its browser has reported its seat and secret

    stance: Stance = Stance.FOLLOWING
    stance_changes: int = 0
    parts: dict[str, Part] = field(default_factory=dict)
    last_request: float = 0.0  # when a run of its own was last requested
    entered_at: float = field(default_factory=time.monotonic)
    connected_at: float = field(default_factory=time.monotonic)  # the last time

    # Only its own script changes these.
    page: str = ""  # on show
    applied_version: int = 0  # of the room that the page shows
    begun_number: int = 0  # the last activity that the page has begun
    answered_number: int = 0  # the last activity that this window has answered
    reported_page: object = None  # the page and address that this window last reported to the room
    curve: Callable[[], board.Curve | None] | None = None
    curve_number: int = 0  # the activity that the curve belongs to

    _logged: set[tuple[str, Why]] = field(default_factory=set)  # since the part last changed
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def change_stance(self, event: StanceEvent) -> bool:
        """Change the stance; returns whether the event changed it."""
        with self._lock:
            after = STANCES.get((self.stance, event))
            if after is None:
                return False
            LOG.debug("%s: %s", self, after.name)
            self.stance = after
            self.stance_changes += 1
            return True

    def restore_seat(self, seat: str, secret: str) -> bool:
        """Take the seat and secret from the browser, once; returns whether the role was unknown."""
        with self._lock:
            if self.is_known:
                return False
            self.is_known = True
            self.seat, self.secret = seat or self.seat, self.secret or secret
            return self.change_stance(StanceEvent.ROLE_KNOWN)

    def record_drawing(self, name: str, topics: Mapping[str, int]) -> None:
        """Record that a run draws a part, and how new each of its topics is."""
        with self._lock:
            part = self.parts.setdefault(name, Part())
            part.topics, part.version = topics, sum(topics.values())
            self.update_part(name, Event.DRAWN)

    def forget_parts(self) -> None:
        """Forget all parts: a run draws the whole page, which may have others."""
        with self._lock:
            self.parts = {}

    def update_part(self, name: str, event: Event, now: float = 0.0) -> None:
        """Change the state of a part, if it still exists and the event changes it."""
        with self._lock:
            part = self.parts.get(name)
            after = None if part is None else STATES.get((part.state, event))
            if part is None or after is None:
                return
            if event is Event.ASK:
                is_retry = part.state is State.SILENT
                delay = 2 * part.retry_delay if is_retry else FIRST_RETRY_DELAY
                part.retry_delay = min(delay, MAX_RETRY_DELAY)
                part.requested_version = part.version
                self.last_request = now
            if event in (Event.ASK, Event.SENT):
                part.updated_at = now
            LOG.debug("%s, %s: %s: %s", self, part, event.name.lower(), after.name)
            part.state = after
            self._logged = {entry for entry in self._logged if entry[0] != name}

    def parts_to_redraw(self, news: Callable[[str], int], now: float) -> list[str]:
        """The parts that need a redraw now; the reasons why others must wait are logged.

        `news(topic)` says how new a topic is.
        """
        due = []
        with self._lock:
            for name, part in self.parts.items():
                newest = {topic: news(topic) for topic in part.topics}
                if changed := {topic for topic in newest if newest[topic] != part.topics[topic]}:
                    # Counts are redrawn now and then, all other news at once.
                    if not URGENT_TOPICS & changed and now - self.last_request <= COUNTS_INTERVAL:
                        self.log_reason(name, Why.COUNTS)
                    elif why := self._why_to_wait(name, part, sum(newest.values()), now):
                        self.log_reason(name, why)
                    else:
                        due.append(name)
        return due

    def _why_to_wait(self, name: str, part: Part, version: int, now: float) -> Why | None:
        if version != part.version or part.state is State.CURRENT:
            part.version = version
            self.update_part(name, Event.NEWS)
        if "room" in part.topics and self.stance in NOT_FOLLOWING:
            return NOT_FOLLOWING[self.stance]
        if part.state is State.ASKED and now - part.updated_at >= START_TIMEOUT:
            self.update_part(name, Event.LATE)
        if part.state is State.ASKED:
            return Why.ASKED
        if part.state is State.SILENT and now - part.updated_at < part.retry_delay:
            return Why.SILENT
        return None

    @property
    def is_pending(self) -> bool:
        """Whether a run of its own was requested, and may still begin."""
        with self._lock:
            return any(part.state is State.ASKED for part in self.parts.values())

    def log_reason(self, name: str, why: Why) -> None:
        """Log why a part is not drawn, or not sent a picture: once, until its state changes."""
        with self._lock:
            if (name, why) not in self._logged:
                self._logged.add((name, why))
                LOG.debug("%s, %s: not drawn: %s", self, self.parts.get(name, "page"), why)

    def __str__(self) -> str:
        return f"room {self.code[:4]}, window {self.seat[:4]}"
