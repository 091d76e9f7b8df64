"""Texts in the reader's language: looked up, filled in, complete."""

import ast
import re
import threading
from decimal import Decimal
from gettext import NullTranslations
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from explorer import languages
from explorer.languages import (
    CATALOGUES,
    ENGLISH,
    LANGUAGES,
    arrow,
    ask_readers,
    between,
    closest,
    decimal_and_group,
    for_programs,
    listed,
    mark,
    numbered,
    numeral,
    sentences,
    side_by_side,
    speak,
    speaking,
    spoken,
    tr,
    tr_n,
    without_isolates,
)
from tests.untranslated import FILES, ROOT, texts, translated


def places(text: str) -> list[tuple[str, str]]:
    """The places of a text and how their values are written; the braces of a formula are none."""
    try:
        found = [(name, form or "") for _, name, form, _ in Formatter().parse(text) if name]
    except ValueError:
        return []
    return sorted(found)


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {ENGLISH}))
def test_translations_have_the_places_of_their_texts(language: str) -> None:
    catalogue = translated(language)
    assert catalogue
    wrong = [
        (text, translation)
        for text, forms in catalogue.items()
        for translation in forms
        if not has_places_of(translation, text)
    ]
    assert wrong == []


def has_places_of(translation: str, text: Any) -> bool:
    """Whether the same values are put into a translation, written alike; the number is optional."""
    if isinstance(text, str):
        return places(translation) == places(text)
    optional = {("n", ""), ("n", ",")}
    needed, given = set(places(text[1])), set(places(translation))
    return needed - optional <= given <= needed


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {ENGLISH}))
def test_texts_name_controls_by_their_labels(language: str) -> None:
    catalogue = {text: translation for text, (translation, *_) in translated(language).items()}
    named = [
        (name, translation)
        for text, translation in catalogue.items()
        if isinstance(text, str)
        for name in re.findall(r"(?<!\*)\*([A-Z][^*{}]+)\*(?!\*)", text)
        if name in catalogue
    ]
    assert named
    assert [pair for pair in named if f"*{catalogue[pair[0]]}*" not in pair[1]] == []


def test_catalogues_are_those_of_the_languages() -> None:
    assert {path.stem for path in CATALOGUES.glob("*.po")} == LANGUAGES.keys() - {ENGLISH}


def looked_up(path: Path) -> list[str]:
    """Calls of `tr` where there is no reader, or whose text cannot be collected."""
    found: list[str] = []

    def visit(node: ast.AST, *, inside: bool) -> None:
        if isinstance(node, ast.JoinedStr):  # Babel does not look into it
            found.extend(
                f"{path.relative_to(ROOT)}:{node.lineno} is inside of an f-string"
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, ast.Name)
                and call.func.id in ("tr", "tr_n", "mark")
                and any(isinstance(text, ast.Constant | ast.JoinedStr) for text in call.args[:1])
            )
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            kept = isinstance(node, ast.FunctionDef) and any(
                "cache" in ast.unparse(one) and "language" not in ast.unparse(node.args)
                for one in node.decorator_list
            )
            for child in ast.iter_child_nodes(node.args):
                visit(child, inside=inside)
            body = node.body if isinstance(node.body, list) else [node.body]
            for child in body:
                visit(child, inside=not kept)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            if node.func.id in ("tr", "tr_n", "numeral", "listed") and not inside:
                found.append(f"{where} has no reader")
            if node.func.id in ("tr", "tr_n", "mark") and isinstance(
                node.args[0], ast.JoinedStr | ast.BinOp | ast.IfExp
            ):
                found.append(f"{where} is not one literal")
        for child in ast.iter_child_nodes(node):
            visit(child, inside=inside)

    visit(ast.parse(path.read_text()), inside=False)
    return found


def test_texts_are_looked_up_for_a_reader_and_can_be_collected() -> None:
    assert [
        wrong for path in FILES if path.name != "languages.py" for wrong in looked_up(path)
    ] == []


def test_no_text_is_overlooked_when_texts_are_collected() -> None:
    """Babel overlooks some calls inside of another call's arguments."""
    found = {text if isinstance(text, str) else text[0] for text in texts()}
    literals = {
        call.args[0].value
        for path in FILES
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("tr", "tr_n", "mark")
        and isinstance(call.args[0], ast.Constant)
    }
    assert literals - found == set()


class Backwards(NullTranslations):
    """A language that says every text backwards, but for its places."""

    def gettext(self, message: str) -> str:
        return "".join(reversed(re.split(r"(\{.*?\})", message)))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n < 2 else msgid2)


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = languages._Catalogue(Backwards(), languages._Fill(",.", " %"))
    monkeypatch.setattr(languages, "_catalogue", {"de": catalogue}.__getitem__)
    speak("de")


