"""Sentences as models of every variant read them, for tests of causes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from hypothesis import strategies as st

from explorer.analysis.causes.question import Question, Sentence
from explorer.text import Batch
from explorer.transformer import Transformer
from tests.properties.strategies import perturbed, seeds
from tests.test_variants import BASE, VARIANTS

SOURCE, TARGET = "4 5 6 7 0", "1 3 4 5"  # the source ends with PAD
OTHER_SOURCE, OTHER_TARGET = "4 8 6 9 0", "1 3 2 5"


def sentence(
    variant: str = "the paper",
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    texts: tuple[str, str] = (SOURCE, TARGET),
    **more: Any,
) -> Sentence:
    """One pair of ids, read by a small model whose biases and gains are off their 0 and 1.

    In float64: what is compared are formulas, not roundings.
    """
    config = replace(BASE, **VARIANTS[variant] | more)
    return read(perturbed(Transformer(config, seed=seed)).to(dtype), texts)


def read(model: Transformer, texts: tuple[str, str] = (SOURCE, TARGET)) -> Sentence:
    """The pair as a model reads it."""
    config = model.config
    batch = Batch.from_ids(
        [texts[0] if config.has_encoder else ""],
        [texts[1] if config.has_decoder else ""],
        vocab_size=config.tgt_vocab_size,
    )
    with torch.inference_mode():
        trace = model(
            batch.src if config.has_encoder else None, batch.tgt_in if config.has_decoder else None
        )
    return Sentence(model=model, batch=batch, row=0, trace=trace)


@dataclass(frozen=True)
class Asked:
    """A question about a sentence that is not read yet; numbers are taken modulo their limits."""

    variant: str
    seed: int
    texts: tuple[str, str]
    numbers: tuple[int, int, int]  # position, token, rival
    has_rival: bool

    def sentence(self) -> Sentence:
        """The sentence, read by the model."""
        return sentence(self.variant, seed=self.seed, texts=self.texts)

    def question(self) -> Question:
        """The question about it."""
        read, (position, token, rival) = self.sentence(), self.numbers
        width = read.outcome.shape[-1]
        token, rival = token % width, rival % width
        other = rival if self.has_rival and rival != token else None
        return Question.of(read, read.words[position % len(read.words)], token, other)


def asked(variants: Sequence[str] = tuple(VARIANTS)) -> st.SearchStrategy[Asked]:
    """A question about any word of any sentence, for any variant with any weights."""
    number = st.integers(0, 59)
    some = st.lists(st.integers(1, 10), min_size=1, max_size=5)
    text = some.map(lambda ids: " ".join(map(str, ids)))
    padded = st.tuples(text, st.sampled_from(["", " 0"])).map("".join)
    return st.builds(
        Asked,
        st.sampled_from(sorted(variants)),
        seeds,
        st.tuples(padded, text),
        st.tuples(number, number, number),
        st.booleans(),
    )
