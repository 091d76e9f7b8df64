"""From what is read off a trace to what the figures draw."""

from explorer.analysis.attention import Attention
from explorer.figures import describe
from explorer.figures.attention import Heads


def heads_of(attention: Attention) -> Heads:
    """An attention as the figures want it."""
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
    """Where a head looks most, in a sentence."""
    return describe.looks_most(
        attention.weights[head],
        attention.query_labels,
        attention.key_labels,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def one_look(attention: Attention, head: int, cell: tuple[int, int]) -> str:
    """One weight of a head, in a sentence."""
    return describe.one_look(
        attention.weights[head],
        attention.query_labels,
        attention.key_labels,
        *cell,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def in_words(attention: Attention, head: int) -> str:
    """All rows of a head, for those who do not see it."""
    return describe.attention_in_words(
        attention.weights[head], attention.query_labels, attention.key_labels
    )
