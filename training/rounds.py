"""The rounds of the mixture as batches of ids, ready for the training."""

import random
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from torch.utils.data import Dataset

from explorer.names import USUAL_IDS
from explorer.weights.translator import LONGEST, padded
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
        recipe = self._recipe
        pairs = recipe.mixture.round(self._corpus, number)
        texts = [pair.source for pair in pairs]
        whole = self._whole.encode_batch_fast(texts)
        # One that falls into many more pieces would lengthen all the sources of its batch.
        sources = [
            cut if len(cut.ids) <= len(usual.ids) + 2 else usual
            for cut, usual in zip(self._cutting.encode_batch_fast(texts), whole, strict=True)
        ]
        targets = self._whole.encode_batch_fast([pair.target for pair in pairs])
        known = [at for at in range(len(pairs))
                 if max(len(whole[at].ids), len(targets[at].ids)) <= LONGEST]  # fmt: skip
        # By whole pieces: the merges left out follow no seed, and must not decide what a batch is.
        lengths = [(len(whole[at].ids), len(targets[at].ids) + 2) for at in known]
        dice = random.Random(f"batches {number}")
        groups = [
            [known[place] for place in group] for group in batches(lengths, recipe.tokens, dice)
        ]
        return [
            (
                padded([sources[at].ids for at in group]).numpy(),
                padded([[USUAL_IDS.bos, *targets[at].ids, USUAL_IDS.eos] for at in group]).numpy(),
            )
            for group in groups
        ]
