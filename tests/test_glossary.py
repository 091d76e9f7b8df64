"""The words of the field: what each says of itself, and where a text marks them."""

import re

import pytest

from explorer import glossary
from explorer.choices.pages import PAGES
from explorer.glossary import WORDS, marked
from explorer.languages import LANGUAGES, speak
from explorer.markdown import literal


def test_a_word_is_explained_in_a_sentence_or_two() -> None:
    for anchor, word in WORDS.items():
        assert re.fullmatch(r"[a-z-]+", anchor)
        assert word.says.endswith("."), anchor
        assert 1 <= len(re.findall(r"\. ", f"{word.says} ")) <= 3, anchor
        assert len(word.says) <= 200, anchor
        assert set(word.pages) <= PAGES.keys(), anchor
        assert re.fullmatch(r"([3-6]\.\d(\.\d)?)?", word.section), anchor


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_form_belongs_to_two_words(language: str) -> None:
    speak(language)
    forms = [form.lower() for word in WORDS.values() for form in word.in_texts]
    assert len(forms) == len(set(forms))


def test_the_first_mention_of_each_word_is_marked() -> None:
    text, anchors = marked("Queries meet keys; a key and PAD keys do not. Softmax follows.")
    assert text == (
        "[Queries](glossary#query) meet [keys](glossary#key); a key and "
        "[PAD](glossary#pad) keys do not. [Softmax](glossary#softmax) follows."
    )
    assert anchors == {"query", "key", "pad", "softmax"}


def test_the_longest_word_wins() -> None:
    assert marked("the causal mask")[0] == "the [causal mask](glossary#causal-mask)"
    assert marked("self-attention")[0] == "[self-attention](glossary#self-attention)"


@pytest.mark.parametrize(
    "text",
    [
        "a monkey ahead",
        "`softmax(query)`",
        "$mask \\cdot key$",
        "[the key](here)",
        "pad",
        "key-ring",
        "“key” and „softmax“, « query » and ‘mask’",
        "“Attention Is All You Need”",
    ],
)
def test_other_words_stay_unmarked(text: str) -> None:
    assert marked(text)[0] == text


def test_typed_markup_stays_escaped() -> None:
    typed = literal("[softmax](http://elsewhere) <b>key</b> `x")
    unmarked = re.sub(r"\[(\w+)\]\(glossary#\w+\)", r"\1", marked(typed)[0])
    assert unmarked == typed


@pytest.mark.parametrize(
    ("forms", "text", "found"),
    [
        ("注意力|自注意力", "用自注意力，再用注意力。", ["自注意力"]),
        ("softmax", "对softmax的结果", ["softmax"]),
        ("키", "아키텍처의 키는", ["키"]),  # a particle follows, but nothing stands before
        ("softmax", "softmax를", ["softmax"]),
        ("Schlüssel|Schlüsseln", "Hauptschlüssel, Schlüsselwort, Schlüsseln", ["Schlüsseln"]),
        ("tête", "l’tête, têtes", ["tête"]),
    ],
)
def test_a_word_is_found_in_any_script(
    forms: str, text: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glossary, "spoken", lambda: f"{forms} in {text}")
    monkeypatch.setattr(
        glossary, "tr", lambda english: forms if english == WORDS["key"].forms else ""
    )
    assert re.findall(r"\[(.*?)\]\(glossary#key\)", marked(text)[0]) == found
