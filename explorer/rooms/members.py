"""Who is in a room in this process, and whose page shows something old: it is drawn again.

Pages are drawn again for a few people at a time. So whoever leads never waits for the whole room
before their own next picture, and whoever comes later is drawn the newest state at once, not every
one in between. What was drawn for one is passed on to all others whose page shows the same.
"""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from explorer.rooms import board, codes
from explorer.runtime.shares import RELOAD, STAYED

AT_ONCE: Final = 2  # people whose pages are drawn at the same time
FORGOTTEN: Final = 180.0  # seconds after which somebody without a connection is forgotten
PATIENCE: Final = 2.0  # seconds that a page has to be drawn before others are
AGAIN: Final = 4.0  # seconds until one that does not answer is asked again, then twice that, …
SELDOM: Final = 32.0  # … but not less often than this: it may be busy with something else
OFTEN: Final = 0.5  # seconds between two pictures of answers that come in
FIRST: Final = 0.5  # seconds that others wait for what is drawn for one, and may be passed on
QUIET: Final = 0.3  # seconds without news until a page that was passed its picture is drawn
AT_ONCE_SHOWN: Final = {"room", "state", "self", "store"}


class Windows(Protocol):
    """The windows of all sessions, as they can be reached from here."""

    def is_here(self, session: str) -> bool:
        """Whether a browser is connected."""

    def draw(self, session: str, part: str) -> bool:
        """Have a part of a page drawn again if nothing is being drawn there; whether it could."""

    def is_drawing(self, session: str) -> bool:
        """Whether something is being drawn there, or on its way to the browser."""

    def pass_on(self, source: str, to: str, part: str) -> bool:
        """Show one what was just drawn for another, if both showed the same; whether it could."""

    def watch(self, session: str) -> None:
        """This session is in a room from now on."""

    def forget(self, session: str) -> None:
        """This session is in a room no more."""


