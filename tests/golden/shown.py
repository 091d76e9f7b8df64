"""A page as lines of text: words, text alternatives, choices, tables, its address."""

import html
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.app.driving import AROUND, sent_to

_TAG: Final = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
_ICON: Final = re.compile(r":material/\w+:")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BADGE: Final = re.compile(r":\w+-(?:badge|background)\[([^\]]*)\]")
_MARKUP: Final = re.compile(r"\\(?=\W|_)|[*`]")
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/=_-]{60,}")  # a picture's numbers
# Fields that tell a component how to draw, and are not read.
_UNREAD: Final = {
    "spec",
    "minWidth",
    "fileName",
    "pickable",
    "texts_of_script",
    "css",
    "theme",
    "url",
    "colors",
    "drawing",
}
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{3,8}|rgba?\([^)]*\)")
_WIDGETS: Final = (
    "button",
    "button_group",
    "checkbox",
    "download_button",
    "multiselect",
    "number_input",
    "radio",
    "selectbox",
    "select_slider",
    "slider",
    "text_area",
    "text_input",
    "toggle",
)
_TEXTS: Final = (
    "caption",
    "code",
    "error",
    "header",
    "info",
    "latex",
    "markdown",
    "subheader",
    "success",
    "text",
    "title",
    "warning",
)


def shown(at: AppTest, *, frame: bool) -> list[str]:
    """The page in reading order, a line for each part; the address comes first.

    Without its `frame`, the sentences on top are left out: they are the same on every page, as are
    the ways to other pages and the model's settings.
    """
    left_out = ("-model_controls", *(() if frame else ("-sentences",)))
    query = urlencode(sorted(at.query_params.items()))
    return [f"address: {query}", *_lines(at.main, left_out)]


def _lines(block: Any, left_out: tuple[str, ...]) -> Iterator[str]:
    for element in block.children.values():
        kind = element.type
        if hasattr(element, "children"):
            if getattr(element.proto, "id", "").endswith(left_out):
                continue
            label = getattr(element, "label", "") or ""
            if kind in ("expander", "popover", "tab"):
                yield f"{kind}: {words(label)}"
            yield from _lines(element, left_out)
        elif kind == "bidi_component":
            yield from _component(element.proto)
        elif kind in _TEXTS:
            yield from (f"{kind}: {line}" for line in _plain(kind, element.value) if line)
        elif kind in _WIDGETS:
            yield _widget(element)
        elif kind == "html":
            if text := words(_TAG.sub(" ", element.proto.body)):
                yield f"html: {text}"
        else:
            yield kind


def words(text: str) -> str:
    """Markdown as it is read."""
    for pattern in (_LINK, _BADGE):
        text = pattern.sub(r"\1", text)
    return " ".join(html.unescape(_MARKUP.sub("", _ICON.sub("", text))).split())


def _plain(kind: str, text: str) -> list[str]:
    lines = text.splitlines()
    return lines if kind in ("code", "latex") else [words(line) for line in lines]


def _widget(element: Any) -> str:
    options = getattr(element, "options", None) or []
    of = f" of {' | '.join(map(words, map(str, options)))}" if 0 < len(options) <= 40 else ""
    value = getattr(element, "value", "")
    label = words(str(getattr(element, "label", "") or ""))
    off = " (off)" if getattr(element, "disabled", False) else ""
    return f"{element.type}: {label} = {value}{of}{off}".replace(" = False", "").strip()


def _component(proto: Any) -> Iterator[str]:
    key = proto.id.split("-", 2)[2]
    if key in AROUND and key != "toolbar":
        return
    sent = sent_to(proto)
    if key.startswith("line_"):
        yield f"line: {words(sent['label'])} = {sent['text']}".strip()
        return
    for name in ("title", "alt", "caption"):
        if sent.get(name):
            yield f"{key} {name}: {words(str(sent[name]))}"
    if "spec" in sent:
        return  # its numbers are for other tests
    rest = {k: v for k, v in sent.items() if k not in ("title", "alt", "caption", *_UNREAD)}
    read = " ".join(_read(rest))
    if read:
        yield f"{key}: {read}"


def _read(data: Any) -> Iterator[str]:
    """The words and numbers in a component's data, in their order."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in _UNREAD:
                yield from _read(value)
    elif isinstance(data, list | tuple):
        if len(data) > 40 and all(isinstance(value, int | float) for value in data):
            yield f"[{len(data)} numbers]"
        else:
            for value in data:
                yield from _read(value)
    elif isinstance(data, np.ndarray):
        yield f"[{'×'.join(map(str, data.shape))}]"
    elif isinstance(data, bool) or data is None:
        return
    elif isinstance(data, float):
        yield f"{data:.3g}"
    elif isinstance(data, int):
        yield str(data)
    elif data and not (_COLOUR.fullmatch(data) or _ENCODED.fullmatch(data)):
        yield words(_TAG.sub(" ", data))
