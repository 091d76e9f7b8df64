"""A room as one process knows it: read from the store, changed there, written again if lost."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from explorer.languages import tr
from explorer.rooms.member import Stance
from explorer.rooms.notes import FRESH, Notes
from explorer.rooms.presence import PRESENCE, PRESENT, Presence
from explorer.rooms.room import Room, RoomError, StoreGoneError, load
from explorer.rooms.store import ATTENDED, CLOSED, LEFT_ALONE, Store

EARLY: Final = 5.0  # seconds by which a room may expire early: less than that is rounding
MAX_ATTEMPTS: Final = 8  # attempts to change a room that others are changing


@dataclass(slots=True)
class KnownRoom:
    """A room, and the windows of this process that are in it."""

    store: Store
    room: Room
    notes: Notes
    presence: Presence
    expires_at: float  # as the store said
    life: str  # the store's when it was last told all of this
    read: bytes  # what the store said last
    read_at: float = field(default_factory=time.monotonic)
    persons: dict[str, str] = field(default_factory=dict)  # by seat
    changed_at: float = 0.0  # in this process
    touched_at: float = 0.0  # when the store was last told that the teacher is here
    lent: str = ""  # the name of the last loan of this process
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self) -> None:
        """Read the newest state; the last one stays while the store is gone."""
        is_fresh = self.store.is_shared and time.monotonic() - self.read_at < FRESH
        if not self.room.closed and not is_fresh:
            with suppress(StoreGoneError):
                self._read()

    def change(self, edit: Callable[[Room], Room | None]) -> Room:
        """The room after a change; `edit` returns None for no change.

        Raises:
            RoomError: the room is closed.
        """
        for _ in range(MAX_ATTEMPTS):
            if self.room.closed:
                raise RoomError(tr("This room is closed."))
            after = edit(self.room)
            if after is None:
                return self.room
            seconds = CLOSED if after.closed else self._lifetime
            state = after.dump()
            if self.store.put_newer(after.code, after.version, state, seconds):
                self.read = state
                self._take(after, seconds)
                self.changed_at = time.monotonic()
                return after
            self._read()
        raise RoomError(tr("Others are changing this room at the moment: try again."))

    def note(self, seat: str, stance: Stance | None) -> None:
        """Note that a window is there, and whether it explores alone; None: it is gone."""
        now = time.monotonic()
        self.presence.note(seat, stance, self.room.leader)
        if seat == self.room.leader and now - self.touched_at > PRESENCE:
            self.touched_at = now
            self.store.touch(self.room.code, self._lifetime, self.room.parts)

    @property
    def is_empty(self) -> bool:
        """Whether nobody here has asked for it lately."""
        is_old = time.monotonic() > self.read_at + PRESENT
        return is_old and not self.presence.is_anybody_here

    @property
    def _lifetime(self) -> int:
        """The seconds that the store keeps the room from now on."""
        return ATTENDED if self.presence.count()[0] else LEFT_ALONE

    def _read(self) -> None:
        """Read the room from the store.

        What the store has lost, as it was started anew, is written again. A room that was without
        a teacher for too long is closed.
        """
        self.read_at = now = time.monotonic()
        found = self.store.get(self.room.code)
        if found is None and now > self.expires_at - EARLY:
            self.room = self.room.next(closed=True, activity=None)
            return
        room = None
        if found is not None:
            room = self.room if found[0] == self.read else load(found[0])
        if room is None or room.version < self.room.version or self.life != self.store.life:
            self._restore()
        if room is not None and found is not None:
            self.read = found[0]
            self._take(room, found[1])

    def _take(self, room: Room, seconds: float) -> None:
        with self._lock:
            if room.version >= self.room.version:
                self.room, self.expires_at = room, time.monotonic() + seconds

    def _restore(self) -> None:
        seconds = self._lifetime
        self.store.put_newer(self.room.code, self.room.version, self.room.dump(), seconds)
        self.notes.restore()
        self.expires_at, self.presence.reported_at = time.monotonic() + seconds, 0.0
        self.lent = ""  # it may be lost: the leader lends it again
        self.life = self.store.life
