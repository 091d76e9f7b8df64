"""Who is in a room: each question for news says that its window is still there."""

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from explorer.rooms.member import Stance
from explorer.rooms.notes import Notes
from explorer.rooms.room import StoreGoneError
from explorer.rooms.store import MAX_PEOPLE

PRESENT: Final = 90.0  # seconds that a window counts after its last question: it may be hidden
PRESENCE: Final = 10.0  # seconds between two reports of this process's windows, if they stay
_PART: Final = "presence"


@dataclass(slots=True)
class Presence:
    """The windows of one room in this process; the store has only their number."""

    notes: Notes
    process: str  # a name
    until: dict[str, tuple[float, bool]] = field(default_factory=dict)  # by seat; and whether alone
    left: set[str] = field(default_factory=set)  # seats: their last question may still be coming
    reported: tuple[int, int] = (0, 0)  # the people here, as the store was told
    reported_at: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, seat: str, stance: Stance | None, leader: str) -> None:
        """Note that a window is there, and whether it explores alone; None: it is gone."""
        alone, end = stance is not Stance.FOLLOWING, time.monotonic() + PRESENT
        with self._lock:
            if stance is None or seat in self.left:
                self.until.pop(seat, None)
            elif seat in self.until or len(self.until) < MAX_PEOPLE:
                self.until[seat] = end, alone
        self._report(leader)

    def leave(self, seat: str, leader: str) -> None:
        """A window has left: until it enters again, it is not there."""
        with self._lock:
            if len(self.left) < MAX_PEOPLE:
                self.left.add(seat)
        self.note(seat, None, leader)

    @property
    def is_anybody_here(self) -> bool:
        """Whether a window in this process still counts."""
        return any(time.monotonic() < end for end, _ in self.until.values())

    def count(self) -> tuple[int, int]:
        """How many followers there are in all processes, and how many of them explore alone."""
        people, exploring = 0, 0
        try:
            notes = self.notes.all_in(_PART)
        except StoreGoneError:
            return self.reported
        for note in notes.values():
            here, alone, at = json.loads(note)
            if time.time() - at < 2.5 * PRESENCE:
                people, exploring = people + here, exploring + alone
        return people, exploring

    def _report(self, leader: str) -> None:
        """Tell the store how many people are here: when it changes, and now and then."""
        now = time.monotonic()
        with self._lock:
            self.until = {seat: kept for seat, kept in self.until.items() if now < kept[0]}
            alone = [alone for seat, (_, alone) in self.until.items() if seat != leader]
            here = len(alone), sum(alone)
            if here == self.reported and now - self.reported_at < PRESENCE:
                return
            self.reported, self.reported_at = here, now
        note = json.dumps([*here, int(time.time())]).encode()
        self.notes.put(_PART, self.process, note)
