"""A button that plays the steps of a page: the browser asks for one after the other."""

from collections.abc import Callable
from typing import Any, Final

from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.frame.session import memory, once

_AT_ONCE: Final = "plays_at_once"

_component = component("player", '<button type="button" class="player"></button>', prose=True)


def player(at: int, count: int, *, on_step: Callable[[int], None]) -> None:
    """Draw the button beside step `at` of `count`, from 1; at the end it begins with the first."""
    plays = once(_AT_ONCE)

    def take(step: Any) -> None:
        if 1 <= step <= count:
            on_step(int(step))

    data = {
        "at": at,
        "count": count,
        "plays": bool(plays),
        "play": tr("Play"),
        "pause": tr("Pause"),
    }
    _component(key="player", data=data, on={"step": take})


def play_at_once() -> None:
    """Let the next page with steps begin to play."""
    memory()[_AT_ONCE] = True
