"""The files of a page's pictures and tables, made when somebody takes them."""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from explorer.drawing.theme import Theme
from explorer.export.pictures import beginning, captioned, drawn, html_page
from explorer.export.tables import DecimalSign, to_csv
from explorer.languages import speaking, spoken
from explorer.ui.taking.noted import Noted
from explorer.views.picture import Picture

KINDS: Final = {"svg": "image/svg+xml", "html": "text/html", "csv": "text/csv"}
Make = Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The pictures and tables of a page, and how their files are to look."""

    found: Mapping[str, Noted]
    page: str  # in words
    about: Sequence[str]  # lines about the sentence and the weights
    choices: Sequence[str]  # what the page shows, in words
    colours: Theme
    decimal: DecimalSign

    def name_of(self, key: str) -> str:
        """The name of a file, without its ending; of two that are called alike, with the key."""
        name = self.found[key].name
        same = sum(one.name == name for one in self.found.values()) > 1
        return f"{name}-{key}" if same else name

    def make(self, key: str, kind: str) -> Make:
        """How to make one file: "svg", "html" or "csv"."""
        return _in_language(lambda: self._content(key, kind))

    def make_all(self) -> Make:
        """How to make all of them, in a zip."""
        return _in_language(self._zip)

    def _content(self, key: str, kind: str) -> bytes:
        one = self.found[key]
        if kind == "csv":
            return to_csv(one.rows(), self.decimal)
        assert one.picture is not None
        if kind == "html":
            return html_page([self._shown(one.picture)], self.colours).encode()
        picture, caption = one.picture, self._caption(one.picture)
        return captioned(picture.drawing, self.colours, picture.alt, caption).encode()

    def _shown(self, picture: Picture) -> dict[str, object]:
        return drawn(picture.drawing, self.colours, picture.alt, self._caption(picture))

    def _caption(self, picture: Picture) -> str:
        """The content of the picture: its name, the page's choices, the sentence, the weights."""
        said = picture.caption or beginning(picture.alt)
        chosen = ", ".join(words for words in self.choices if words not in said)
        lines = [f"{self.page}: {picture.title}", said, chosen, *self.about]
        return "\n".join(filter(None, lines))

    def _zip(self) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for key, one in self.found.items():
                for kind in KINDS if one.picture is not None else ("csv",):
                    archive.writestr(f"{self.name_of(key)}.{kind}", self._content(key, kind))
        return file.getvalue()


def _in_language(make: Make) -> Make:
    """The same, for a thread that knows no reader."""
    language = spoken()

    def making() -> bytes:
        with speaking(language):
            return make()

    return making
