"""Pictures as one HTML page that needs neither a network nor a server."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from explorer.figures.drawing import Drawing
from explorer.figures.theme import Theme
from explorer.languages import spoken, tr
from explorer.paths import COMPONENTS
from explorer.render.hover import hover
from explorer.render.svg import svg

Shown = Mapping[str, Any]  # {svg, hover, caption, minWidth}, or {heads, caption}
PICTURES: Final = "__PICTURES__"  # in an empty page, where its pictures go, as JSON
_WIDTH: Final = 700  # pixels, until the script knows how many there are


def drawn(drawing: Drawing, alt: str, width: int | None = None) -> dict[str, Any]:
    """A drawing as a page takes it."""
    least = drawing.layout["meta"]["min_width"]
    made = svg(drawing, width or max(_WIDTH, least), alt=alt)
    return {"svg": made, "hover": hover(drawing), "minWidth": least}


def heads_drawn(data: bytes, focus: Mapping[str, Any], theme: Theme) -> dict[str, Any]:
    """The heads view as a page takes it."""
    colors = {"text": theme.text, "line": theme.line, "background": theme.background}
    return {"heads": {"bytes": b64encode(data).decode(), "focus": focus, **colors}}


def html_page(pictures: Sequence[Shown], theme: Theme) -> str:
    """The page that holds these pictures."""
    page = empty_page(heads=any("heads" in picture for picture in pictures))
    return page.replace(PICTURES, page_content(pictures, theme))


def page_content(pictures: Sequence[Shown], theme: Theme) -> str:
    """The pictures as JSON that may stand in a script."""
    content = {"pictures": pictures, "text": theme.text, "background": theme.background}
    return json.dumps(content).replace("<", "\\u003c")


def empty_page(*, heads: bool) -> str:
    """The page without its pictures; with what draws the heads view, if it is to have one."""
    parts = {
        "__LANGUAGE__": spoken(),
        "__STYLE__": _asset("heads.css") if heads else "",
        "__HEADS__": heads_script() if heads else "",
        "__PICTURE__": picture_script(),
        "__HINT__": hint(),
    }
    page = _asset("picture_page.html")
    return re.sub("__[A-Z]+__", lambda part: parts.get(part[0], part[0]), page)


def heads_script() -> str:
    """The script that draws the heads view outside of the app: one, without imports."""
    names = (
        "texts.js",
        "palette.js",
        "one_stop.js",
        "pointing.js",
        "heads_cells.js",
        "heads.js",
        "heads_alone.js",
    )
    whole = re.sub("(?m)^const .* await import.*$", "", "\n".join(map(_asset, names)))
    whole = whole.replace("export default function", "function drawHeads")
    return re.sub("(?m)^export ", "", whole)


def picture_script() -> str:
    """The script that shows a drawing as SVG, for a page of its own."""
    return _asset("picture.js").replace("export class", "class")


def hint() -> str:
    """How to look closer, for a page that cannot."""
    return tr("To zoom into a picture: “Enlarge” in the app, `.figures` in a notebook.")


def _asset(name: str) -> str:
    return Path(COMPONENTS, name).read_text(encoding="utf-8")
