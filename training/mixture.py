"""The training data: rounds of pairs from the corpus, pairs written for it, and a grammar's."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from training.as_typed import as_typed
from training.corpus import Corpus, Pair
from training.grammar.lexicon import names
from training.grammar.phrases import made_up
from training.grammar.sentences import random_pairs

ROUND: Final = 16_000  # pairs of the corpus
_LONGEST: Final = 40  # words of sentences that are joined
# Names of nearly all the people and places in the corpus, and the kinds that stand in for them.
_USUAL: Final = {"Tom": "he", "John": "he", "Mary": "she", "Boston": "city"}
_NAMED: Final = re.compile(rf"\b({'|'.join(_USUAL)})(s)?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """The shares of what is trained on."""

    written: float = 3.0  # times that a pair written for it is read in a pass
    drawn: float = 0.25  # share of all pairs that the grammar makes
    joined: float = 0.08  # share of the pairs that continue with others
    named: float = 0.7  # share of the usual names that are replaced, some by invented ones
    typed: float = 0.3  # share of the sources that look as if typed in a hurry

    def rounds(self, corpus: Corpus) -> int:
        """How many rounds a pass over the corpus has."""
        return max(1, round(len(corpus.train) / ROUND))

    def round(self, corpus: Corpus, number: int) -> list[Pair]:
        """The pairs of one round, counted from 0: the same ones whenever it is made."""
        rounds = self.rounds(corpus)
        passes, part = divmod(number, rounds)
        order = list(range(len(corpus.train)))
        random.Random(f"pass {passes}").shuffle(order)
        dice = random.Random(f"round {number}")
        pairs = [corpus.train[at] for at in order[part::rounds]]
        whole, rest = divmod(self.written / rounds, 1.0)
        for pair in corpus.written:
            pairs += [pair] * (int(whole) + (dice.random() < rest))
        more = round(len(pairs) * self.drawn / (1.0 - self.drawn))
        pairs += [pair for pair in random_pairs(dice, more) if pair.source not in corpus.excluded]
        renamed = [self._renamed(pair, dice) for pair in pairs]
        pairs = [
            usual if other.source in corpus.excluded else other
            for usual, other in zip(pairs, renamed, strict=True)
        ]
        return [self._varied(pair, pairs, dice) for pair in pairs]

    def _varied(self, pair: Pair, others: Sequence[Pair], dice: random.Random) -> Pair:
        source, target = pair.source, pair.target
        if dice.random() < self.joined:
            for other in dice.choices(others, k=dice.randint(1, 3)):
                if len(source.split()) + len(other.source.split()) > _LONGEST:
                    break
                source, target = f"{source} {other.source}", f"{target} {other.target}"
        if dice.random() < self.typed:
            source = as_typed(source, dice)
        return Pair(source, target)

    def _renamed(self, pair: Pair, dice: random.Random) -> Pair:
        """The pair, perhaps with another name in it."""
        source_words, written = (
            {found[1] for found in _NAMED.finditer(text)} for text in (pair.source, pair.target)
        )
        others = {
            name: _random_name(_USUAL[name], dice)
            for name in _USUAL
            if name in source_words & written and dice.random() < self.named
        }

        def put(found: re.Match[str]) -> str:
            name, owning = others.get(found[1]), found[2] or ""
            if name is None:
                return found[0]
            return f"{name}'" if owning and name[-1] in "sxzß" else name + owning

        return Pair(_NAMED.sub(put, pair.source), _NAMED.sub(put, pair.target))


def _random_name(kind: str, dice: random.Random) -> str:
    """A name that both languages spell alike."""
    if dice.random() < 0.6:
        return made_up(dice)
    return dice.choice([name.english for name in names(kind) if name.english == name.german])
