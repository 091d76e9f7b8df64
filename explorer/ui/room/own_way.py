"""Whether a follower goes their own way: from then on, they explore alone."""

from typing import Any, Final

from explorer.choices.parameters import AROUND, TEXT_KEYS, Frame
from explorer.ui.controls.choices import choices
from explorer.ui.room.place import explore, is_follower, this_member

# Whoever changes one of these, or turns the page, explores alone. Whoever only looks about on the
# page still follows. (Everybody reads in a language of their own.)
_OWN_WAY: Final = {*AROUND, *TEXT_KEYS} - {Frame.lang.key}


def remember_choices(page: str) -> None:
    """Keep the choices that the run begins with: what its person changes is taken next."""
    if (member := this_member()) is not None:
        member.before = page, _choices()


def notice_own_way(page: str) -> None:
    """Let a follower who types, or turns the page, explore alone from then on."""
    member = this_member()
    if member is None or member.before in (None, (page, _choices())) or not is_follower():
        return
    explore()


def _choices() -> dict[str, Any]:
    """The choices that are a way of one's own."""
    return {key: new for key, new in choices().items() if key in _OWN_WAY}
