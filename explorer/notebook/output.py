"""Pictures that a notebook shows by themselves, without a server."""

import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from explorer.export.pictures import (
    drawn,
    heads_drawn,
    heads_script,
    hint,
    html_page,
    page_content,
    picture_script,
)
from explorer.export.tables import Rows, to_csv
from explorer.figures.theme import LIGHT, Theme
from explorer.paths import COMPONENTS
from explorer.views.heads import HeadsPicture, heads_bytes
from explorer.views.picture import Picture


@dataclass(frozen=True, slots=True, repr=False)
class Output:
    """One or several pictures; a notebook shows them, elsewhere `show` opens a browser."""

    pictures: Sequence[Picture | HeadsPicture]
    about: str = ""  # sentence and weights
    theme: Theme = field(default=LIGHT)

    def __getitem__(self, number: int) -> "Output":
        """One of the pictures, from 0."""
        return replace(self, pictures=[self.pictures[number]])

    @property
    def figures(self) -> list[Any]:
        """New figures of plotly's, to zoom into, to change or to save.

        What is changed in them does not change this picture.
        """
        from explorer.figures.plotly import figure  # loaded when it is needed

        return [figure(one.drawing) for one in self.pictures if isinstance(one, Picture)]

    def __repr__(self) -> str:
        return "\n".join(filter(None, (*(one.in_a_line for one in self.pictures), self.about)))

    def html(self) -> str:
        """The pictures as one page that needs no network."""
        return html_page(self._shown(), self.theme)

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
                f"the file must end in .html, .svg or .csv, got {str(path)!r}; for PNG, use "
                "*Take it with you* in the app, or the camera over one of `figures`"
            )

    def _drawing(self) -> str:
        if len(self.pictures) != 1:
            raise ValueError(
                f"an SVG holds one picture, got {len(self.pictures)}: choose one, as in "
                "picture[0].save(…)"
            )
        (picture,) = self.pictures
        if not isinstance(picture, Picture):
            raise ValueError("the heads view is no SVG: save it as .html")
        return str(drawn(picture.drawing, picture.alt)["svg"])

    def _rows(self) -> Rows:
        rows: Rows = []
        for picture in self.pictures:
            rows += [[], *picture.rows] if rows else picture.rows
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
        """The output of a notebook's cell: live pictures, or words where it runs no scripts."""
        return {"text/plain": repr(self), "text/html": self._output()}

    def _shown(self) -> list[dict[str, Any]]:
        """The pictures as `html_page` takes them."""
        return [
            {
                **(
                    drawn(one.drawing, one.alt)
                    if isinstance(one, Picture)
                    else heads_drawn(heads_bytes(one, LIGHT), one.focus, LIGHT)
                ),
                "caption": "\n".join(filter(None, (one.in_a_line, self.about))),
            }
            for one in self.pictures
        ]

    def _output(self) -> str:
        """The pictures as the output of a cell."""
        content = page_content(self._shown(), self.theme)
        parts = [
            '<div class="transformer-explorer">',
            "".join(f"<p>{_escaped(line)}</p>" for line in repr(self).splitlines()),
            f'<small style="opacity: 0.75">{_escaped(hint())}</small>',
            f'<script type="application/json">{content}</script>',
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
