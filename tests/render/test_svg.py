"""Drawings as SVG: all that is in them is written, and nothing that somebody typed is markup."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from explorer.drawing.drawing import Axis, Cells, Curve, Drawing, Line, Room, Scale
from explorer.drawing.grid import HIDDEN, Grid, Side
from explorer.drawing.theme import DARK, LIGHT, Theme
from explorer.figures import decoding, positional
from explorer.render.svg import svg
from explorer.render.text import lines_of, width_of
from tests.faults.nasty import MARKUP
from tests.render.drawings import drawings

WORDS = ["the", "cat", "PAD", "cat"]
SVG = "{http://www.w3.org/2000/svg}"
KNOWN = {"svg", "g", "rect", "image", "path", "line", "circle", "text", "tspan", "pattern"}
DRAWN = list(drawings(WORDS))
EACH = pytest.mark.parametrize(
    "drawing", [one for _, one in DRAWN], ids=[name for name, _ in DRAWN]
)


def read(drawing: Drawing, width: int = 700) -> ElementTree.Element:
    return ElementTree.fromstring(svg(drawing, LIGHT, width, alt="in words"))


def written(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def plain(label: str) -> str:
    return "".join(run.text for line in lines_of(label) for run in line)


@EACH
def test_everything_is_written(drawing: Drawing) -> None:
    found = written(read(drawing))
    for axis in drawing.axes:
        if axis.shown:
            assert set(map(plain, axis.names or ())) <= set(found)
        assert plain(axis.title) in [*found, ""]
    for note in drawing.texts:
        assert plain(note.text) in [*found, ""]
    for part in drawing.parts:
        if isinstance(part, Cells):
            texts = [text for row in part.texts or () for text in row]
        else:
            texts = list(part.labels if isinstance(part, Curve) else part.texts)
        assert {*map(plain, texts)} - {""} <= set(found)


@EACH
def test_size_and_words_of_the_picture(drawing: Drawing) -> None:
    root = read(drawing, 640)
    assert (root.get("width"), root.get("height")) == ("640", str(drawing.height))
    assert root.get("aria-label") == "in words"
    images = [image for image in root.iter(f"{SVG}image") if image.get("style")]
    shapes = [part.values.shape[::-1] for part in drawing.cells]
    assert [(int(i.get("width", 0)), int(i.get("height", 0))) for i in images] == shapes


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_typed_text_is_no_markup(theme: Theme) -> None:
    typed = [word.replace("%{", "") for word in MARKUP]
    for first in range(0, len(typed) - 4, 4):
        words = typed[first : first + 4]
        for _, drawing in drawings(words):
            text = svg(drawing, theme, 700, alt=words[0])
            root = ElementTree.fromstring(text)
            assert {element.tag.removeprefix(SVG) for element in root.iter()} <= KNOWN
            assert not re.search(r"<[^>]* on\w+=", text)
            assert not re.search(r'href="(?!data:image/png;base64,)', text)


def test_numbers_stand_on_their_cells() -> None:
    cells = Cells(values=np.array([[1.0], [2.0]]), colors=Scale(LIGHT.amounts, 0, 2), digits=0)
    root = read(Grid([cells], HIDDEN, HIDDEN, height=100))
    places = {text.text: (text.get("x"), text.get("y")) for text in root.iter(f"{SVG}text")}
    assert places == {"1": ("50%", "25%"), "2": ("50%", "75%")}


@pytest.mark.parametrize("width", [300, 500, 700, 1400])
def test_names_of_columns_are_level_where_they_have_room_and_else_slanted(width: int) -> None:
    names = ["unremarkable", "b", "c", "unremarkable", "unremarkable", "f"]
    shown = Cells(values=np.ones((2, 6)), colors=Scale(LIGHT.amounts, 0, 1), columns=names)
    root = read(Grid([shown], HIDDEN, Side(), height=200, pitch=200 / 6), width)
    (turns,) = [part for part in root.iter(f"{SVG}g") if "turns" in str(part.get("class"))]
    placed = {part[0].get("transform") for part in turns.iter(f"{SVG}svg")}
    columns = next(part for part in root.iter(f"{SVG}svg") if part.get("class") == "columns")
    pitch = float(str(columns.get("width"))) / 6
    lies = width_of("unremarkable", 13) + 3 <= pitch
    assert placed == {turns.get("data-level" if lies else "data-slanted")}
    assert lies == (float(str(columns.get("width"))) >= float(str(turns.get("data-from"))))


def test_only_hidden_cells_are_hatched() -> None:
    codes = np.array([[0, 1, 1, 0], [2, 0, 0, 3]])
    shown = Cells(values=np.ones((2, 4)), colors=Scale(LIGHT.amounts, 0, 1), hidden=codes)
    root = read(Grid([shown], HIDDEN, HIDDEN, height=100))
    ways = {
        f"url(#{pattern.get('id')})": pattern[0].get("d") for pattern in root.iter(f"{SVG}pattern")
    }
    assert len(set(ways.values())) == len(ways) == 3  # a slant for each reason, and both
    groups = [group for group in root.iter(f"{SVG}g") if str(group.get("fill")).startswith("url")]
    assert all(group.get("fill") in ways for group in groups)
    places = [(rect.get("x"), rect.get("y"), rect.get("width")) for (rect,) in groups]
    assert places == [("25%", "0%", "50%"), ("0%", "50%", "25%"), ("75%", "50%", "25%")]
    slants = [int(str(group.get("fill"))[-2]) for group in groups]
    assert slants == [1, 2, 3]


@pytest.mark.parametrize("dash", sorted({*positional.DASHES} - {"solid"}))
def test_a_dashed_line_is_dashed(dash: str) -> None:
    ends = np.array([0, 1])
    axes = Axis(letter="x", ends=(0, 1)), Axis(letter="y", ends=(0, 1))
    curve = Curve(x=ends, y=ends, line=Line("#000000", 2, dash))
    root = read(Drawing(room=Room(height=100), axes=axes, parts=[curve]))
    (line,) = root.iter(f"{SVG}path")
    assert line.get("stroke-dasharray")


def test_the_text_of_a_long_bar_is_not_cut_off_at_the_axis() -> None:
    shares = np.array([0.98, 0.02])
    found = read(decoding.next_words(shares, None, ["Hund", "Katze"], 0))
    parts = {part.get("class"): part for part in found.iter(f"{SVG}svg")}
    assert written(parts["window"]) == []
    assert written(parts["notes"]) == ["0.980", "0.020"]
