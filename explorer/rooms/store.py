"""The interface of a store of rooms, and the limits of what it keeps."""

from collections.abc import Callable
from typing import Final, Protocol

# Seconds without a teacher after which a room is closed. Where space is short, the room with the
# least time left goes first: an empty room, then a room without followers.
LEFT_ALONE: Final = 900
ATTENDED: Final = 2 * LEFT_ALONE  # while it has followers
CLOSED: Final = 600  # seconds that a closed room is kept, so that no process restores it
MAX_ROOMS: Final = 500  # in a process without Redis
MAX_PEOPLE: Final = 2000  # answers, or curves, of one activity
MAX_PARTS: Final = 3  # answers of earlier activities are forgotten
MAX_NOTE: Final = 6000  # bytes
MAX_LENT: Final = 4_000_000  # bytes of a loan
ALL_NOTES: Final = 64_000_000  # bytes, in a process without Redis

# A store calls this after each change: with the room's code and its new state, or with its code,
# None and the part whose notes have changed.
OnChange = Callable[[str, bytes | None, str], None]


class Store(Protocol):
    """Keeps the state of each room, and its notes, in parts ("answers-3", "presence").

    Every call may raise `StoreGoneError`.
    """

    @property
    def is_gone(self) -> bool:
        """Whether the store does not answer; when it is back, it calls `on_return`."""

    def begin(self, on_change: OnChange, on_return: Callable[[], None]) -> None:
        """Call `on_change` after each change, and `on_return` when the store is back."""

    def put_newer(self, code: str, version: int, state: bytes, seconds: int = LEFT_ALONE) -> bool:
        """Keep this state, unless the room already has this version or a newer one."""

    def get(self, code: str) -> bytes | None:
        """The state of a room, if there is one."""

    def touch(self, code: str, seconds: int = LEFT_ALONE, part: str = "") -> bool:
        """Keep a room, and a part of it, for these seconds; returns whether it still exists."""

    def expire_soon(self, code: str) -> None:
        """Keep an empty room for `LEFT_ALONE` seconds from now at most."""

    def put_note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note under a name; returns False without such a room, or space."""

    def delete_note(self, code: str, part: str, name: str) -> None:
        """Delete the note under a name."""

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part, by name."""

    @property
    def is_shared(self) -> bool:
        """Whether several processes share this store."""

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Keep a loan for the other processes while the room lasts, in place of the last loan."""

    def borrow(self, code: str, name: str) -> bytes | None:
        """The last loan, if it has this name."""

    def count_tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Add to a visitor's tries; returns their number within these seconds."""

    def watch(self, code: str) -> None:
        """Report the changes of this room."""

    def unwatch(self, code: str) -> None:
        """Stop reporting the changes of this room."""
