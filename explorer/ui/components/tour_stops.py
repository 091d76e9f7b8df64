"""The stops of the tour as cards, each with a small drawing."""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from explorer.ui.components.component import component

_component = component("tour_stops", '<ol class="tour-stops"></ol>', prose=True)


class Stop(TypedDict):
    """The contents of a card; `drawing` is our own SVG, the others are texts."""

    drawing: str
    question: str
    page: str
    answer: str


def tour_stops(stops: Sequence[Stop], *, on_pick: Callable[[int], None]) -> None:
    """Draw the cards; `on_pick` is called with a stop, counted from 1, before the next run."""

    def picked(number: Any) -> None:
        if 0 <= number < len(stops):
            on_pick(int(number) + 1)

    _component(key="tour_stops", data={"stops": list(stops)}, on={"picked": picked})
