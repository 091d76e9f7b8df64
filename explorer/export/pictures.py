"""Pictures as files: SVG with words below it, and HTML that needs no network."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from explorer.drawing.drawing import Drawing
from explorer.drawing.labels import letters
from explorer.drawing.theme import Theme
from explorer.languages import spoken, tr
from explorer.paths import COMPONENTS
from explorer.render.hover import hover
from explorer.render.svg import svg

Shown = Mapping[str, Any]  # {svg, hover, minWidth, caption}
WIDTH: Final = 700  # pixels of a file, if the picture needs no more
_BROAD: Final = 1.2  # the letters of a system's own font, such as Arial, by those of the app
_LETTER: Final = 0.57  # the mean width of a letter, as a share of its height
_SIZE: Final = 13  # of the words below a picture
# Parts that are never broken: a word, or a Chinese character with the signs behind it.
_PARTS: Final = re.compile(r" +|[\u2e80-\u9fff][\u3000-\u303f\uff01-\uff60”]*|[^ \u2e80-\u9fff]+")


def drawn(drawing: Drawing, theme: Theme, alt: str, caption: str = "") -> dict[str, Any]:
    """A drawing as a page takes it."""
    told, least = hover(drawing, theme), round(_BROAD * drawing.min_width)
    made = svg(drawing, theme, max(WIDTH, least), alt=alt)
    return {"svg": made, "hover": told, "minWidth": least, "caption": caption}


def captioned(drawing: Drawing, theme: Theme, alt: str, caption: str) -> str:
    """A drawing as SVG with lines of text below it."""
    width = max(WIDTH, round(_BROAD * drawing.min_width))
    return svg(drawing, theme, width, alt=alt, below=wrapped(caption, width - 16))


def wrapped(text: str, width: float) -> list[str]:
    """The text in lines of at most so many pixels."""
    most = max(20, int(width / (_SIZE * _LETTER)))
    lines = []
    for line in text.split("\n"):
        lines.append("")
        for part in _PARTS.findall(line):
            if lines[-1].strip() and part.strip() and letters(lines[-1]) + letters(part) > most:
                lines.append("")
            lines[-1] += part
    return [line.rstrip() for line in lines]


def beginning(text: str, most: int = 220) -> str:
    """The first sentences of a description, as many as fit into a caption."""
    if len(text) <= most:
        return text
    end = max(text.rfind(". ", 0, most + 2), text.rfind("。", 0, most + 1))
    return text[: end + 1] if end > 40 else f"{text[:most]}…"


def html_page(pictures: Sequence[Shown], theme: Theme) -> str:
    """The page that holds these pictures."""
    page = (COMPONENTS / "picture_page.html").read_text(encoding="utf-8")
    return page.replace("__LANGUAGE__", spoken()).replace("__PICTURES__", html(pictures, theme))


def html(pictures: Sequence[Shown], theme: Theme, words: Sequence[str] = ()) -> str:
    """These pictures as a part of a page; where no scripts run, `words` stand there instead."""
    content = {"pictures": pictures, "text": theme.text, "background": theme.background}
    zoom = tr("To zoom into a picture: “Enlarge” in the app, `.figures` in a notebook.")
    return "".join(
        [
            '<div class="transformer-explorer">',
            *(f"<p>{escape(line)}</p>" for line in words),
            f'<small style="opacity: 0.75">{escape(zoom)}</small>',
            '<script type="application/json">',
            json.dumps(content).replace("<", "\\u003c"),
            f"</script><script>{_script()}</script></div>",
        ]
    )


def _script() -> str:
    """Draws the pictures of the part that it is in."""
    picture, output = (
        Path(COMPONENTS, name).read_text(encoding="utf-8")
        for name in ("picture.js", "notebook_output.js")
    )
    return output.replace("__PICTURE__", picture.replace("export class", "class"))
