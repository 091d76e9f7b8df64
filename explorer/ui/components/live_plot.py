"""A picture that stays on screen while its numbers change."""

import hashlib
import pickle
from typing import Any, Final

from explorer.languages import sentences, tr
from explorer.render.hover import hover
from explorer.render.svg import svg
from explorer.runtime.cache import ByteCache
from explorer.runtime.memory import MIB
from explorer.ui.components.component import as_json, component, theme_here
from explorer.ui.components.enlarged import enlarge, note_enlarged
from explorer.ui.controls.choices import choose_by_click
from explorer.ui.frame.registry import open_page
from explorer.ui.taking.noted import note
from explorer.views.picture import Picture

_component = component(
    "live_plot",
    '<figure class="live-plot"><div class="scroll" tabindex="0">'
    '<div class="plot" role="group"></div>'
    '<div class="cells" role="application" tabindex="0" hidden><div class="ring"></div></div></div>'
    '<p class="spoken" aria-live="polite"></p><figcaption></figcaption></figure>',
    together=True,
)
CAPTION: Final = 28  # pixels of one line
TOLD: Final = 21  # of what is said of a cell that is pointed at
WIDTH: Final = 700  # pixels, until the script knows how many there are
_drawn: Final = ByteCache[bytes](4 * MIB)  # a room or a class looks at the same pictures


def live_plot(picture: Picture, *, opens: str = "") -> None:
    """Draw a picture, or redraw it in place; a click on it makes the choices that it means.

    If the picture `opens` a page, the click leads there.
    """
    click, key = picture.click, picture.key

    def picked(point: Any) -> None:
        if click is not None:
            choose_by_click(click, point)
        if opens:
            open_page(opens)

    # Until the picture is there, its place is kept. (Its style then lets the height follow it.)
    height = picture.drawing.height
    room = height + TOLD + bool(_caption(picture)) * CAPTION
    acts = {"picked": picked, "enlarged": lambda _: enlarge(key)}
    _component(key=key, data=payload(picture), on=acts, height=room)
    note(lambda: picture)
    note_enlarged(picture)


def _caption(picture: Picture) -> str:
    return sentences(picture.caption, picture.click.hint if picture.click else "")


def _texts(*, pickable: bool) -> dict[str, str]:
    cells = tr("Cells of the picture. Use the arrow keys to move from cell to cell.")
    if pickable:
        cells = tr(
            "Cells of the picture. Use the arrow keys to move from cell to cell, and Enter to "
            "choose one."
        )
    return {
        "cells": cells,
        # Translators: spoken for an empty cell of a picture.
        "blank": tr("blank"),
        "enlarge": tr("Enlarge (E)"),
    }


def payload(picture: Picture) -> bytes:
    """The data of a picture for its script, kept for others who look at the same one."""
    drawing, theme = picture.drawing, theme_here()
    texts = {
        **drawing.in_app,
        "kind": drawing.kind,
        "key": picture.key,
        "fileName": picture.name,
        "title": picture.title,
        "alt": picture.alt,
        "caption": _caption(picture),
        "pickable": picture.click is not None,
        "texts_of_script": _texts(pickable=picture.click is not None),
    }
    name = hashlib.blake2b(pickle.dumps((drawing, theme.background, texts))).digest()
    found = _drawn.find(name)
    if found is None:
        shown = {
            "svg": svg(drawing, theme, max(WIDTH, drawing.min_width)),
            "hover": hover(drawing, theme),
        }
        found = as_json(shown | texts)
        _drawn.put(name, len(found), found)
    return found
