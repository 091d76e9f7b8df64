"""A map of every head of every attention, and one layer as lines between its tokens."""

from typing import Any

from explorer.choices.parameters import Look
from explorer.ui.components.component import component, theme_here
from explorer.ui.controls.choices import choose, choose_by_click
from explorer.ui.taking.noted import note
from explorer.views.heads import HeadsPicture, as_picture, heads_bytes, lines_bytes

_map = component(
    "heads",
    '<div class="heads"><div class="kinds" role="group"></div><div class="model-view"></div>'
    '<p class="cell-in-words" aria-live="polite"></p></div>',
    together=True,
)
_focus = component("heads_focus", '<span class="heads-focus" hidden></span>', together=True)
_lines = component(
    "head_lines",
    '<div class="heads"><div class="head-view"><h3></h3>'
    '<span class="head-toggles" role="group"></span>'
    '<div class="scroll"><div class="columns"><div class="tokens queries"></div>'
    '<div><canvas class="lines" aria-hidden="true"></canvas></div>'
    '<div class="tokens keys"></div></div></div></div></div>',
    together=True,
)


def heads_map(picture: HeadsPicture) -> None:
    """Draw the map; a click on a square puts its head into focus."""
    click = picture.click

    def picked(place: Any) -> None:
        if "layer" in place:
            choose_by_click(click, place)
        else:  # an attention, which shows its most telling head
            choose(Look.layer, None)
            choose(Look.head, None)
            choose(Look.attention, Look.attention.within({}).read(place["kind"]))

    _map(key=picture.key, data=heads_bytes(picture, theme_here()), on={"picked": picked})
    _focus(key="heads_focus", data=picture.focus)
    note(lambda: as_picture(picture))


def head_lines(picture: HeadsPicture) -> None:
    """Draw the layer in focus as lines."""
    _lines(key="head_lines", data=lines_bytes(picture, theme_here()))
