"""Pictures that a notebook shows by themselves, without a server."""

import json
import sys
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from explorer.export.pictures import encoded, heads_script, html_page, picture_script
from explorer.export.tables import picture_rows, to_csv
from explorer.figures.drawing import Drawing
from explorer.figures.theme import DARK, LIGHT, PRINT, Theme
from explorer.places import COMPONENTS
from explorer.render.hover import hover
from explorer.render.svg import svg

ThemeName = Literal["light", "dark", "print"]
THEMES: Final[dict[str, Theme]] = {"light": LIGHT, "dark": DARK, "print": PRINT}
_WIDTH: Final = 700  # pixels, until the script knows how many there are


@dataclass(frozen=True, slots=True)
class Plot:
    """One drawing with its words."""

    drawing: Drawing
    alt: str
    caption: str = ""

    def shown(self, about: str) -> dict[str, Any]:
        """As the page of `html_page` takes it."""
        least = self.drawing.layout["meta"]["min_width"]
        return {
            "svg": svg(self.drawing, max(_WIDTH, least), alt=self.alt),
            "hover": hover(self.drawing),
            "caption": "\n".join(filter(None, (self.caption or self.alt, about))),
            "minWidth": least,
        }


@dataclass(frozen=True, slots=True)
class HeadsPlot:
    """The heads view: what its script takes, and the head in focus."""

    data: bytes
    focus: Mapping[str, Any]
    alt: str

    def shown(self, about: str) -> dict[str, Any]:
        """As the page of `html_page` takes it."""
        heads = {
            "bytes": encoded(self.data),
            "focus": dict(self.focus),
            "text": LIGHT.text,
            "line": LIGHT.line,
            "background": LIGHT.background,
        }
        return {"heads": heads, "caption": "\n".join(filter(None, (self.alt, about)))}


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """One or several pictures; a notebook shows them, elsewhere `show` opens a browser."""

    plots: Sequence[Plot | HeadsPlot]
    about: str = ""  # sentence and weights
    theme: Theme = field(default=LIGHT)

    def __getitem__(self, number: int) -> "Picture":
        """One of the pictures, from 0."""
        return replace(self, plots=[self.plots[number]])

    @property
    def figures(self) -> list[Any]:
        """New figures of plotly's, to change, to show or to save.

        What is changed in them does not change this picture.
        """
        return [plot.drawing.figure() for plot in self.plots if isinstance(plot, Plot)]

    def __repr__(self) -> str:
        said = [
            plot.alt if isinstance(plot, HeadsPlot) else plot.caption or plot.alt
            for plot in self.plots
        ]
        return "\n".join(filter(None, (*said, self.about)))

    def html(self) -> str:
        """The pictures as one page that needs no network."""
        return html_page(
            [plot.shown(self.about) for plot in self.plots],
            text=self.theme.text,
            background=self.theme.background,
        )

    def save(self, path: str | Path) -> None:
        """Write a page (.html), one picture as a drawing (.svg), or all numbers as a table (.csv).

        Raises:
            ValueError: for another ending, for several pictures in one drawing, or for the heads
                view, which has neither.
        """
        ending = Path(path).suffix.lower()
        if ending in (".html", ".htm"):
            Path(path).write_text(self.html(), encoding="utf-8")
        elif ending == ".csv":
            Path(path).write_bytes(to_csv(self._rows()))
        elif ending == ".svg":
            Path(path).write_text(self._drawing(), encoding="utf-8")
        else:
            raise ValueError(
                f"the file must end in .html, .svg or .csv, got {str(path)!r}; for PNG or PDF, "
                "save one of `figures` with its write_image, or use *Take it with you* in the app"
            )

    def _drawing(self) -> str:
        plots = self.plots
        if len(plots) != 1:
            raise ValueError(
                f"an SVG holds one picture, got {len(plots)}: choose one, as in picture[0].save(…)"
            )
        (plot,) = plots
        if not isinstance(plot, Plot):
            raise ValueError("the heads view is no SVG: save it as .html")
        least = plot.drawing.layout["meta"]["min_width"]
        return svg(plot.drawing, max(_WIDTH, least), alt=plot.alt)

    def _rows(self) -> list[list[object]]:
        rows: list[list[object]] = []
        for plot in self.plots:
            if not isinstance(plot, Plot):
                raise ValueError(
                    "a table must be of pictures with numbers, got the heads view; "
                    "save it as .html, or `attention(...)` of one layer as .csv"
                )
            rows += (
                [[], *picture_rows(plot.drawing.spec)] if rows else picture_rows(plot.drawing.spec)
            )
        return rows

    def show(self) -> None:
        """Show it: in a notebook as an output, elsewhere in the browser."""
        if _shell() is not None:
            sys.modules["IPython"].display.display(self)
            return
        with tempfile.NamedTemporaryFile(
            "w", suffix=".html", delete=False, encoding="utf-8"
        ) as file:
            file.write(self.html())
        webbrowser.open(Path(file.name).as_uri())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows: live pictures, or words where it runs no scripts."""
        return {"text/plain": repr(self), "text/html": self._output()}

    def _output(self) -> str:
        """The pictures as the output of a cell."""
        shown = [plot.shown(self.about) for plot in self.plots]
        colors = {"text": self.theme.text, "background": self.theme.background}
        content = json.dumps({"pictures": shown, **colors})
        parts = [
            '<div class="transformer-explorer">',
            "".join(f"<p>{_escaped(line)}</p>" for line in repr(self).splitlines()),
            f'<script type="application/json">{content.replace("<", chr(92) + "u003c")}</script>',
            f"<style>{_style()}</style>",
            f"<script>{_script()}</script></div>",
        ]
        return "".join(parts)


def _script() -> str:
    """Draws the pictures of the output that it is in."""
    script = (COMPONENTS / "notebook_output.js").read_text(encoding="utf-8")
    return script.replace("__HEADS__", heads_script()).replace("__PICTURE__", picture_script())


def _style() -> str:
    return (COMPONENTS / "heads.css").read_text(encoding="utf-8")


def _shell() -> Any:
    """The notebook's IPython; None outside of one."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