@dataclass(eq=False, slots=True)
class Member:
    """One window of a person in a room."""

    session: str
    code: str
    person: str = field(default_factory=codes.new_name)  # one for all windows of a browser
    seat: str = field(default_factory=codes.new_name)  # one for each window
    secret: str = ""
    shown: str = ""  # the pass that its browser keeps, see `codes.pass_of`
    exploring: bool = False
    applied: int = 0  # the version of the room that the page shows
    moved: int = 0  # how often it has begun, or ended, to explore
    named: bool = False  # whether its browser has said its names
    unsure: bool = False  # it may be the one who leads: its browser has not said so yet
    begun: int = 0  # the activity that the page has begun
    shows_own: bool = False  # the page may show what only this person has done
    # What each part of the page has drawn: the topic, and how new it was. See `Hub.news`.
    drawn: dict[str, dict[str, int]] = field(default_factory=dict)
    curve: Callable[[], board.Curve | None] | None = None
    trains: int = 0  # the activity that the curve belongs to
    answered: int = 0  # the activity that this window has answered
    told: object = None  # the page and address that this window has told the room last
    came: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.monotonic)  # when the browser was last connected
    asked: dict[str, "_Asked"] = field(default_factory=dict)  # each part of the page, the last time
    passed: dict[str, "_Passed"] = field(default_factory=dict)  # the last picture for each part

    @property
    def last_asked(self) -> float:
        """When a part of its page was last asked to be drawn again."""
        return max((asked.at for asked in self.asked.values()), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A part of a page was asked to be drawn again."""

    new: int  # how new it should be
    at: float  # when
    patience: float  # seconds until it is asked again, if it does not answer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passed:
    """A part of a page was passed what was drawn for another."""

    new: int  # how new it was
    at: float  # when


class Members:
    """Everybody in this process who is in a room; `news(member, topic)` says how new a topic is."""

    def __init__(self, windows: Windows, news: Callable[[Member, str], int]) -> None:
        self._windows = windows
        self._news = news
        self._all: dict[Member, None] = {}
        # Whose page could not be passed on to whom, and for which news.
        self._differ: set[tuple[Member, Member, int]] = set()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Member]:
        with self._lock:
            return iter(list(self._all))

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, member: Member) -> None:
        """Somebody is in a room from now on."""
        with self._lock:
            self._all[member] = None
        self._windows.watch(member.session)

    def remove(self, member: Member) -> None:
        """Somebody is in a room no more."""
        with self._lock:
            self._all.pop(member, None)
        self._windows.forget(member.session)

    def look_around(self, now: float) -> list[Member]:
        """Note whose browser is connected, and forget those who have been gone for long.

        Returns those who came and were gone at once.
        """
        for member in self:
            if self._windows.is_here(member.session):
                member.last = now
            elif now - member.last > FORGOTTEN:
                self.remove(member)
        return [
            member
            for member in self
            if now - member.last > RELOAD and member.last - member.came < STAYED
        ]

    def draw_some(self) -> bool:
        """Have a few pages drawn again; whether somebody waits for theirs, or is being drawn.

        Whoever has waited for longest is next: news that never ends is shown to everybody.
        """
        now, waiting = time.monotonic(), []
        asked, served = set[Member](), set[Member]()  # whose scripts run; who gets something now
        for member in self:
            behind = self._behind(member, now)
            if not behind or not self._windows.is_here(member.session):
                continue
            if any(_asked(member, part, new, now, PATIENCE) for part, new in behind.items()):
                asked.add(member)  # it is being drawn
                continue
            due = [part for part, new in behind.items() if not _asked(member, part, new, now)]
            waiting += [(member.last_asked, member, part, behind[part]) for part in due]
        for _, member, part, new in sorted(waiting, key=lambda one: one[0]):
            if member in served:
                continue
            if self._sees_it(member, part, new, now):
                if member.passed.get(part) == _Passed(new=new, at=now):
                    served.add(member)
                continue
            if len(asked) < AT_ONCE and self._windows.draw(member.session, part):
                asked.add(member)
                served.add(member)
                last = member.asked.get(part)
                in_vain = last is not None and last.new == new
                patience = min(2 * last.patience, SELDOM) if last and in_vain else AGAIN
                member.asked[part] = _Asked(new=new, at=now, patience=patience)
        if not waiting:
            self._differ.clear()
        return bool(asked or waiting)

    def _sees_it(self, member: Member, part: str, new: int, now: float) -> bool:
        """Whether a member sees what is new as it was drawn for another, or is about to."""
        passed = member.passed.get(part)
        if passed is not None and passed.new == new:
            return now - passed.at < QUIET
        if not _is_like_others(member, part):
            return False
        comes, is_there = False, False
        for other in self:
            asked = other.asked.get(part)
            if asked is None or asked.new != new or other.code != member.code:
                continue
            if not _is_like_others(other, part):
                continue
            if other.drawn.get(part) != {"room": new} or self._windows.is_drawing(other.session):
                comes = comes or now - asked.at < FIRST
                continue
            is_there = True
            if (other, member, new) not in self._differ:
                if self._windows.pass_on(other.session, member.session, part):
                    member.passed[part] = _Passed(new=new, at=now)
                    return True
                self._differ.add((other, member, new))
        return comes and not is_there

    def _behind(self, member: Member, now: float) -> dict[str, int]:
        """The parts of a member's page that show something old, and how new they should be."""
        behind = {}
        for part, topics in list(member.drawn.items()):
            changed = {t for t, drawn in topics.items() if self._news(member, t) != drawn}
            # What the teacher does is shown at once; numbers that count up, now and then.
            if changed and (AT_ONCE_SHOWN & changed or now - member.last_asked > OFTEN):
                behind[part] = sum(self._news(member, topic) for topic in topics)
        return behind


def _is_like_others(member: Member, part: str) -> bool:
    """Whether a part of a member's page shows the room, and nothing of this person alone."""
    if member.shows_own or member.exploring or member.unsure:
        return False
    return member.drawn.get(part, {}).keys() == {"room"}


def _asked(member: Member, part: str, new: int, now: float, within: float = SELDOM) -> bool:
    """Whether a part has been asked to show this, and some time is left until it is asked again."""
    last = member.asked.get(part)
    return last is not None and last.new == new and now - last.at < min(within, last.patience)