def test_english_is_as_written() -> None:
    assert tr("weights sum to 1 {braces}") == "weights sum to 1 {braces}"
    assert tr("{a:.2f} of {b:,}", a=0.125, b=12345) == "0.12 of 12,345"
    assert [tr_n("{n} key", "{n:,} keys", n) for n in (0, 1, 2000)] == [
        "0 keys",
        "1 key",
        "2,000 keys",
    ]
    assert numeral(0.125, ".2f") == "0.12"
    assert [listed(list("abc")[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert decimal_and_group() == ".,"


def test_words_from_the_right_are_marked_as_a_unit_wherever_others_stand_beside_them() -> None:
    """The marks are those of UAX 9 (U+2068 and U+2069); other words need none."""
    on, mat, also = "\u2068על\u2069", "\u2068المحصلة\u2069", "\u2068\U0001e900\u2069"
    assert tr("“{word}” {n}", word="על", n=2) == f"“{on}” 2"
    assert arrow("על", "المحصلة") == f"{on} → {mat}"
    assert numbered(3, "\U0001e900") == f"3 · {also}"  # a letter of Adlam
    assert (arrow("кот", "cat"), arrow("על", ""), numbered(0, "猫")) == (
        "кот → cat",
        "על",
        "0 · 猫",
    )
    assert without_isolates(arrow(numbered(3, "על"), "x")) == "3 · על → x"


@pytest.mark.usefixtures("german")
def test_values_are_put_into_their_places_as_the_language_writes_them() -> None:
    assert tr("{weight:.2f} of {word}", weight=1234.5, word="3.14") == "3.14 of 1234,50"
    assert tr("{much:,.1f}{what}", much=1234.5, what="") == "1.234,5"
    assert tr_n("{n:,} key", "{n:,} keys", 12345) == " keys12.345"
    assert numeral(12345.678, ",.2f") == "12.345,68"
    assert tr("{share:.1%} of 3.5%", share=0.125) == " of 3.5%12,5 %"
    assert numeral(True) == "True"
    assert decimal_and_group() == ",."
    assert tr(mark("{no} value")) == " value{no}"


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0,41", Decimal("0.41")), ("−1.234,5", Decimal("-1234.5")), ("7", Decimal(7)),
        ("12.345.678", Decimal(12345678)), ("1,5e-07", Decimal("1.5e-07")), ("1.5", "1.5"),
        ("192.168.0.1", "192.168.0.1"), ("a, b", "a, b"), ("12.34,5", "12.34,5"), ("", ""),
    ],
)  # fmt: skip
def test_numbers_are_written_for_programs(written: str, read: Decimal | str) -> None:
    assert for_programs(written) == read
    speak(ENGLISH)
    assert for_programs("1,234.5") == Decimal("1234.5")
    assert for_programs("−0.5") == Decimal("-0.5")
    assert for_programs(written, ",.") == read


@pytest.mark.usefixtures("german")
def test_numbers_in_a_row_do_not_run_together() -> None:
    assert side_by_side(numeral(number, ".1f") for number in (0.5, -2)) == "0,5; −2,0"
    with speaking(ENGLISH):
        assert side_by_side(numeral(number, ".1f") for number in (0.5, -2)) == "0.5, −2.0"
    assert spoken() == "de"


@pytest.mark.parametrize(("language", "text"), [("zh", "一。二。"), ("ko", "一。 二。")])
def test_sentences_in_a_row_are_apart_as_in_the_language(language: str, text: str) -> None:
    with speaking(language):
        assert sentences("一。", "", "二。") == text


def test_signs_between_texts_are_those_of_the_language() -> None:
    with speaking("zh"):
        assert between("; ").join("一二") + side_by_side("12") == "一；二1，2"
    with speaking("de"):
        assert between("; ").join("ab") + side_by_side("12") == "a; b1; 2"
    with speaking("fr"):
        assert between("; ").join("ab") == "a\u202f; b"


def test_lists_are_written_as_in_the_language() -> None:
    speak("de")
    assert listed(["a", "b", "c"]) == "a, b und c"
    speak("zh")
    assert listed(["a", "b", "c"]) == "a、b和c"


@pytest.mark.parametrize(
    ("locale", "language"),
    [("de-AT", "de"), ("zh-Hant-TW", "zh"), ("KO", "ko"), ("fr_CA", "fr"), ("pt-BR", "en"),
     (None, "en"), ("", "en"), ("../../etc", "en")],
)  # fmt: skip
def test_language_of_a_browser(locale: str | None, language: str) -> None:
    assert closest(locale) == language


def test_each_thread_asks_for_its_reader_and_keeps_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def ask() -> str:
        asked.append("")
        return "ko"

    monkeypatch.setattr(languages, "_ask", languages._english)
    ask_readers(ask)
    heard: list[str] = []
    there = threading.Thread(target=lambda: heard.extend([spoken(), spoken()]))
    there.start()
    there.join()
    assert (heard, len(asked)) == (["ko", "ko"], 1)
    speak("fr")
    assert spoken() == "fr"


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match=r'must be one of "en" \(English\), .* got "?\'?xx'):
        speak("xx")


def test_untranslated_texts_are_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(languages, "CATALOGUES", tmp_path)
    monkeypatch.setattr(languages, "_catalogue", languages._catalogue.__wrapped__)
    (tmp_path / "de.po").write_text(
        'msgid "here"\nmsgstr "hier"\n\n'
        'msgid "new {this}"\nmsgstr ""\n\n'
        'msgid "{n} key"\nmsgid_plural "{n} keys"\nmsgstr[0] ""\nmsgstr[1] ""\n\n'
        '#, fuzzy\nmsgid "guessed"\nmsgstr "geraten"\n'
    )
    speak("de")
    assert tr("here") == "hier"
    assert tr("new {this}", this=0.5) == "new 0,5"
    assert tr("nobody ever wrote {this}", this=0.5) == "nobody ever wrote 0,5"
    assert [tr_n("{n} key", "{n} keys", n) for n in (1, 2)] == ["1 key", "2 keys"]
    assert tr("guessed") == "guessed"
