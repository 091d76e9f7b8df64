"""Answers that nobody should rely on: the measured quality does not hold for them."""

import math
from collections.abc import Sequence

from explorer.analysis.head_roles import KnownHeads
from explorer.choices.settings import Settings
from explorer.config import ADDED_POSITIONS
from explorer.decoding import Written
from explorer.languages import numeral, tr
from explorer.names import PAD
from explorer.tasks.verdict import why_not_learnt
from explorer.text import Answer
from explorer.vocabulary import Vocabulary
from explorer.weights.catalogue import TRANSLATOR, Shipped, shipped_translator
from explorer.weights.doubts.sureness import mean_log
from explorer.weights.translator import SURE


def why_outside(settings: Settings, row: int | None = None) -> str:
    """Why nobody should rely on the answer to the source on show, or to that of a row, or nothing.

    The source is unlike those that the model learnt from, or the model was unsure of what it wrote.
    """
    at = settings.row if row is None else row
    target = settings.targets[at]
    why = why_unlike(settings, at)
    return why or (why_doubted(settings, at, target) if isinstance(target, Answer) else "")


def why_unlike(settings: Settings, row: int) -> str:
    """Why the source of a row is unlike those that the model learnt from, or nothing."""
    if settings.learnt is None or not settings.sources[row].strip():
        return ""
    if settings.request.source == Shipped(TRANSLATOR):
        target = settings.targets[row]
        translator, source = shipped_translator(), settings.sources[row]
        if not isinstance(target, Answer):
            return translator.outside(source, target)
        return translator.outside(source, translator.text(target.ids), target.probabilities)
    if settings.learnt.task is None:
        return ""  # its training data are unknown
    words = settings.tokenizer.split(settings.sources[row])
    return why_not_learnt(
        settings.learnt.task, words, unknown_words(settings.batch().src_vocab, words)
    )


def is_foreign(settings: Settings, row: int) -> bool:
    """Whether the translator is to read a source that does not look like English."""
    target = settings.targets[row]
    if settings.request.source != Shipped(TRANSLATOR) or not isinstance(target, Answer):
        return False
    translator, source = shipped_translator(), settings.sources[row]
    return bool(
        source.strip()
        and translator.foreign(source, translator.text(target.ids), target.probabilities)
    )


def why_doubted(settings: Settings, row: int, answer: Answer) -> str:
    """Why a row's answer is doubted: a word, a number or its own probabilities speak against it."""
    if settings.request.source != Shipped(TRANSLATOR) or not settings.sources[row].strip():
        return ""
    written = Written(answer.ids, answer.probabilities)
    return shipped_translator().doubt(settings.sources[row], written)


def is_moved(settings: Settings, row: int) -> bool:
    """Whether PAD on the left moves what a row reads to positions that have other vectors."""
    config = settings.config
    if settings.side != "left" or config.positions not in ADDED_POSITIONS:
        return False
    batch = settings.batch()
    return PAD in (batch.src_labels[row] if config.has_encoder else batch.tgt_in_labels[row])


def how_sure(settings: Settings, row: int, answer: Answer) -> str:
    """How sure the model was of its answer to a row, in a few words; empty if not known.

    For the translator, the share of right answers was measured by how sure it was. This holds
    only for whole answers to sentences like those that it learnt from.
    """
    if not answer.probabilities or min(answer.probabilities) <= 0:
        return ""
    if is_moved(settings, row):
        return tr("written with PAD on the right")
    if settings.request.source == Shipped(TRANSLATOR):
        sureness = shipped_translator().sureness
        if sureness is None or not answer.ended or why_outside(settings, row):
            return ""
        n = sureness.right_of_ten(answer.probabilities)
        if n is None:
            return ""
        text = tr("about {n} of 10 such answers are right", n=n)
        return text if n >= SURE else f"⚠ {text}"
    return tr("{share} sure", share=numeral(math.exp(mean_log(answer.probabilities)), ".0%"))


def unknown_words(vocabulary: Vocabulary, words: Sequence[str]) -> tuple[str, ...]:
    """The words that are read as UNK."""
    ids = zip(words, vocabulary.encode(words), strict=True)
    return tuple(word for word, i in ids if i == vocabulary.specials.unk)


def known_here(settings: Settings) -> KnownHeads | None:
    """The heads' roles over many sentences, if they were measured on sentences like this."""
    return None if why_outside(settings) else settings.known_heads


def quality_here(settings: Settings) -> str:
    """The quality of the model, with a note if the shown sentence is unlike the measured ones."""
    assert settings.learnt is not None
    quality = settings.learnt.quality
    if not why_outside(settings):
        return quality
    return tr("{quality}; not measured on such sentences as this one", quality=quality)
