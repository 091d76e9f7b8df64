"""Where rooms are kept: what a store must do, and how much it may be made to keep."""

from collections.abc import Callable
from typing import Final, Protocol

# Seconds without a teacher after which a room is closed. Where space is short, the room with the
# least time left goes first: one that everybody has left, then one with nobody but its teacher.
LEFT_ALONE: Final = 900
ATTENDED: Final = 2 * LEFT_ALONE  # while somebody follows
CLOSED: Final = 600  # seconds that a closed room is remembered, so that nobody brings it back
MOST_ROOMS: Final = 500  # of a process without Redis
MOST_PEOPLE: Final = 2000  # answers, or curves, of one activity
MOST_PARTS: Final = 3  # answers of earlier activities are forgotten
MAX_NOTE: Final = 6000  # bytes
MAX_LENT: Final = 4_000_000  # bytes of what a room lends
ALL_NOTES: Final = 64_000_000  # bytes, in a process without Redis

# What a store calls when something has changed: the room's code, and its new state; or None and
# the part that has another note.
Heard = Callable[[str, bytes | None, str], None]


class Store(Protocol):
    """Keeps the state of each room, and notes in parts of it ("answers-3", "presence").

    Every call may raise `StoreGoneError`.
    """

    @property
    def gone(self) -> bool:
        """Whether the store is away; `returned` is called when it is back."""

    def begin(self, heard: Heard, returned: Callable[[], None]) -> None:
        """From now on, call `heard` after each change, and `returned` when the store is back."""

    def put_newer(self, code: str, version: int, state: bytes, lasts: int = LEFT_ALONE) -> bool:
        """Keep this state, unless the room already has this version or a newer one."""

    def get(self, code: str) -> bytes | None:
        """The state of a room, if there is one."""

    def touch(self, code: str, lasts: int = LEFT_ALONE, part: str = "") -> bool:
        """Keep a room, and a part of it, for so long from now; returns whether it still exists."""

    def let_go(self, code: str) -> None:
        """Nobody is in a room: keep it for `LEFT_ALONE` seconds from now at most."""

    def note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note under a name; returns whether there was a room, and space for it."""

    def drop_note(self, code: str, part: str, name: str) -> None:
        """Forget the note under a name."""

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part, by name."""

    @property
    def has_others(self) -> bool:
        """Whether other processes have the same rooms."""

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Keep something for the other processes while the room lasts, in place of the last."""

    def borrow(self, code: str, name: str) -> bytes | None:
        """What was lent last, if it has this name."""

    def tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Count so many more tries of a visitor; returns how many there were in this time."""

    def watch(self, code: str) -> None:
        """Hear of the changes of this room."""

    def unwatch(self, code: str) -> None:
        """Hear of this room no more."""
