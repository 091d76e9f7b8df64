"""The effect of the mistakes on models that have learnt without them, counted in sentences.

`python -m tests.mistakes.counting` counts and writes the file that the lab reads; a test counts a
part of it again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from explorer.paths import ASSETS

FILE: Final = ASSETS / "mistakes.json"
DROPOUT: Final = 0.1  # with which a mistake was counted that shows only with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One mistake in numbers; the right model's numbers stand beside them in `Measured`."""

    right: str  # of "reverse": a 1 for each held-out sentence that is still answered right, else 0
    same: str  # of the translator: a 1 for each sentence whose translation stays the same
    # Where the mistake shows only with PAD on the left or with dropout: how many next words are
    # right there without it and with it, and of how many (`next_words_there`).
    there: Sequence[int] | None = None

    @property
    def n_right(self) -> int:
        """Held-out sentences that are still answered right."""
        return self.right.count("1")

    @property
    def n_changed(self) -> int:
        """Translations that change."""
        return self.same.count("0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All effects, and the weights that they were measured on."""

    reverse: str  # SHA-256 of the weights' file
    translator: str
    right: str  # of "reverse", without a mistake
    sentences: int  # of the translator
    effects: dict[str, Effect]  # by the identifier of the mistake


@cache
def measured() -> Measured:
    """The effects as they were counted."""
    content = json.loads(FILE.read_text())
    effects = {name: Effect(**effect) for name, effect in content.pop("effects").items()}
    return Measured(**content, effects=effects)
