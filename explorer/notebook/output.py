"""Pictures that a notebook shows by themselves, without a server."""

import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from explorer.drawing.theme import LIGHT, Theme
from explorer.export.pictures import Shown, drawn, html, html_page
from explorer.export.tables import Rows, to_csv
from explorer.views.picture import Picture


@dataclass(frozen=True, slots=True, repr=False)
class Output:
    """One or several pictures; a notebook shows them, elsewhere `show` opens a browser."""

    pictures: Sequence[Picture]
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
        from explorer.drawing.plotly import figure  # loaded when it is needed

        return [figure(one.drawing, self.theme) for one in self.pictures]

    def __repr__(self) -> str:
        return "\n".join(filter(None, (*(one.in_a_line for one in self.pictures), self.about)))

    def html(self) -> str:
        """The pictures as one page that needs no network."""
        return html_page(self._shown(), self.theme)

    def save(self, path: str | Path) -> None:
        """Write a page (.html), one picture as a drawing (.svg), or all numbers as a table (.csv).

        Raises:
            ValueError: for another ending, or for several pictures in one drawing.
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
        return str(drawn(picture.drawing, self.theme, picture.alt)["svg"])

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
        words = repr(self)
        return {
            "text/plain": words,
            "text/html": html(self._shown(), self.theme, words.splitlines()),
        }

    def _shown(self) -> list[Shown]:
        """The pictures as a page takes them."""
        captions = ("\n".join(filter(None, (one.in_a_line, self.about))) for one in self.pictures)
        return [
            drawn(one.drawing, self.theme, one.alt, caption)
            for one, caption in zip(self.pictures, captions, strict=True)
        ]


def _shell() -> Any:
    """The notebook's IPython; None outside of one."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()
