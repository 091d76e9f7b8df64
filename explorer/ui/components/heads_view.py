"""A thumbnail of every head of every attention, and one layer as lines between its tokens."""

from typing import Any

from explorer.figures.theme import Theme
from explorer.ui.components.component import component
from explorer.ui.components.noted import note
from explorer.ui.controls.choices import choose_by_click
from explorer.views.heads import HeadsPicture, as_picture, heads_bytes

_component = component(
    "heads",
    '<div class="heads"><div class="model-view"></div>'
    '<p class="cell-in-words" aria-live="polite"></p><div class="head-view"><h3></h3>'
    '<span class="head-toggles" role="group"></span>'
    '<div class="scroll"><div class="columns"><div class="tokens queries"></div>'
    '<div><canvas class="lines" aria-hidden="true"></canvas></div>'
    '<div class="tokens keys"></div></div></div></div></div>',
    together=True,
)
_focus = component("heads_focus", '<span class="heads-focus" hidden></span>', together=True)


def heads_view(picture: HeadsPicture, theme: Theme) -> None:
    """Draw the heads; a click on a thumbnail puts its head into focus."""

    click = picture.click

    def picked(place: Any) -> None:
        choose_by_click(click, place)

    _focus(key="heads_focus", data=picture.focus)
    _component(key=picture.key, data=heads_bytes(picture, theme), on={"picked": picked})
    note(lambda: as_picture(picture))
