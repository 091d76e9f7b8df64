"""The downloads of a page: its pictures and numbers, and code that draws them again."""

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from explorer.drawing.theme import DARK, LIGHT, Theme
from explorer.export.tables import to_csv
from explorer.languages import LANGUAGES
from explorer.notebook.output import Output
from explorer.render.svg import svg
from explorer.ui.frame.stage import TAKES
from explorer.ui.taking.files import Files
from explorer.views.picture import Picture
from explorer.views.positions import OF_ENCODING
from tests.app.driving import components, memory_of, open_page, pictures

SOURCE = 'say "=1+1" \\ now'
PADDED = {"weights": "reverse", "pairs": 2, "src2": "a dog", "tgt2": "dog a", "length": 12}
SMALL = {"weights": "untrained", "d_model": 32, "heads": 2, "enc": 1, "dec": 1}
# Pages with what is chosen there; together, every picture with code outside of drawers.
SHOWN: list[tuple[str, dict[str, Any]]] = [
    ("attention", {"weights": "translator", "src": SOURCE}),
    ("attention", {**PADDED, "hide_pad": True, "scale": "largest", "query": 2, "key": 1}),
    *(("masks", {**PADDED, "attention": kind}) for kind in ("encoder", "decoder", "cross")),
    ("masks", {**SMALL, "side": "left", "length": 9, "query": 4, "key": 0}),
    *(("positions", {**SMALL, "aspect": aspect}) for aspect in (*OF_ENCODING, "inputs")),
    ("positions", {**SMALL, "aspect": "similarity", "base": 100, "formula": "doubled"}),
    ("positions", {**PADDED, "aspect": "encoding", "word": 1}),
    ("positions", {"weights": "reverse", "aspect": "inputs", "scaled": False}),
    ("steps", {"weights": "reverse", "step": "softmax", "form": "matrix", "head": 2}),
    ("steps", {**SMALL, "heads": 1, "step": "softmax", "form": "matrix", "query": 1, "key": 0}),
    ("steps", {**SMALL, "step": "qkv", "which": "v", "attention": "decoder", "src": SOURCE}),
    ("stack", {"weights": "reverse", "word": 2}),
    ("decoding", {"weights": "reverse", "method": "beam", "width": 3, "at": 2}),
    ("decoding", {"weights": "reverse", "method": "sampling", "heat": 2.0, "top_k": 10, "dice": 3}),
    ("tokens", PADDED),
]
HEADS = {"weights": "reverse", "attention": "encoder", "layer": 2, "scale": "largest"}
WITH_CODE = {
    *("one_head", "one_mask"),
    *(*OF_ENCODING, "inputs", "head_weights", "step_picture"),
    *("lens_picture", "next_words", "tree"),
}


@pytest.fixture(scope="module")
def opened() -> list[AppTest]:
    return [open_page(page, **choices, drawer=TAKES) for page, choices in SHOWN]


@pytest.fixture
def run_code(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Picture]:
    """Runs code as if it were a script, and gives the picture that it shows."""

    def draw(code: str) -> Picture:
        shown: list[Output] = []
        monkeypatch.setattr(Output, "show", lambda output: shown.append(output))
        exec(compile(code, "code", "exec"), {"__name__": "__main__"})
        ((found,),) = (output.pictures for output in shown)
        return found

    return draw


def code_of(at: AppTest, key: str) -> str:
    """The code that an open panel shows for a picture."""
    at.selectbox(key="take_code").set_value(key)
    at.run()
    return str(next(code.value for code in at.code if "import explorer" in code.value))


def files_of(at: AppTest, colours: Theme = LIGHT) -> Files:
    return Files(
        found=memory_of(at)["noted"],
        page="Page",
        about=["about it"],
        choices=["head 2"],
        colours=colours,
        decimal=".",
    )


def test_every_picture_is_the_same_in_the_app_in_files_and_by_its_code(
    opened: list[AppTest], run_code: Callable[[str], Picture]
) -> None:
    seen = set()
    for at in opened:
        files, noted = files_of(at), memory_of(at)["noted"]
        for key, sent in pictures(at).items():
            here = noted[key].picture
            assert (sent["title"], sent["alt"]) == (here.title, here.alt)
            file = files.make(key, "svg")().decode()
            for made in (file, sent["svg"]):
                width = int(ElementTree.fromstring(made).get("width", ""))
                assert inside(made) == inside(svg(here.drawing, LIGHT, width)), key
            words = "".join(ElementTree.fromstring(file).itertext())
            assert f"Page: {here.title}" in words
            assert "lick a" not in words  # a file takes no clicks
            if here.code is None:
                continue
            seen.add(key)
            again = run_code(code_of(at, key))
            assert svg(again.drawing, LIGHT, 900) == svg(here.drawing, LIGHT, 900), key
            assert (again.alt, again.caption, again.code) == (here.alt, here.caption, here.code)
            assert to_csv(again.rows) == files.make(key, "csv")()
    assert seen == WITH_CODE


