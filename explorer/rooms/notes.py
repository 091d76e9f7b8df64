"""The notes of one room as this process knows them: written here, or read a moment ago."""

import time
from dataclasses import dataclass, field
from typing import Final

from explorer.rooms.room import StoreGoneError
from explorer.rooms.store import MAX_PEOPLE, Store

FRESH: Final = 0.2  # seconds for which what was read from a shared store counts as new


@dataclass(slots=True)
class Notes:
    """Notes in parts ("presence", "answers-3"), each under a name."""

    store: Store
    code: str  # of the room
    written: dict[tuple[str, str], bytes] = field(default_factory=dict)  # here, of answers
    _read: dict[str, tuple[float, dict[str, bytes]]] = field(default_factory=dict)

    def all_in(self, part: str) -> dict[str, bytes]:
        """All notes of a part, read once for everybody in this process.

        Raises:
            StoreGoneError: the store does not answer, and never has.
        """
        kept, now = self._read.get(part), time.monotonic()
        if kept and self.store.is_shared and now - kept[0] < FRESH:
            return kept[1]
        try:
            notes = self.store.notes(self.code, part)
        except StoreGoneError:
            if kept:
                return kept[1]
            raise
        if part not in self._read and len(self._read) > 1:  # who is there, and one question
            self._read.clear()
        self._read[part] = now, notes
        return notes

    def put(self, part: str, name: str, value: bytes) -> bool:
        """Keep a note; returns False if the store has no space."""
        self._read.pop(part, None)
        return self.store.put_note(self.code, part, name, value)

    def put_answer(self, part: str, name: str, value: bytes) -> bool:
        """Keep a note that is written again if the store loses it."""
        if not self.put(part, name, value):
            return False
        if len(self.written) > 2 * MAX_PEOPLE:
            self.written.clear()  # the store has them
        self.written[part, name] = value
        return True

    def delete_answer(self, part: str, name: str) -> None:
        """Delete a note that was written here."""
        if self.written.pop((part, name), None) is not None:
            self.store.delete_note(self.code, part, name)
            self._read.pop(part, None)

    def restore(self) -> None:
        """Write again what the store has lost."""
        for (part, name), value in list(self.written.items()):
            self.store.put_note(self.code, part, name, value)
