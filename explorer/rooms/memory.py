"""A store of rooms in the memory of one process."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from explorer.languages import tr
from explorer.rooms.room import RoomError
from explorer.rooms.store import (
    ALL_NOTES,
    LEFT_ALONE,
    MAX_NOTE,
    MAX_PARTS,
    MAX_PEOPLE,
    MAX_ROOMS,
    Store,
)


@dataclass(slots=True)
class _KeptRoom:
    version: int
    state: bytes
    until: float
    parts: dict[str, dict[str, bytes]] = field(default_factory=dict)


class MemoryStore(Store):
    """A store for one process."""

    def __init__(self) -> None:
        self._rooms: dict[str, _KeptRoom] = {}
        self._bytes = 0  # of all notes
        self._tries: dict[str, tuple[float, int]] = {}  # the end of the period, and the number
        self._lock = threading.RLock()

    def put_newer(self, code: str, version: int, state: bytes, seconds: int = LEFT_ALONE) -> bool:
        """Keep this state, unless there is this version or a newer one."""
        with self._lock:
            self._drop_expired()
            kept = self._rooms.get(code)
            if kept is not None and kept.version >= version:
                return False
            if kept is None:
                self._make_space()
                kept = self._rooms[code] = _KeptRoom(version, state, 0.0)
            kept.version, kept.state, kept.until = version, state, time.monotonic() + seconds
        return True

    def get(self, code: str) -> tuple[bytes, float] | None:
        """The state of a room, and the seconds for which it is still kept."""
        with self._lock:
            self._drop_expired()
            kept = self._rooms.get(code)
            return None if kept is None else (kept.state, kept.until - time.monotonic())

    def touch(self, code: str, seconds: int = LEFT_ALONE, parts: Iterable[str] = ()) -> None:
        """Keep a room for these seconds."""
        with self._lock:
            self._drop_expired()
            if (kept := self._rooms.get(code)) is not None:
                kept.until = time.monotonic() + seconds

    def expire_soon(self, code: str) -> None:
        """Keep an empty room for a while at most."""
        with self._lock:
            if (kept := self._rooms.get(code)) is not None:
                kept.until = min(kept.until, time.monotonic() + LEFT_ALONE)

    def put_note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note."""
        with self._lock:
            room = self._rooms.get(code)
            if room is None or len(value) > MAX_NOTE:
                return False
            notes = room.parts.setdefault(part, {})
            for oldest in list(room.parts)[1:-MAX_PARTS]:  # the first one is "presence"
                self._bytes -= _size(room.parts.pop(oldest))
            if name not in notes and len(notes) >= MAX_PEOPLE:
                return False
            more = len(value) - len(notes.get(name, b""))
            if more > 0 and self._bytes + more > ALL_NOTES:
                return False
            self._bytes += more
            notes[name] = value
        return True

    def delete_note(self, code: str, part: str, name: str) -> None:
        """Delete the note under a name."""
        with self._lock:
            room = self._rooms.get(code)
            notes = {} if room is None else room.parts.get(part, {})
            self._bytes -= len(notes.pop(name, b""))

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part."""
        with self._lock:
            room = self._rooms.get(code)
            return {} if room is None else dict(room.parts.get(part, {}))

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Nothing to do: there is no other process."""

    def count_tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Add to a visitor's tries."""
        now = time.monotonic()
        with self._lock:
            if len(self._tries) > 10_000:
                self._tries = {w: kept for w, kept in self._tries.items() if kept[0] > now}
            until, count = self._tries.get(who, (0.0, 0))
            if until < now:
                until, count = now + seconds, 0
            if more:
                self._tries[who] = until, count + more
            return count + more

    def _make_space(self) -> None:
        """At the maximum number of rooms, drop the one with the least time left."""
        if len(self._rooms) < MAX_ROOMS:
            return
        first = min(self._rooms, key=lambda code: self._rooms[code].until)
        if self._rooms[first].until > time.monotonic() + LEFT_ALONE:  # all rooms have followers
            raise RoomError(
                tr(
                    "This server keeps {most} rooms, and there are {most}: try again later.",
                    most=MAX_ROOMS,
                )
            )
        self._drop(first)

    def _drop_expired(self) -> None:
        now = time.monotonic()
        for code in [code for code, room in self._rooms.items() if room.until < now]:
            self._drop(code)

    def _drop(self, code: str) -> None:
        self._bytes -= sum(map(_size, self._rooms.pop(code).parts.values()))


def _size(notes: dict[str, bytes]) -> int:
    return sum(map(len, notes.values()))
