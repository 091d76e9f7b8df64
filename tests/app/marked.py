"""A language whose texts are marked: what is not marked never passed a catalogue."""

import re
from collections.abc import Iterator, Sequence
from gettext import NullTranslations
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from explorer import languages
from explorer.choices.pages import PAGES
from tests.app.driving import unpacked

# Fields of Streamlit's elements and plotly's figures that nobody reads.
UNREAD = {
    *("id", "icon", "url", "form_id", "key", "css", "html", "js", "component_name", "file_id"),
    *("element_id", "mime_type", "url_pathname", "color", "language", "page_script_hash", "lang"),
    *("drawing", "file_name", "fileName", "file", "colorscale", "type", "font", "mode"),
    *("anchor", "xref", "yref", "xanchor", "yanchor", "align", "side", "hovermode", "template"),
    *("bgcolor", "paper_bgcolor", "plot_bgcolor", "uirevision", "fillcolor", "dash", "symbol"),
    *("shape", "hues", "cells", "lines", "scale", "masked", "signed", "deferred_file_id"),
    *("forms", "fill"),
    *("textposition", "barmode", "hoverinfo", "search", "locale", "layer", "family"),
    *("scaleanchor", "kind", "page", "pages", "anchors", "code", "direction", "languages"),
    *("ticklabeloverflow", "pair"),
}
# The same in every language.
NAMES = re.compile(
    r"https?://\S+|`[^`]*`|\$\$[^$]*\$\$|\$[^$]*\$|:\w+-badge|:\w+\[|#[0-9A-F]{6}|\]\([^)]*\)"
    r"|:material/\w+:|%?\{[^{}]*\}|<[^>]*>|&\w+;|\\\w+|\b(?:[A-Z]{1,2}|[a-z]|BOS|EOS|PAD|UNK|d_model"
    r"|d_ff|d_k|d_v|torch(?:\.nn)?(?:\.\w+)*|softmax|src|tgt|tgt_in|tgt_out|memory|ReLU|GELU|SiLU"
    r"|RMSNorm|LayerNorm|CSV|NPZ|PNG|SVG|HTML|Python|logits|CPU|cpu|sin|cos|log|K7QM-2XPD|de)\b"
)


class Marked(NullTranslations):
    """A language whose texts are English, in brackets."""

    def gettext(self, message: str) -> str:
        # Values stay outside: they need marks of their own.
        return re.sub(r"(\{\w*[^}]*\})|([^{}|]+)", lambda part: part[1] or f"⟦{part[2]}⟧", message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def speak_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all texts in it."""
    catalogue = languages._Catalogue(Marked(), languages._Fill(",."))
    monkeypatch.setattr(languages, "_catalogue", {"de": catalogue}.__getitem__)


def read_by_people(data: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in what was sent to the browser, each with where it stands."""
    if isinstance(data, str):
        yield name, data
    elif isinstance(data, Message):
        for field, value in data.ListFields():
            if field.name not in UNREAD:
                yield from read_by_people(value, f"{name}.{field.name}")
    elif isinstance(data, dict):
        for key, value in data.items():
            unread = key in UNREAD and not name.endswith(".texts")
            # The name of a trace is for scripts.
            unread |= f"{name}.{key}".endswith((".maps.name", ".points.name"))
            unread |= key == "session" or (key, value) == ("points", "page")
            unread |= name.startswith("line_") and key in ("text", "sentences")
            if not unread:
                yield from read_by_people(value, f"{name}.{key}")
    elif isinstance(data, Sequence) and not isinstance(data, bytes):
        # The head has the names of pages, for their addresses, before their titles.
        of_head = name.startswith("page_head")
        for value in (one for one in data if not (of_head and one in [*PAGES])):
            yield from read_by_people(value, name)


def elements(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from elements(child)


def unmarked(at: AppTest) -> set[tuple[str, str]]:
    """The texts with letters that are not in brackets."""
    read: list[tuple[str, str]] = []
    for element in elements(at.main):
        proto = getattr(element, "proto", None)
        if proto is not None and type(proto).__name__ != "BidiComponent":
            read += read_by_people(proto, type(proto).__name__)
    for element in at.get("bidi_component"):
        sent = element.proto
        data = unpacked(sent.bytes if sent.WhichOneof("data") == "bytes" else sent.json)
        read += read_by_people(data, sent.id.split("-", 2)[2])
    found = set()
    for where, text in read:
        while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
            text = shorter
        if re.search(r"[^\W\d_]{2,}", NAMES.sub("", text)):
            found.add((where, text))
    return found
