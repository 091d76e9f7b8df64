"""A drawing as SVG: sharp at any size, with words that a search finds.

Everything is placed by shares of the area inside of the axes. So a script that gives the picture
another width only changes the place and size of its parts (`area`, `rows`, `columns`, `notes`,
`around`): no text is stretched.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final
from xml.sax.saxutils import escape

from explorer.drawing.drawing import Bars, Drawing, Frame
from explorer.drawing.theme import FONT, INK, Theme, coloured
from explorer.render import beside, traces
from explorer.render.markup import element
from explorer.render.scene import Scene

AROUND: Final = 2  # pixels by which a frame may stick out of the area


def svg(
    drawing: Drawing, theme: Theme, width: int, *, alt: str = "", below: Sequence[str] = ()
) -> str:
    """The drawing in so many pixels; `alt` says in words what it shows.

    Lines of text may stand below it, the first in bold.
    """
    room = drawing.room
    right = max(room.right, beside.room_for_bar(drawing))
    scene = Scene(drawing=drawing, theme=theme, width=width - room.left - right)
    behind = [mark for mark in drawing.marks if isinstance(mark, Frame) and mark.behind]
    inside = [
        *(traces.mark(scene, mark) for mark in behind),
        *traces.grid(scene),
        *(drawn for part in drawing.parts for drawn in traces.part(scene, part)),
        *(traces.mark(scene, mark) for mark in drawing.marks if mark not in behind),
    ]
    place = {"x": room.left, "y": room.top, "width": scene.width, "height": scene.height}
    size = {"width": scene.width + 2 * AROUND, "height": scene.height + 2 * AROUND}
    area = {"x": AROUND, "y": AROUND, "width": scene.width, "height": scene.height}
    made = element(
        "svg",
        element("rect", width="100%", height="100%", fill=INK.background),
        element(
            "svg",
            element("svg", *inside, **area, overflow="visible", **{"class": "area"}),
            x=room.left - AROUND,
            y=room.top - AROUND,
            **size,
            **{"class": "window"},
        ),
        *(
            element("svg", *content, **place, overflow="visible", **{"class": name})
            for name, content in _parts(scene).items()
        ),
        *_lines(below, drawing.height),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=drawing.height + (18 * len(below) + 14 if below else 0),
        font_family=FONT,
        font_size=beside.FONT_SIZE,
        fill=INK.text,
        role="img" if alt else None,
        aria_label=alt or None,
        aria_hidden=None if alt else "true",  # what stands around it says what it shows
    )
    return coloured(made, theme)


def _lines(lines: Sequence[str], top: float) -> Iterator[str]:
    """Lines of text, from so many pixels on."""
    for number, line in enumerate(lines):
        weight = None if number else "bold"
        yield element(
            "text", escape(line), x=8, y=top + 18 * number + 20, font_size=13, font_weight=weight
        )


def _parts(scene: Scene) -> dict[str, Iterable[str]]:
    """The drawn parts on and around the area: the content of each, by its class."""
    texts, parts = scene.drawing.texts, scene.drawing.parts
    above = (beside.note(scene, note) for note in texts if note.is_share)
    bars = (beside.bar_texts(scene, part) for part in parts if isinstance(part, Bars))
    return {
        "rows": beside.names(scene, "y"),
        "columns": [*beside.names(scene, "x"), element("g", *above, **{"class": "above"})],
        "notes": [
            *(beside.note(scene, note) for note in texts if not note.is_share),
            *chain.from_iterable(bars),
        ],
        "around": [*beside.titles(scene), beside.color_bar(scene), beside.legend(scene)],
    }
