"""What does one word lose without a head? Every head switched off, one at a time."""

from collections.abc import Iterator
from functools import partial

from explorer.analysis.causes.question import OfLayer, Question, one_by_one
from explorer.intervention import given_to_heads


def without_heads(question: Question) -> Iterator[OfLayer]:
    """The change of the measure without each head: one layer at a time.

    The output of a head (before W_O) is 0 at every position, and all that follows is computed anew
    (Michel et al. 2019). A head that others can stand in for changes nothing.
    """
    config = question.sentence.model.config
    for kind, layer in config.attentions:
        off = partial(given_to_heads, (kind, layer))
        yield kind, layer, one_by_one(question, kind, config.n_heads, off)
