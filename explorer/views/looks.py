"""Heads for the figures and in words, and which of them tell most."""

from collections.abc import Sequence
from functools import cache

from explorer.analysis.attention import Attention, content_words
from explorer.analysis.head_roles import KnownHeads, aligned_keys, roles
from explorer.config import ModelConfig
from explorer.figures import describe
from explorer.figures.attention import Heads
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.weights.catalogue import shipped_translator


def usual_word(labels: Sequence[str]) -> int:
    """The word in focus until somebody chooses one: the last that means something."""
    return content_words(labels)[-1]


def middle_word(labels: Sequence[str]) -> int:
    """A content word in the middle of the sentence."""
    words = content_words(labels)
    return words[len(words) // 2]


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
        writes=attention.writes if any(attention.writes) else None,
    )


def looks_most(attention: Attention, head: int) -> str:
    """A sentence about where a head looks most."""
    return describe.looks_most(
        attention.weights[head],
        _rows(attention),
        attention.key_labels,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def one_look(attention: Attention, head: int, cell: tuple[int, int]) -> str:
    """A sentence about one weight of a head."""
    return describe.one_look(
        attention.weights[head],
        _rows(attention),
        attention.key_labels,
        *cell,
        query_positions=attention.query_positions,
        key_positions=attention.key_positions,
    )


def in_words(attention: Attention, head: int) -> str:
    """All rows of a head in words, for visitors who cannot see the picture."""
    return describe.attention_in_words(
        attention.weights[head], _rows(attention), attention.key_labels
    )


def roles_in_words(ran: Run, attention: Attention, known: KnownHeads | None) -> list[str]:
    """The role of each head in this sentence."""
    if known is None or attention.kind != "cross":
        return [role.in_words for role in roles(attention)]
    layer, best = known.aligning
    aligned = aligned_keys(ran.attention("cross", layer), best)
    found = [role.in_words for role in roles(attention, aligned)]
    if attention.layer == layer:
        found[best] = tr("aligns best")  # it is the head that the others agree with
    return found


def head_in_words(ran: Run, attention: Attention, head: int, known: KnownHeads | None) -> str:
    """The role of a head in this sentence, and in many others if that is known."""
    said = roles_in_words(ran, attention, known)[head]
    if known is None:
        # Translators: what a head does, as a sentence: “previous token, 91 %.”
        return tr("{job}.", job=said)
    if known.aligns_best(attention.kind, attention.layer, head):
        return tr(
            "of all heads, this one aligns best: for {percent:.0f} % of the words that were "
            "marked by hand in 100 sentences, it looks most at the word that is being translated.",
            percent=known.aligned_in_percent,
        )
    often = known.roles[attention.kind][attention.layer][head].in_words
    return tr(
        "{job} (in {sentences} held-out sentences: {often}).",
        job=said,
        sentences=known.sentences,
        often=often,
    )


@cache
def heads_of_translator() -> KnownHeads:
    """The roles of the shipped translator's heads over many sentences."""
    return KnownHeads.read(shipped_translator().about["heads"])


def telling_kind(config: ModelConfig, *, trained: bool) -> AttentionKind:
    """The attention to show first: of trained weights, the one that shows most of the learning."""
    usual: AttentionKind = "cross" if trained else "encoder"
    return usual if usual in config.attention_kinds else config.attention_kinds[0]


def telling_layer(
    config: ModelConfig, kind: AttentionKind, known: KnownHeads | None, *, trained: bool
) -> int:
    """The layer to show first, from 0."""
    if known is not None and kind == "cross":
        return known.aligning[0]
    return config.layers_of(kind) - 1 if trained and kind != "encoder" else 0


def telling_head(known: KnownHeads | None, kind: AttentionKind, layer: int) -> int:
    """The head to show first, from 0."""
    return 0 if known is None else known.telling(kind, layer)


def _rows(attention: Attention) -> list[str]:
    return [attention.reads_and_writes(query) for query in range(len(attention.query_labels))]
