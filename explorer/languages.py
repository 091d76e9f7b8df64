"""The languages of the interface: texts are written in English and looked up in a catalogue.

    tr("The largest weight here is {largest:.2f}.", largest=0.413)

A text has its values in named places, so that a translator can move them, and stands in the code
as one literal, so that it can be collected. The catalogues are assets/languages/*.po.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from numbers import Real
from string import Formatter
from typing import Any, Final

from explorer.paths import ASSETS

ENGLISH: Final = "en"
LANGUAGES: Final = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ko": "한국어",
    "zh": "中文",
}  # each by its own name
RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
_FROM_RIGHT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_ISOLATES: Final = str.maketrans("", "", "\u2068\u2069")
CATALOGUES: Final = ASSETS / "languages"


class _Thread(threading.local):
    """The language of each thread; readers are served by different ones."""

    language = ""


_here: Final = _Thread()


def _english() -> str:
    return ENGLISH


_ask: Callable[[], str] = _english


def ask_readers(ask: Callable[[], str]) -> None:
    """Have threads that do not know their reader's language ask this function for it."""
    global _ask
    _ask = ask


def speak(language: str) -> None:
    """Write in this language from now on, in this thread."""
    if language not in LANGUAGES:
        known = ", ".join(f'"{code}" ({name})' for code, name in LANGUAGES.items())
        raise ValueError(f"language must be one of {known}, got {language!r}")
    _here.language = language


def spoken() -> str:
    """The language that texts are written in now."""
    if not _here.language:
        _here.language = _ask()
    return _here.language


def closest(locale: str | None) -> str:
    """The language for a reader with this locale, such as "de-AT"."""
    language = (locale or ENGLISH).replace("_", "-").split("-")[0].lower()
    return language if language in LANGUAGES else ENGLISH


def tr(text: str, /, **values: object) -> str:
    """The text in the reader's language, with these values in its places."""
    if (language := spoken()) == ENGLISH or not text:  # a catalogue has its header under ""
        return _ENGLISH.vformat(text, (), values) if values else text
    catalogue = _catalogue(language)
    found = catalogue.texts.gettext(text)
    return catalogue.fill.vformat(found, (), values) if values else found


def tr_n(one: str, many: str, n: int, /, **values: object) -> str:
    """The text for this number of things, which it may name as `{n}`."""
    values["n"] = n
    if (language := spoken()) == ENGLISH:
        return _ENGLISH.vformat(one if n == 1 else many, (), values)
    catalogue = _catalogue(language)
    return catalogue.fill.vformat(catalogue.texts.ngettext(one, many, n), (), values)


def mark(text: str) -> str:
    """The text as it is: `tr` looks it up where it is shown, because a constant has no reader."""
    return text


def numeral(number: Any, form: str = "") -> str:
    """A number as the reader's language writes it."""
    language = spoken()
    fill = _ENGLISH if language == ENGLISH else _catalogue(language).fill
    return fill.format_field(number, form)


def listed(items: Sequence[str]) -> str:
    """“a, b and c”."""
    if (language := spoken()) == ENGLISH:
        return " and ".join([", ".join(items[:-1]), items[-1]] if items[1:] else items)
    from babel.lists import format_list

    return format_list(list(items), locale=language)


def side_by_side(numbers: Iterable[str]) -> str:
    """Numbers in a row; semicolons stand between them where commas stand in them."""
    return between(", " if decimal_and_group()[0] == "." else "; ").join(numbers)


def between(sign: str) -> str:
    """A “, ” or “; ” between texts, as the language writes it."""
    own = {"zh": {", ": "，", "; ": "；"}, "fr": {"; ": "\u202f; "}}
    return own.get(spoken(), {}).get(sign, sign)


def in_quotes(token: str) -> str:
    """Words in the language's quotation marks."""
    return tr("“{token}”", token=token)


def isolated(text: str) -> str:
    """A text that may be put between others: one with right-to-left letters is marked as a unit.

    Without the marks (U+2068 and U+2069 of Unicode's bidirectional algorithm, which are invisible)
    it would turn around signs and numbers beside it. What `tr` puts into its places has them.
    """
    return text if text.isascii() or not _FROM_RIGHT.search(text) else f"\u2068{text}\u2069"


def without_isolates(text: str) -> str:
    """A text as programs want it, and as wide as it is shown."""
    return text if text.isascii() else text.translate(_ISOLATES)


def arrow(read: str, written: str) -> str:
    """“small → cat”: one word is read, the other is written; if none is, the word that is read."""
    return f"{isolated(read)} → {isolated(written)}" if written else read


def numbered(position: int, word: str) -> str:
    """A word after its position."""
    return f"{position} · {isolated(word)}"


def sentences(*texts: str) -> str:
    """Sentences one after another; in Chinese, a full stop brings its own space."""
    return ("" if spoken() == "zh" else " ").join(filter(None, texts))


def for_programs(text: str, signs: str = "") -> Decimal | str:
    """The number that is written with these signs, or the language's, with all its digits.

    Other texts stay as they are.
    """
    decimal, group = map(re.escape, signs or decimal_and_group())
    number = rf"[-+−]?(\d+|\d{{1,3}}({group}\d{{3}})+)({decimal}\d+)?(e[-+]?\d+)?"
    if re.fullmatch(number, text) is None:
        return text
    text = re.sub(group, "", text).replace("−", "-")
    return Decimal(re.sub(decimal, ".", text))


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Write in this language for a while."""
    before = spoken()
    speak(language)
    try:
        yield
    finally:
        speak(before)


def decimal_and_group() -> str:
    """The signs between the digits of a number: “.,” in English."""
    language = spoken()
    return ".," if language == ENGLISH else _catalogue(language).fill.signs


class _Fill(Formatter):
    """Puts values into a text, with numbers as the language writes them.

    Numbers with a format are to be read, and have real minus signs; what stands there as it was
    given, as in an error, may be copied.
    """

    def __init__(self, signs: str, percent: str = "%") -> None:
        self.signs = signs
        self._table = str.maketrans({".": signs[0], ",": signs[1], "%": percent})

    def format_field(self, value: Any, format_spec: str) -> str:
        written: str = super().format_field(value, format_spec)
        if not isinstance(value, Real):
            return isolated(written)
        written = written.translate(self._table)
        return written.replace("-", "−") if format_spec else written


_ENGLISH: Final = _Fill(".,")


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """The texts of one language, and its way to write numbers."""

    texts: NullTranslations
    fill: _Fill


@cache
def _catalogue(language: str) -> _Catalogue:
    from babel import Locale  # only those who read another language need it
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalog = read_po(file, locale=language)
    compiled = BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    locale = Locale.parse(language)
    signs = locale.number_symbols["latn"]
    percent = locale.percent_formats[None].pattern.lstrip("#,0")  # some put a space before it
    return _Catalogue(GNUTranslations(compiled), _Fill(signs["decimal"] + signs["group"], percent))
