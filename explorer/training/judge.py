"""The sentences that the translator is judged by, which it never learns from."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "judged"
HUNDRED: Final = _FOLDER / "hundred.tsv"
WITHIN: Final = _FOLDER / "within.txt"
BEYOND: Final = _FOLDER / "beyond.txt"


def judged_sentences() -> list[str]:
    """All of them, in English or whatever they are written in."""
    hundred = [line.split("\t")[1] for line in HUNDRED.read_text(encoding="utf-8").splitlines()]
    more = [line for file in (WITHIN, BEYOND)
            for line in file.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    return hundred + more
