"""The rounds of the mixture as batches of ids, ready for the training."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch.utils.data import Dataset

from explorer.names import USUAL_IDS
from explorer.text import padded
from explorer.weights.translator import LONGEST
from training.corpus import Corpus, batches
from training.recipe import Recipe

Batch = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]  # sources, and targets with BOS and EOS


class Rounds(Dataset[list[Batch]]):
    """The rounds of the mixture, in pieces. Each is a list of batches in random order."""

    def __init__(self, corpus: Corpus, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self._corpus = corpus
        self._recipe = recipe
        self._whole = tokenizer
        self._cutting = Tokenizer.from_str(tokenizer.to_str())
        self._cutting.model.dropout = recipe.merges_left_out

    def __getitem__(self, number: int) -> list[Batch]:
        """The batches of one round, counted from 0."""
        pairs = self._recipe.mixture.round(self._corpus, number)
        sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
        kept = [
            # One that falls into many more pieces would lengthen all the sources of its batch.
            (cut if len(cut) <= len(usual) + 2 else usual, len(usual), target)
            for usual, cut, target in zip(
                _ids(self._whole, sources),
                _ids(self._cutting, sources),
                _ids(self._whole, targets),
                strict=True,
            )
            if max(len(usual), len(target)) <= LONGEST
        ]
        # By whole pieces: the merges left out follow no seed, and must not decide what a batch is.
        lengths = [(length, len(target) + 2) for _, length, target in kept]
        return [
            (
                padded([kept[at][0] for at in group]).numpy(),
                padded([[USUAL_IDS.bos, *kept[at][2], USUAL_IDS.eos] for at in group]).numpy(),
            )
            for group in batches(lengths, self._recipe.tokens, random.Random(f"batches {number}"))
        ]


def _ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [found.ids for found in tokenizer.encode_batch_fast(texts)]
