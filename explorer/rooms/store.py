"""The interface of a store of rooms, and the limits of what it keeps."""

from collections.abc import Iterable
from typing import Final, Protocol

# Seconds without a teacher after which a room is closed. Where space is short, the room with the
# least time left goes first: an empty room, then a room without followers.
LEFT_ALONE: Final = 900
ATTENDED: Final = 2 * LEFT_ALONE  # while it has followers
CLOSED: Final = 600  # seconds that a closed room is kept, so that no process restores it
MAX_ROOMS: Final = 500  # in a process without Redis
MAX_PEOPLE: Final = 2000  # answers to one question
MAX_PARTS: Final = 30  # questions whose answers are kept; those of earlier ones are forgotten
QUESTION: Final = "question"  # the note with a question, among its answers
MAX_NOTE: Final = 20_000  # bytes
MAX_LENT: Final = 4_000_000  # bytes of a loan
ALL_NOTES: Final = 64_000_000  # bytes, in a process without Redis


class Store(Protocol):
    """Keeps the state of each room, and its notes, in parts ("answers-3", "presence").

    Every call may raise `StoreGoneError`. What has an answer here is so in one process.
    """

    @property
    def is_shared(self) -> bool:
        """Whether several processes share this store."""
        return False

    @property
    def is_gone(self) -> bool:
        """Whether the store did not answer the last time."""
        return False

    @property
    def life(self) -> str:
        """Another one each time that the store was started anew, and has lost everything."""
        return ""

    def put_newer(self, code: str, version: int, state: bytes, seconds: int = LEFT_ALONE) -> bool:
        """Keep this state, unless the room already has this version or a newer one."""

    def get(self, code: str) -> tuple[bytes, float] | None:
        """The state of a room, if there is one, and the seconds for which it is still kept."""

    def touch(self, code: str, seconds: int = LEFT_ALONE, parts: Iterable[str] = ()) -> None:
        """Keep a room, and these parts of it, for so long."""

    def expire_soon(self, code: str) -> None:
        """Keep an empty room for `LEFT_ALONE` seconds from now at most."""

    def put_note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note under a name; returns False without such a room, or space."""

    def delete_note(self, code: str, part: str, name: str) -> None:
        """Delete the note under a name."""

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part, by name."""

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Keep a loan for the other processes while the room lasts, in place of the last loan."""

    def borrow(self, code: str, name: str) -> bytes | None:
        """The last loan, if it has this name."""
        return None

    def count_tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Add to a visitor's tries; returns their number within these seconds."""
