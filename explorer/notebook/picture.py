"""Pictures that a notebook shows by themselves, without a server."""

import json
import sys
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

from explorer.export.pictures import encoded, heads_script, html_page
from explorer.export.tables import picture_rows, to_csv
from explorer.figures.drawing import Drawing, packed
from explorer.figures.theme import DARK, LIGHT, PRINT, Theme
from explorer.languages import tr
from explorer.places import COMPONENTS

ThemeName = Literal["light", "dark", "print"]
THEMES: Final[dict[str, Theme]] = {"light": LIGHT, "dark": DARK, "print": PRINT}
_holds_plotly: set[str] = set()  # the cells whose output holds plotly.js, in this kernel


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture of plotly's with its words."""

    drawing: Drawing
    alt: str
    caption: str = ""

    def shown(self, about: str) -> dict[str, Any]:
        """As the page of `html_page` takes it."""
        return {
            "spec": json.loads(json.dumps(self.drawing.spec, default=packed)),
            "alt": self.alt,
            "caption": "\n".join(filter(None, (self.caption or self.alt, about))),
            "minWidth": self.drawing.layout["meta"]["min_width"],
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

    @property
    def _needs_plotly(self) -> bool:
        return any(isinstance(plot, Plot) for plot in self.plots)

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
            plotly_js=_plotly_js() if self._needs_plotly else "",
        )

    def save(self, path: str | Path) -> None:
        """Write a page (.html), or the numbers of the pictures as a table (.csv).

        Raises:
            ValueError: for another ending, or for a table of the heads view, which has none.
        """
        ending = Path(path).suffix.lower()
        if ending in (".html", ".htm"):
            Path(path).write_text(self.html(), encoding="utf-8")
        elif ending == ".csv":
            Path(path).write_bytes(to_csv(self._rows()))
        else:
            raise ValueError(
                f"the file must end in .html or .csv, got {str(path)!r}; for PNG, SVG or PDF, "
                "save one of `figures` with its write_image, or use *Take it with you* in the app"
            )

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
        """The pictures as the output of a cell.

        plotly.js is in the output of the first cell that draws. If that cell runs again, it gets it
        again; after a restart of the kernel, the first cell that then draws does.
        """
        shown = [plot.shown(self.about) for plot in self.plots]
        cell = _cell()
        first = self._needs_plotly and (not _holds_plotly or cell in _holds_plotly)
        if first:
            _holds_plotly.add(cell)
        content = json.dumps(
            {
                "pictures": shown,
                "text": self.theme.text,
                "background": self.theme.background,
                "texts": {
                    "missing": tr(
                        "plotly.js is missing: restart the kernel and run this cell again."
                    )
                },
            }
        )
        parts = [
            f"<script>{_plotly_js()}</script>" if first else "",
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
    return script.replace("__HEADS__", heads_script())


def _style() -> str:
    return (COMPONENTS / "heads.css").read_text(encoding="utf-8")


def _plotly_js() -> str:
    library = resources.files("plotly") / "package_data" / "plotly.min.js"
    return library.read_text(encoding="utf-8")


def _shell() -> Any:
    """The notebook's IPython; None outside of one."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


def _cell() -> str:
    """The notebook's name for the cell that runs; where it has none, the cell's code."""
    shell = _shell()
    parent = getattr(shell, "parent_header", None) or {}
    named = (parent.get("metadata") or {}).get("cellId")
    return str(named or (shell and shell.user_ns.get("In", [""])[-1]))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