def inside(file: str) -> str:
    """All that is drawn of a picture, without the lines below it."""
    return file[file.index('class="window"') : file.rindex("</g></svg>")]


def test_a_zip_has_every_file_in_other_colours() -> None:
    at = open_page("attention", **SMALL, drawer=TAKES)
    with zipfile.ZipFile(io.BytesIO(files_of(at, DARK).make_all()())) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    kinds = [name.rpartition(".")[2] for name in files]
    assert {kind: kinds.count(kind) for kind in kinds} == {"svg": 2, "html": 2, "csv": 2}
    for name, text in files.items():
        assert name.endswith("csv") or DARK.background in text
        assert LIGHT.background not in text


def test_home_and_all_heads_are_pictures_too(run_code: Callable[[str], Picture]) -> None:
    home = memory_of(open_page("home", weights="translator", src="A dog.", drawer=TAKES))
    assert set(home["noted"]) == {"writing_stage", "model_map"}
    at = open_page("attention", **HEADS, drawer=TAKES)
    here = memory_of(at)["noted"]["heads_view"].picture
    again = run_code(code_of(at, "heads_view"))
    assert svg(again.drawing, LIGHT, 900) == svg(here.drawing, LIGHT, 900)
    assert len(here.drawing.cells) == 3 * 2 * 4  # kinds, layers, heads
    at.selectbox(key="take_what").select("heads_view").run()
    (said,) = (caption.value for caption in at.caption if "pandas.read_csv(" in caption.value)
    first = here.rows.index([]) - 1
    assert f'pandas.read_csv("all-heads.csv", nrows={first})' in said


def test_files_and_code_hold_words_as_they_were_typed() -> None:
    """The marks that keep a page in order around right-to-left words are not for programs."""
    typed = {
        "src": "על המחצלת על",
        "tgt": "המחצלת על",
        **SMALL,
        "attention": "decoder",
        "drawer": TAKES,
    }
    for page in ("attention", "masks", "steps", "tokens"):
        at = open_page(page, **typed)
        files = [to_csv(one.rows()).decode() for one in memory_of(at)["noted"].values()]
        files += [code.value for code in at.code if "import explorer" in code.value]
        assert sum("המחצלת" in file for file in files) >= 2
        assert not any("\u2068" in file for file in files), page


def test_in_words_a_word_from_the_right_is_a_unit_beside_its_number() -> None:
    """Without the marks of Unicode's bidirectional algorithm directly around it, a word would turn
    around signs and numbers beside it."""
    typed = {"src": "על המחצלת על", "tgt": "המחצלת על", **SMALL}
    asked = [("why", {"weights": "reverse"}), ("tokens", {}), ("masks", {"attention": "encoder"})]
    asked += [(page, {"attention": "cross"}) for page in ("attention", "masks", "lab")]
    for page, more in asked:
        alts = " ".join(sent["alt"] for sent in pictures(open_page(page, **typed | more)).values())
        words = re.findall(r"(.)[א-ת]+(.)", alts)
        assert len(words) >= 3
        assert {*words} == {("\u2068", "\u2069")}, page


@pytest.mark.parametrize("language", LANGUAGES)
def test_beside_the_files_stands_how_numbers_are_written_in_them(language: str) -> None:
    """As spreadsheets in German, French and Spanish write them, where a switch gives points."""
    at = open_page("attention", **SMALL, lang=language, drawer=TAKES)
    (said,) = (caption.value for caption in at.caption if "pandas.read_csv(" in caption.value)
    with_commas = language in ("de", "fr", "es")
    assert ('sep=";", decimal=","' in said) == with_commas
    assert [toggle.key for toggle in at.toggle].count("csv_points") == with_commas


def test_a_closed_panel_keeps_and_sends_nothing() -> None:
    at = open_page("attention")
    assert "noted" not in memory_of(at)
    assert "take_png" not in components(at)
    opened = open_page("attention", drawer=TAKES)
    assert set(memory_of(opened)["noted"]) == {"one_head", "heads_view"}
