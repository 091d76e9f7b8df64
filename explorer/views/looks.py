"""Heads as figures take them, heads in words, and the most telling ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.analysis.attention import Attention, content_words
from explorer.analysis.head_roles import KnownHeads, aligned_keys, roles
from explorer.config import ModelConfig
from explorer.drawing.labels import elide
from explorer.figures.attention import Heads
from explorer.figures.describe import (
    attention_in_words,
    named,
    share_in_words,
    weight_in_words,
)
from explorer.languages import arrow, sentences, tr
from explorer.names import PAD, AttentionKind
from explorer.runtime.engine import Run
from explorer.weights.catalogue import known_heads


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


def strongest_look(attention: Attention, head: int) -> tuple[int, int] | None:
    """Row and column of the largest weight of a head; None if no query has a choice.

    Queries that are PAD or have only one visible key do not count.
    """
    weights = attention.weights[head]
    has_choice = (weights > 0).sum(axis=1) > 1
    is_word = np.array([row != PAD for row in rows_in_words(attention)])
    telling = weights * (has_choice & is_word)[:, None]
    return divmod(int(telling.argmax()), weights.shape[1]) if telling.any() else None


def looks_most(attention: Attention, head: int) -> str:
    """The strongest look of a head, in a sentence."""
    cell = strongest_look(attention, head)
    if cell is None:
        return tr("no word can look at more than one word")
    return tr(
        "{query} looks most at {key}, weight {weight}",
        weight=share_in_words(float(attention.weights[head][cell])),
        **_parts_of_look(attention, cell),
    )


def one_look(attention: Attention, head: int, cell: tuple[int, int]) -> str:
    """One weight of a head, in a sentence."""
    return tr(
        "{query} looks at {key} with weight {weight}",
        weight=weight_in_words(float(attention.weights[head][cell])),
        **_parts_of_look(attention, cell),
    )


def in_words(attention: Attention, head: int) -> str:
    """All rows of a head in words, for visitors who cannot see the picture."""
    positions = attention.query_positions, attention.key_positions
    keys = attention.key_labels
    return attention_in_words(attention.weights[head], rows_in_words(attention), keys, positions)


def roles_in_words(ran: Run, attention: Attention, known: KnownHeads | None) -> list[str]:
    """The role of each head in this sentence."""
    if known is None or attention.kind != "cross":
        return [role.in_words for role in roles(attention)]
    layer, best = known.aligning
    aligned = aligned_keys(ran.attention("cross", layer), best)
    found = [role.in_words for role in roles(attention, aligned)]
    if attention.layer == layer:
        found[best] = tr("aligns best")  # the aligning head agrees with itself
    return found


def head_in_words(ran: Run, attention: Attention, head: int, known: KnownHeads | None) -> str:
    """The role of a head in this sentence, in many others if known, and what it was taught."""
    job = _job_in_words(ran, attention, head, known)
    return sentences(job, taught_in_words(ran, attention, head))


def _job_in_words(ran: Run, attention: Attention, head: int, known: KnownHeads | None) -> str:
    role = roles_in_words(ran, attention, known)[head]
    if known is None:
        # Translators: what a head does, as a sentence: “previous token, 91%.”
        return tr("{job}.", job=role)
    if known.aligns_best(attention.kind, attention.layer, head):
        return tr(
            "of all heads, this one aligns best: for {percent:.0f}% of the words that were "
            "marked by hand in 100 sentences, it looks most at the word that is being translated.",
            percent=known.aligned_in_percent,
        )
    often = known.roles[attention.kind][attention.layer][head].in_words
    return tr(
        "{job} (in {sentences} held-out sentences: {often}).",
        job=role,
        sentences=known.sentences,
        often=often,
    )


def is_taught(ran: Run, attention: Attention, head: int) -> bool:
    """Whether a head was told in training where to look; that holds for any sentence."""
    known = known_heads(ran.request.source)
    return known is not None and (attention.kind, attention.layer, head) in known.taught


def marked_if_taught(name: str, ran: Run, attention: Attention, head: int) -> str:
    """The name of a head for a table, with a mark if it was taught."""
    return tr("{head}, taught", head=name) if is_taught(ran, attention, head) else name


def taught_in_words(ran: Run, attention: Attention, head: int) -> str:
    """Where a head was taught to look, or nothing."""
    known = known_heads(ran.request.source)
    if known is None or not is_taught(ran, attention, head):
        return ""
    if attention.kind == "cross":
        return tr("It was taught to look at what is copied, such as names.")
    # Translators: {job} is what a head looks at: next token
    return tr(
        "It was taught where to look: {job}.",
        job=tr(known.roles[attention.kind][attention.layer][head].name),
    )


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
    return 0 if known is None else known.most_telling_head(kind, layer)


def _parts_of_look(attention: Attention, cell: tuple[int, int]) -> dict[str, Any]:
    query, key = cell
    return {
        "query": named(rows_in_words(attention), query, attention.query_positions),
        "key": named(attention.key_labels, key, attention.key_positions),
    }


def rows_in_words(attention: Attention) -> list[str]:
    """What each row reads and writes: “small → cat”; long words are cut as in pictures."""
    return [
        arrow(elide(read, 12), elide(written, 12)) if written else read
        for read, written in zip(attention.query_labels, attention.writes, strict=True)
    ]
