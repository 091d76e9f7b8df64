"""The tokens of texts in many scripts, and of odd texts that people type."""

import doctest
from unicodedata import normalize

import pytest

from explorer import tokens
from explorer.names import Level
from explorer.tokens import tokenize

FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
CODER = "\N{WOMAN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"
FRANCE, JAPAN = "\U0001f1eb\U0001f1f7", "\U0001f1ef\U0001f1f5"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
KEYCAP = "1\ufe0f\u20e3"


def test_the_examples_in_the_docstrings() -> None:
    results = doctest.testmod(tokens)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (
            "the animal didn't cross the street because it was too tired",
            ["the", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too",
             "tired"],
        ),
        ("I'm gonna make him an offer", ["I'm", "gonna", "make", "him", "an", "offer"]),
        ("he can't refuse.", ["he", "can't", "refuse", "."]),
        ("l’été, rock'n'roll", ["l’été", ",", "rock'n'roll"]),
        ("'quoted' dogs'", ["'", "quoted", "'", "dogs", "'"]),
        ("snake_case x2 3.14", ["snake_case", "x2", "3", ".", "14"]),
        ("well-known…", ["well", "-", "known", "…"]),
        ("$5 & 50%", ["$", "5", "&", "50", "%"]),
        ("", []),
        (" \t\n\r\N{NO-BREAK SPACE}\N{IDEOGRAPHIC SPACE}\N{LINE SEPARATOR} ", []),
        ("a\tb\N{NO-BREAK SPACE}c\N{IDEOGRAPHIC SPACE}d\r\ne", ["a", "b", "c", "d", "e"]),
    ],
)  # fmt: skip
def test_words_apostrophes_and_punctuation(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("我爱你。", ["我", "爱", "你", "。"]),
        ("iPhone手机15", ["iPhone", "手", "机", "15"]),
        ("ラーメンを食べる", ["ラ", "ー", "メ", "ン", "を", "食", "べ", "る"]),
        ("か\u3099く", ["が", "く"]),  # a dakuten typed on its own stays with its kana
        ("한국어 문장", ["한국어", "문장"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("ភាសា", ["ភា", "សា"]),
        ("ລາວ", ["ລ", "າ", "ວ"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("वे 'किताबें' पढ़ते", ["वे", "'", "किताबें", "'", "पढ़ते"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),
        ("क्\u200dष", ["क्\u200dष"]),
        ("র\u200d\u09cd\u09afাব আজ", ["র\u200d\u09cd\u09afাব", "আজ"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        ("مَرْحَبًا بالعالم!", ["مَرْحَبًا", "بالعالم", "!"]),
        ("cafe\u0301 naïve", ["café", "naïve"]),
    ],
    ids=["chinese", "chinese and latin", "japanese", "split dakuten", "korean", "thai", "khmer",
         "lao", "hindi", "hindi in quotes", "tamil", "persian with a joiner",
         "joiner after a virama", "joiner before a virama", "hebrew", "arabic with vowels",
         "split accent"],
)  # fmt: skip
def test_scripts(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize("level", ["words", "characters"])
@pytest.mark.parametrize("emoji", [FAMILY, CODER, FRANCE, ENGLAND, KEYCAP, "❤\ufe0f"])
def test_an_emoji_is_one_token(emoji: str, level: Level) -> None:
    assert tokenize(emoji, level) == [emoji]


def test_neighbouring_emoji_are_several_tokens() -> None:
    assert tokenize(FRANCE + JAPAN + FAMILY + CODER) == [FRANCE, JAPAN, FAMILY, CODER]
    assert tokenize(f"hi{FAMILY}you") == ["hi", FAMILY, "you"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a <pad> b", ["a", "<pad>", "b"]),
        ("<s>x</s>", ["<s>", "x", "</s>"]),
        ("<b>x</b>", ["<b>", "x", "</b>"]),
        ("1 < 2 > 0", ["1", "<", "2", ">", "0"]),
        ("<img src=x>", ["<", "img", "src", "=", "x", ">"]),
        ("<<unk>>", ["<", "<unk>", ">"]),
        ("PAD [PAD]", ["PAD", "[", "PAD", "]"]),
    ],
)
def test_notation_between_angle_brackets(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "invisible",
    ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ud800", "\u200b", "\u2028"],
    ids=ascii,
)
def test_control_characters_separate_words(invisible: str) -> None:
    assert tokenize(f"a{invisible}b") == ["a", "b"]
    assert tokenize(f"a{invisible}b", "characters") == ["a", "␣", "b"]
    assert tokenize(f"1{invisible}2", "ids") == ["1", "2"]


@pytest.mark.parametrize("level", ["words", "characters", "ids"])
def test_no_mark_that_turns_the_text_around_survives(level: Level) -> None:
    for mark in "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":
        assert mark not in "".join(tokenize(f"ab {mark}cd{mark} {mark}", level)), ascii(mark)


@pytest.mark.parametrize("level", ["words", "characters"])
@pytest.mark.parametrize("invisible", ["\u00ad", "\u180e", "\u2060", "\u200d", "\u200c", "\ufe0f",
                                       "\U000e0041"], ids=ascii)  # fmt: skip
def test_invisible_characters_are_no_tokens(invisible: str, level: Level) -> None:
    assert tokenize(invisible, level) == []
    assert set(tokenize(f"a {invisible} ,{invisible} b", level)) <= {"a", "b", "␣", ",",
                                                                   f",{invisible}"}  # fmt: skip


def test_a_soft_hyphen_or_a_byte_order_mark_is_no_boundary() -> None:
    assert tokenize("\ufeffco\u00adoperate") == ["cooperate"]


@pytest.mark.parametrize("level", ["words", "characters", "ids"])
@pytest.mark.parametrize("text", ["über Äpfel", "Ångström in Å", "한국어", "é́ ấ", "क़ q̇"])
def test_what_looks_the_same_is_the_same_token(text: str, level: Level) -> None:
    """Unicode Standard Annex 15: canonically equivalent texts are the same to a reader."""
    composed, decomposed = (normalize(form, text) for form in ("NFC", "NFD"))
    assert tokenize(composed, level) == tokenize(decomposed, level)


def test_a_lone_accent_takes_no_space_with_it() -> None:
    assert tokenize("a \u0301b") == ["a", "\u0301", "b"]
    assert tokenize("a \u0301b", "characters") == ["a", "␣", "\u0301", "b"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("it's ok", ["i", "t", "'", "s", "␣", "o", "k"]),
        ("  a \n b  ", ["a", "␣", "b"]),
        ("e\u0301t", ["é", "t"]),
        ("नमस्ते", ["न", "म", "स्ते"]),
        ("<b>", ["<", "b", ">"]),
        (f"a{FAMILY}", ["a", FAMILY]),
        ("", []),
    ],
)
def test_characters(text: str, tokens: list[str]) -> None:
    assert tokenize(text, "characters") == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("2 3 4 1", ["2", "3", "4", "1"]),
        ("[2, 3,4;5]", ["2", "3", "4", "5"]),
        ("(7)\n-1 x,,y", ["7", "-1", "x", "y"]),
        (" ,;[] ", []),
    ],
)
def test_ids(text: str, tokens: list[str]) -> None:
    assert tokenize(text, "ids") == tokens
