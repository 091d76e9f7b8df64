"""Everybody in a room in this process. A page that is out of date is redrawn.

Pages are redrawn for a few people at a time. So the leader never waits for the whole room, and a
page that comes late shows the newest state at once, not every state in between. A picture that was
drawn for one member is sent to all others whose page shows the same.
"""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Protocol

from explorer.rooms.member import QUIET_TIME, Event, Member, Part, Stance, State
from explorer.rooms.redraws import Why
from explorer.runtime.shares import MIN_STAY, RECONNECT_WAIT

MAX_RUNS: Final = 2  # people whose pages are redrawn at the same time
FORGET_AFTER: Final = 180.0  # seconds after which a member without a connection is removed
PICTURE_WAIT: Final = 0.5  # seconds that a member waits for another's picture


class Windows(Protocol):
    """Access to the windows of all sessions."""

    def is_connected(self, session: str) -> bool:
        """Whether a browser is connected."""

    def request_run(self, session: str, part: str, page: str) -> Why | None:
        """Request a run that opens a page, or, without one, redraws a part; returns why not."""

    def is_drawing(self, session: str) -> bool:
        """Whether the session's script runs, or its output is on the way to the browser."""

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        """Send `to` the last picture of `source` if both showed the same; returns why not."""

    def watch(self, session: str) -> None:
        """Watch a session that has entered a room."""

    def unwatch(self, session: str) -> None:
        """Stop watching a session that has left its room."""


class Members:
    """Everybody in this process who is in a room.

    `news(member, topic)` says how new a topic is. `page_to_open(member)` is the page that the room
    shows; empty if theirs shows it.
    """

    def __init__(
        self,
        windows: Windows,
        news: Callable[[Member, str], int],
        page_to_open: Callable[[Member], str],
    ) -> None:
        self._windows = windows
        self._news = news
        self._page_to_open = page_to_open
        self._all: dict[Member, None] = {}
        # The source, the receiver and the version of pictures that could not be sent.
        self._not_sent: set[tuple[Member, Member, int]] = set()
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Member]:
        with self._lock:
            return iter(list(self._all))

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, member: Member) -> None:
        """Add a member who has entered a room."""
        with self._lock:
            self._all[member] = None
        self._windows.watch(member.session)

    def remove(self, member: Member) -> None:
        """Remove a member who has left a room."""
        with self._lock:
            self._all.pop(member, None)
        self._windows.unwatch(member.session)

    def check_connections(self, now: float) -> list[Member]:
        """Record which browsers are connected, and remove members who have been gone for long.

        Returns the members who have gone soon after they came.
        """
        for member in self:
            if self._windows.is_connected(member.session):
                member.connected_at = now
            elif now - member.connected_at > FORGET_AFTER:
                self.remove(member)
        return [
            member
            for member in self
            if now - member.connected_at > RECONNECT_WAIT
            and member.connected_at - member.entered_at < MIN_STAY
        ]

    def redraw_some(self) -> bool:
        """Redraw a few pages; returns whether any page is being redrawn, or waits for it.

        The member who has waited longest is next, so that nobody is left out.
        """
        now, running = time.monotonic(), 0
        waiting: list[tuple[float, Member, str]] = []
        for member in self:
            due = member.parts_to_redraw(partial(self._news, member), now)
            why = None
            if not self._windows.is_connected(member.session):
                why = Why.AWAY
            elif member.is_pending:
                running, why = running + 1, Why.OTHER_PART
            for name in due:
                if why is None:
                    waiting.append((member.last_request, member, name))
                else:
                    member.log_reason(name, why)
        served = set[Member]()
        for _, member, name in sorted(waiting, key=lambda one: one[0]):
            full = running >= MAX_RUNS
            why = Why.OTHER_PART if member in served else self._serve(member, name, now, full=full)
            if why is None:
                served.add(member)
                running += member.is_pending
            else:
                member.log_reason(name, why)
        if not waiting:
            self._not_sent.clear()
        return bool(running or waiting)

    def _serve(self, member: Member, name: str, now: float, *, full: bool) -> Why | None:
        """Send a member another's picture, or request a run of their own; returns why neither."""
        part = member.parts.get(name)
        if part is None:
            return Why.OTHER_PART  # the whole page is being drawn
        follows = member.stance is Stance.FOLLOWING and "room" in part.topics
        page = self._page_to_open(member) if follows else ""
        if part.state is State.SHOWN:
            if now - part.updated_at < QUIET_TIME:
                return Why.SHOWN
        elif not page and _shows_only_room(member, part):
            is_coming, is_there = False, False
            for other, theirs in self._sources(member, name, part.version):
                if theirs.state is not State.CURRENT or self._windows.is_drawing(other.session):
                    is_coming = is_coming or now - theirs.updated_at < PICTURE_WAIT
                    continue
                is_there = True
                if (other, member, part.version) not in self._not_sent:
                    why = self._windows.pass_on(other.session, member.session, name)
                    if why is None:
                        member.update_part(name, Event.SENT, now)
                        return None
                    member.log_reason(name, why)
                    self._not_sent.add((other, member, part.version))
            if is_coming and not is_there:
                return Why.COMING
        if full:
            return Why.FULL
        why = self._windows.request_run(member.session, name, page)
        if why is None:
            member.update_part(name, Event.ASK, now)
        return why

    def _sources(self, member: Member, name: str, version: int) -> Iterator[tuple[Member, Part]]:
        """Other members whose own run draws, or has drawn, the same news of the same room."""
        for other in self:
            part = other.parts.get(name)
            if part is None or not part.requested_version == part.version == version:
                continue
            is_same_page = (other.code, other.page) == (member.code, member.page)
            if is_same_page and _shows_only_room(other, part):
                yield other, part


def _shows_only_room(member: Member, part: Part) -> bool:
    """Whether a part of a member's page shows the room, and nothing personal."""
    return member.stance is Stance.FOLLOWING and part.topics.keys() == {"room"}
