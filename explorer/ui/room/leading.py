"""The room is brought to where the teacher is, with the weights that the teacher trained.

These are in the memory of the teacher's process, and a follower may be served by another one.
"""

from collections.abc import Mapping
from typing import Final

from explorer.rooms.members import Member
from explorer.rooms.room import Room, RoomError, StoreGoneError
from explorer.rooms.store import MAX_LENT
from explorer.ui.parameters import HERE, LANGUAGE, RUN, WEIGHTS
from explorer.ui.room.place import CODE, KEY, hub, leads, member, room_on_show, say
from explorer.weights import trained_here
from explorer.weights.checkpoints import save

_HEADER: Final = 100_000  # bytes of a file of weights beside the weights, at most


def tell_room(page: str, params: dict[str, str]) -> None:
    """If the room follows this window, tell it what is on the screen."""
    found, room = member(), room_on_show()
    if found is None or room is None or room.closed or room.paused or not leads(found, room):
        return
    said = {key: text for key, text in params.items() if key not in (CODE, KEY, LANGUAGE.key)}
    name = _to_lend(said)
    # A window that only draws itself anew, as a second one of the teacher's does, moves nobody.
    if (room.page, room.params, room.lent) == (page, said, name) or found.told == (page, said):
        found.told = page, said
        return

    def move(now: Room) -> Room | None:
        if now.leader != found.seat or now.paused:
            return None
        if (now.page, now.params, now.lent) == (page, said, name):
            return None
        return now.next(page=page, params=said, lent=name)

    try:
        _lend(found, name)
        hub().change(found, move)
        found.told = page, said
    except RoomError as error:
        if not isinstance(error, StoreGoneError):  # that is said as long as it lasts
            say(str(error))


def _to_lend(said: Mapping[str, str]) -> str:
    """The name of the trained weights that an address names; "" if none, or if they are large."""
    token = said.get(RUN.key, "") if said.get(WEIGHTS.key) == HERE else ""
    found = trained_here.find(token)
    if found is None or 4 * found.model.config.n_weights + _HEADER > MAX_LENT:
        return ""
    return f"{token} {found.steps}"


def _lend(found: Member, name: str) -> None:
    weights = trained_here.find(name.partition(" ")[0])
    if weights is not None and found.lent != name:
        hub().lend(found, name, save(weights))
        found.lent = name
