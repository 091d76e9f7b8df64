"""Synchronous grammars derive a sentence and its translation together (Aho and Ullman 1969).

Every rule has a source side and a target side with the same gaps, each in its own order:

    subordinate → {subject} {object} {participle} hat | {subject} has {participle} {object}

A translation model has to learn this difference. The same rules draw random sentence pairs and give
the correct translation of a typed sentence.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final

Words = tuple[str, ...]
_PART: Final = re.compile(r"\{[^}]+\}|\S+")
_GAP: Final = re.compile(r"\{(.+)\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """Both sides of one rule: words, and gaps in braces. Each gap appears once on each side."""

    source: Words
    target: Words

    @classmethod
    def parse(cls, both: str) -> "Rule":
        """Parse a rule such as "{subject} schläft | {subject} sleeps"."""
        source, target = both.split("|")
        return cls(tuple(_PART.findall(source)), tuple(_PART.findall(target)))


class Grammar:
    """A synchronous context-free grammar; `rules` maps each symbol to its rules."""

    def __init__(self, rules: dict[str, list[Rule]], start: str) -> None:
        self.rules = rules
        self.start = start

    def draw(self, dice: random.Random) -> tuple[Words, Words]:
        """A random sentence and its translation; all rules of a symbol are equally likely."""
        return self._grow(self.start, dice)

    def translate(self, source: Words) -> Words | None:
        """The translation of a sentence, or None if the grammar does not cover it."""

        @cache
        def read(symbol: str, at: int) -> list[tuple[int, Words]]:
            """The possible ends of a symbol that starts `at`, each with its translation."""
            return [found for rule in self.rules[symbol] for found in follow(rule, 0, at, ())]

        def follow(
            rule: Rule, part: int, at: int, filled: tuple[tuple[str, Words], ...]
        ) -> Iterator[tuple[int, Words]]:
            if part == len(rule.source):
                yield at, _fill(rule.target, dict(filled))
            elif gap := _gap(rule.source[part]):
                for end, target in read(gap, at):
                    yield from follow(rule, part + 1, end, (*filled, (gap, target)))
            elif at < len(source) and rule.source[part] == source[at]:
                yield from follow(rule, part + 1, at + 1, filled)

        whole = (target for end, target in read(self.start, 0) if end == len(source))
        return next(whole, None)

    def sentences(self) -> list[tuple[Words, Words]]:
        """All sentences with their translations. (Only for a grammar with a few thousand.)"""

        @cache
        def grown(symbol: str) -> list[tuple[Words, Words]]:
            found: list[tuple[Words, Words]] = []
            for rule in self.rules[symbol]:
                gaps = [gap for part in rule.source if (gap := _gap(part))]
                for filling in product(*map(grown, gaps)):
                    source = dict(zip(gaps, (words for words, _ in filling), strict=True))
                    target = dict(zip(gaps, (words for _, words in filling), strict=True))
                    found.append((_fill(rule.source, source), _fill(rule.target, target)))
            return found

        return grown(self.start)

    def words(self) -> tuple[Words, Words]:
        """All words of each language, in the order of the rules."""
        sides: tuple[dict[str, None], dict[str, None]] = {}, {}
        for rules in self.rules.values():
            for rule in rules:
                for words, side in zip(sides, (rule.source, rule.target), strict=True):
                    words.update((word, None) for word in side if not _gap(word))
        return tuple(sides[0]), tuple(sides[1])

    def _grow(self, symbol: str, dice: random.Random) -> tuple[Words, Words]:
        rule = dice.choice(self.rules[symbol])
        grown = {gap: self._grow(gap, dice) for part in rule.source if (gap := _gap(part))}
        return (
            _fill(rule.source, {gap: source for gap, (source, _) in grown.items()}),
            _fill(rule.target, {gap: target for gap, (_, target) in grown.items()}),
        )


def _gap(part: str) -> str | None:
    found = _GAP.fullmatch(part)
    return found[1] if found else None


def _fill(side: Words, gaps: dict[str, Words]) -> Words:
    filled: list[str] = []
    for part in side:
        gap = _gap(part)
        filled += gaps[gap] if gap else [part]
    return tuple(filled)
