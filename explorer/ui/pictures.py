"""From the numbers of a trace to the input of the figures."""

from explorer.analysis.attention import Attention
from explorer.figures import describe
from explorer.figures.attention import Heads


def heads_of(attention: Attention) -> Heads:
    """An attention in the form that the figures take."""
    return Heads(
        weights=attention.weights,
        scores=attention.scores,
        may_attend=attention.may_attend,
        query_labels=attention.query_labels,
        key_labels=attention.key_labels,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def looks_most(attention: Attention, head: int) -> str:
    """A sentence about where a head looks most."""
    return describe.looks_most(
        attention.weights[head],
        attention.query_labels,
        attention.key_labels,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def one_look(attention: Attention, head: int, cell: tuple[int, int]) -> str:
    """A sentence about one weight of a head."""
    return describe.one_look(
        attention.weights[head],
        attention.query_labels,
        attention.key_labels,
        *cell,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def in_words(attention: Attention, head: int) -> str:
    """All rows of a head in words, for visitors who cannot see the picture."""
    return describe.attention_in_words(
        attention.weights[head], attention.query_labels, attention.key_labels
    )
