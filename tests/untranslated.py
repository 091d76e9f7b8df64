"""`make untranslated`: list the texts of the code that a language lacks; a release has none."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages.extract import extract
from babel.messages.pofile import read_po

from explorer.languages import CATALOGUES, ENGLISH, LANGUAGES

ROOT = Path(__file__).parents[1]
FILES = [*(ROOT / "explorer").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
KEYWORDS = {"tr": None, "tr_n": (1, 2), "mark": None}
Text = str | tuple[str, str]  # those that are counted are two


@cache
def texts() -> set[Text]:
    """All texts in the code."""
    found: set[Any] = set()
    for path in FILES:
        with path.open("rb") as file:
            found |= {text for _, text, *_ in extract("python", file, KEYWORDS)}
    return found


@cache
def translated(language: str) -> dict[Text, tuple[str, ...]]:
    """The translations in a catalogue, in each number; a text that lacks one is left out."""
    found: dict[Any, tuple[str, ...]] = {}
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        for entry in read_po(file, locale=language):
            forms = (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())
            if entry.id and not entry.fuzzy and all(one.strip() for one in forms):
                found[entry.id] = forms
    return found


if __name__ == "__main__":
    lacking = {one: texts() - translated(one).keys() for one in LANGUAGES if one != ENGLISH}
    for language, missing in lacking.items():
        for text in sorted(missing, key=str):
            print(f"{language}: {text if isinstance(text, str) else ' | '.join(text)}")
    sys.exit(any(lacking.values()))
