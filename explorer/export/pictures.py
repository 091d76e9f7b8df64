"""Pictures as one HTML page that needs neither a network nor a server."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from explorer.languages import spoken
from explorer.places import COMPONENTS

Shown = Mapping[str, Any]  # {svg, hover, caption, minWidth}, or {heads, caption}


def html_page(pictures: Sequence[Shown], *, text: str, background: str) -> str:
    """The page that holds these pictures.

    The app makes such a page in the browser (take_pictures.js).
    """
    content = {"pictures": pictures, "text": text, "background": background}
    heads = any("heads" in picture for picture in pictures)
    parts = {
        "__LANGUAGE__": spoken(),
        "__STYLE__": _asset("heads.css") if heads else "",
        "__HEADS__": heads_script() if heads else "",
        "__PICTURE__": picture_script(),
        "__PICTURES__": json.dumps(content).replace("<", "\\u003c"),
    }
    return re.sub("__[A-Z]+__", lambda part: parts[part[0]], _asset("picture_page.html"))


def heads_script() -> str:
    """The script that draws the heads view outside of the app: one, without imports."""
    names = ("texts.js", "heads_cells.js", "heads.js", "heads_alone.js")
    whole = re.sub("(?m)^const .* await import.*$", "", "\n".join(map(_asset, names)))
    whole = whole.replace("export default function", "function drawHeads")
    return re.sub("(?m)^export ", "", whole)


def picture_script() -> str:
    """The script that shows a drawing as SVG, for a page of its own."""
    return _asset("picture.js").replace("export class", "class")


def encoded(data: bytes) -> str:
    """Bytes as text for a script."""
    return b64encode(data).decode()


def _asset(name: str) -> str:
    return Path(COMPONENTS, name).read_text(encoding="utf-8")
