"""The state of a room, as it travels between processes."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from explorer.languages import tr
from explorer.rooms import codes
from explorer.rooms.store import MAX_PARTS

MAX_STATE: Final = 160_000  # bytes; the longest address has 24,000 characters


class RoomError(Exception):
    """A request to a room was refused; the message says why, in words for the person."""


class WrongSecretError(RoomError):
    """A member without the room's secret tried to change it."""


class StoreGoneError(RoomError):
    """The store does not answer."""


def answers_to(number: int) -> str:
    """The part of a room with the answers to the question with this number."""
    return f"answers-{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A question for everybody in the room."""

    number: int  # of the activity in its room, from 1
    question: Mapping[str, Any] | None = None  # as `questions.to_json` writes it
    source: str = ""  # the sentence of the question
    weights: str = ""  # the name of the model's
    revealed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The state that everybody in a room shares, and the hash of the teacher's secret."""

    code: str
    lock: str
    version: int = 1
    page: str = "home"
    params: Mapping[str, str] = field(default_factory=dict)  # the teacher's address
    lent: str = ""  # the name of the weights that the teacher lends, see `Store.lend`
    leader: str = ""  # the name of the window that leads
    paused: bool = False
    closed: bool = False
    activities: int = 0  # the number of the newest
    activity: Activity | None = None
    calls: int = 0  # how often the teacher has called everybody back

    def is_led_by(self, seat: str, secret: str) -> bool:
        """Whether the room follows the window with this seat and secret."""
        return seat == self.leader and codes.opens(secret, self.lock)

    def next(self, **changes: Any) -> "Room":
        """The room after a change."""
        return replace(self, version=self.version + 1, **changes)

    def begin(self, *, after: int, **more: Any) -> "Room | None":
        """The room with a new question, if it has had `after` of them so far; otherwise None.

        So a second click begins nothing.
        """
        if self.activities != after:
            return None
        asked = Activity(number=after + 1, **more)
        return self.next(page="room", activities=after + 1, activity=asked, paused=False)

    def ended(self, number: int) -> "Room | None":
        """The room after the activity with this number; None if it is over already."""
        activity = self.activity
        return self.next(activity=None) if activity and activity.number == number else None

    def revealed(self, number: int) -> "Room | None":
        """The room with the right answer to this activity on all screens; None if it is over."""
        if self.activity is None or self.activity.number != number:
            return None
        return self.next(activity=replace(self.activity, revealed=True))

    @property
    def all_but_page(self) -> str:
        """Everything except the teacher's page and address, in short."""
        shown = None if self.activity is None else (self.activity.number, self.activity.revealed)
        return f"{self.leader} {self.paused} {self.closed} {shown} {self.calls}"

    @property
    def parts(self) -> list[str]:
        """The parts with answers that are still kept."""
        first = max(1, self.activities - MAX_PARTS + 1)
        return [answers_to(number) for number in range(first, self.activities + 1)]

    @property
    def is_open(self) -> bool:
        """Whether answers to the question on show still count."""
        return not self.closed and self.activity is not None and not self.activity.revealed

    def dump(self) -> bytes:
        """The room as bytes.

        Raises:
            RoomError: it has become too large.
        """
        data = json.dumps(asdict(self), separators=(",", ":")).encode()
        if len(data) > MAX_STATE:
            raise RoomError(
                tr(
                    "A room's state may have {most:,} bytes, and this one has {bytes:,}: shorten "
                    "the sentences.",
                    most=MAX_STATE,
                    bytes=len(data),
                )
            )
        return data


def load(data: bytes) -> Room:
    """The room that `Room.dump` wrote; fields of newer versions of the explorer are left out."""
    state = json.loads(data)
    activity = state.pop("activity")
    current = None if activity is None else Activity(**_known_fields(Activity, activity))
    return Room(activity=current, **_known_fields(Room, state))


def _known_fields(kind: type[Room] | type[Activity], values: dict[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}
