"""Everybody who is in a room in this process. A page that shows something old is drawn again.

Pages are drawn again for a few people at a time. So whoever leads never waits for the whole room
before their own next picture, and whoever comes later is drawn the newest state at once, not every
one in between. What was drawn for one is sent to all others whose page shows the same.
"""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Protocol

from explorer.rooms.member import QUIET, Event, Member, Part, Stance, State
from explorer.rooms.redraws import Why
from explorer.runtime.shares import MIN_STAY, RECONNECT_WAIT

AT_ONCE: Final = 2  # people whose pages are drawn at the same time
FORGOTTEN: Final = 180.0  # seconds after which somebody without a connection is forgotten
FIRST: Final = 0.5  # seconds that others wait for what is drawn for one, and may be sent


class Windows(Protocol):
    """The windows of all sessions, as they can be reached from here."""

    def is_here(self, session: str) -> bool:
        """Whether a browser is connected."""

    def draw(self, session: str, part: str) -> Why | None:
        """Have a part of a page drawn by a run of its own; why that is not possible now."""

    def is_drawing(self, session: str) -> bool:
        """Whether something is being drawn there, or on its way to the browser."""

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        """Send one what was just drawn for another, if both showed the same; why not."""

    def watch(self, session: str) -> None:
        """This session is in a room from now on."""

    def forget(self, session: str) -> None:
        """This session is in a room no more."""


class Members:
    """Everybody in this process who is in a room; `news(member, topic)` says how new a topic is."""

    def __init__(self, windows: Windows, news: Callable[[Member, str], int]) -> None:
        self._windows = windows
        self._news = news
        self._all: dict[Member, None] = {}
        # Whose page could not be sent to whom, and for which news.
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

        Returns those who are gone after a moment.
        """
        for member in self:
            if self._windows.is_here(member.session):
                member.last_here = now
            elif now - member.last_here > FORGOTTEN:
                self.remove(member)
        return [
            member
            for member in self
            if now - member.last_here > RECONNECT_WAIT and member.last_here - member.came < MIN_STAY
        ]

    def draw_some(self) -> bool:
        """Have a few pages drawn again; whether somebody waits for theirs, or is being drawn.

        Whoever has waited for longest is next: news that never ends is shown to everybody.
        """
        now, running = time.monotonic(), 0
        waiting: list[tuple[float, Member, str]] = []
        for member in self:
            due = member.waiting(partial(self._news, member), now)
            why = None
            if not self._windows.is_here(member.session):
                why = Why.AWAY
            elif member.is_asked:
                running, why = running + 1, Why.OTHER_PART
            for name in due:
                if why is None:
                    waiting.append((member.last_asked, member, name))
                else:
                    member.explain(name, why)
        served = set[Member]()
        for _, member, name in sorted(waiting, key=lambda one: one[0]):
            full = running >= AT_ONCE
            why = Why.OTHER_PART if member in served else self._serve(member, name, now, full=full)
            if why is None:
                served.add(member)
                running += member.is_asked
            else:
                member.explain(name, why)
        if not waiting:
            self._differ.clear()
        return bool(running or waiting)

    def _serve(self, member: Member, name: str, now: float, *, full: bool) -> Why | None:
        """Send a member what was drawn for another, or ask for a run of their own; why neither."""
        part = member.parts.get(name)
        if part is None:
            return Why.OTHER_PART  # everything is being drawn
        if part.state is State.SHOWN:
            if now - part.at < QUIET:
                return Why.SHOWN
        elif _is_like_others(member, part):
            comes, is_there = False, False
            for other, theirs in self._others(member, name, part.version):
                if theirs.state is not State.CURRENT or self._windows.is_drawing(other.session):
                    comes = comes or now - theirs.at < FIRST
                    continue
                is_there = True
                if (other, member, part.version) not in self._differ:
                    why = self._windows.pass_on(other.session, member.session, name)
                    if why is None:
                        member.happens(name, Event.SENT, now)
                        return None
                    member.explain(name, why)
                    self._differ.add((other, member, part.version))
            if comes and not is_there:
                return Why.COMING
        why = Why.FULL if full else self._windows.draw(member.session, name)
        if why is None:
            member.happens(name, Event.ASK, now)
        return why

    def _others(self, member: Member, name: str, version: int) -> Iterator[tuple[Member, Part]]:
        """Who was asked to draw the same news in the same room."""
        for other in self:
            part = other.parts.get(name)
            if part is None or not part.asked == part.version == version:
                continue
            if other.code == member.code and _is_like_others(other, part):
                yield other, part


def _is_like_others(member: Member, part: Part) -> bool:
    """Whether a part of a member's page shows the room, and nothing of this person alone."""
    return member.stance is Stance.FOLLOWING and part.topics.keys() == {"room"}
