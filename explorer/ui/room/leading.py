"""Bring the room to the teacher's page, with the weights that the teacher trained.

The weights are in the memory of the teacher's process; a follower may be served by another one.
"""

from collections.abc import Mapping
from contextlib import suppress

from explorer.choices.parameters import HERE, Frame
from explorer.choices.sources import SHAPE
from explorer.rooms.hub import hub
from explorer.rooms.member import Member
from explorer.rooms.room import Activity, Room, RoomError, StoreGoneError
from explorer.rooms.store import MAX_LENT
from explorer.ui.room.place import CODE, KEY, leads, room_on_show, set_message, this_member
from explorer.weights import trained_here
from explorer.weights.checkpoints import save


def tell_room(page: str, params: dict[str, str]) -> None:
    """If the room follows this window, report the screen to the room."""
    member, room = this_member(), room_on_show()
    if member is None or room is None or room.closed or room.paused or not leads(member, room):
        return
    address = {key: text for key, text in params.items() if key not in (CODE, KEY, Frame.lang.key)}
    name = _weights_in(address)
    # A window that only redraws, such as the teacher's second one, changes nothing.
    shown = page, address, name
    if not hub().has_to_lend(member, name) and (
        _shown_by(room) == shown or member.reported_page == shown
    ):
        member.reported_page = shown
        return

    def move(now: Room) -> Room | None:
        if now.leader != member.seat or now.paused or _shown_by(now) == shown:
            return None
        return now.next(page=page, params=address, lent=name, activity=_still_asked(now, address))

    try:
        with suppress(StoreGoneError):  # followers follow all the same, without the weights
            _lend(member, name)
        hub().change(member, move)
        member.reported_page = shown
    except RoomError as error:
        if not isinstance(error, StoreGoneError):  # that is shown as long as it lasts
            set_message(str(error))


def _still_asked(room: Room, address: Mapping[str, str]) -> Activity | None:
    """The question on show, unless it was answered and is of another model than this address."""
    activity = room.activity
    model = (Frame.weights, Frame.run, Frame.model, Frame.seed, *SHAPE)
    is_same = all(room.params.get(one.key) == address.get(one.key) for one in model)
    return activity if activity is None or not activity.revealed or is_same else None


def _shown_by(room: Room) -> tuple[str, Mapping[str, str], str]:
    return room.page, room.params, room.lent


def _weights_in(address: Mapping[str, str]) -> str:
    """The trained weights that an address names, and their steps; "" if there are none to lend."""
    token = address.get(Frame.run.key, "") if address.get(Frame.weights.key) == HERE else ""
    found = trained_here.find(token)
    if found is None or 4 * found.model.config.n_weights > MAX_LENT:
        return ""
    return f"{token} {found.steps}"


def _lend(member: Member, name: str) -> None:
    weights = trained_here.find(name.partition(" ")[0])
    if weights is not None and hub().has_to_lend(member, name):
        hub().lend(member, name, save(weights))
