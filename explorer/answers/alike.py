"""Words that a model has learnt to treat alike: the nearest rows of its embedding."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Bool

from explorer.analysis.nearest import nearest_rows
from explorer.choices.settings import Settings
from explorer.runtime.engine import Run
from explorer.vocabulary import Vocabulary
from explorer.weights.catalogue import TRANSLATOR, Shipped

SHORTEST = 3  # letters of a piece that means something by itself


def has_learnt_words(settings: Settings) -> bool:
    """Whether the model has learnt the words of a language, and not only positions of any words."""
    return settings.request.source == Shipped(TRANSLATOR)


def alike(ran: Run, side: str, positions: Sequence[int]) -> list[list[tuple[str, float]]]:
    """For the tokens at these positions, the words with the nearest rows, and their cosines."""
    model, batch = ran.loaded.model, ran.batch
    if side == "src":
        table, ids, vocab = model.src_embedding, batch.src[ran.row], batch.src_vocab
    else:
        table, ids, vocab = model.tgt_embedding, batch.tgt_in[ran.row], batch.tgt_vocab
    rows = [int(ids[position]) for position in positions]
    found = nearest_rows(table.token.weight, rows, _words(vocab))
    return [[(vocab.decode([row])[0], share) for row, share in line] for line in found]


@lru_cache(maxsize=4)
def _words(vocab: Vocabulary) -> Bool[np.ndarray, " vocab"]:
    """Whether each id stands for a piece that means something by itself."""
    pieces = vocab.decode(range(vocab.size))
    return np.array([piece.isalpha() and len(piece) >= SHORTEST for piece in pieces])
