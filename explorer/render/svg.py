"""A drawing as SVG: sharp at any size, with words that a search finds.

Everything is placed by shares of the area inside of the axes. So a script that gives the picture
another width only changes the place and size of its parts (`area`, `rows`, `columns`, `notes`,
`around`): no text is stretched.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final
from xml.sax.saxutils import escape

from explorer.figures.drawing import Drawing
from explorer.figures.theme import Theme, coloured
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
    layout = drawing.layout
    needed = (beside.room_for_bar(trace, layout["separators"]) for trace in drawing.data)
    scene = Scene.of(drawing, theme, width, max(layout["margin"]["r"], *needed))
    shapes = layout.get("shapes") or []
    inside = [
        *(traces.shape(scene, shape) for shape in shapes if shape.get("layer") == "below"),
        *traces.grid(scene),
        *(part for trace in drawing.data for part in traces.draw_trace(scene, trace)),
        *(traces.shape(scene, shape) for shape in shapes if shape.get("layer") != "below"),
    ]
    place = {"x": scene.left, "y": scene.top, "width": scene.width, "height": scene.height}
    size = {"width": scene.width + 2 * AROUND, "height": scene.height + 2 * AROUND}
    area = {"x": AROUND, "y": AROUND, "width": scene.width, "height": scene.height}
    made = element(
        "svg",
        element("rect", width="100%", height="100%", fill=layout["paper_bgcolor"]),
        element(
            "svg",
            element("svg", *inside, **area, overflow="visible", **{"class": "area"}),
            x=scene.left - AROUND,
            y=scene.top - AROUND,
            **size,
            **{"class": "window"},
        ),
        *(
            element("svg", *content, **place, overflow="visible", **{"class": name})
            for name, content in _parts(scene, drawing).items()
        ),
        *_lines(below, layout["height"]),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=layout["height"] + (18 * len(below) + 14 if below else 0),
        font_family=layout["font"]["family"],
        font_size=layout["font"]["size"],
        fill=layout["font"]["color"],
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


def _parts(scene: Scene, drawing: Drawing) -> dict[str, Iterable[str]]:
    """The drawn parts on and around the area: the content of each, by its class."""
    notes = drawing.layout.get("annotations") or []
    on_paper = [note for note in notes if note.get("yref") == "paper"]
    elsewhere = [note for note in notes if note.get("yref") != "paper"]
    bars = [beside.color_bar(scene, trace) for trace in drawing.data if beside.has_bar(trace)]
    texts = (
        beside.bar_texts(scene, trace)
        for trace in drawing.data
        if trace["type"] == "bar" and trace.get("text")
    )
    return {
        "rows": beside.names(scene, "y"),
        "columns": [
            *beside.names(scene, "x"),
            element("g", *(beside.note(scene, note) for note in on_paper), **{"class": "above"}),
        ],
        "notes": [*(beside.note(scene, note) for note in elsewhere), *chain.from_iterable(texts)],
        "around": [*beside.titles(scene), *bars, beside.legend(scene)],
    }
