"""A small translator's shape, recipe and corpus: it learns in seconds."""

import random

from explorer.config import ModelConfig
from training.corpus import Corpus, Pair
from training.mixture import Mixture
from training.recipe import Recipe

WORDS = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf"}
PIECES = 330  # 4 special ones, 256 bytes, and the words
SMALL = ModelConfig(
    d_model=32, n_heads=4, n_encoder_layers=1, n_decoder_layers=1, d_ff=64, dropout=0.0,
    src_vocab_size=PIECES, tgt_vocab_size=PIECES, norm_first=True, tying="all",
)  # fmt: skip
RECIPE = Recipe(
    passes=1000, tokens=300, lr=1e-2, warmup=20, averaged=10, merges_left_out=0.0,
    agreeing=0.0, mixture=Mixture(drawn=0.0, typed=0.0),
)  # fmt: skip


def pair(dice: random.Random) -> Pair:
    """A sentence of some of the words, and its translation."""
    words = [dice.choice(list(WORDS)) for _ in range(dice.randint(1, 4))]
    return Pair(" ".join(words), " ".join(WORDS[word] for word in words))


def small_corpus() -> Corpus:
    """Sentences of one to four words, translated word by word."""
    dice = random.Random(0)
    return Corpus(tuple(pair(dice) for _ in range(600)), (pair(dice),))
