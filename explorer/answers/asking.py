"""Puts a source to the model, which answers it word by word."""

from collections.abc import Sequence
from dataclasses import replace

from explorer.choices.settings import Settings
from explorer.names import LIMIT, PAD
from explorer.runtime.engine import Tell, engine
from explorer.runtime.generation import answer_to
from explorer.text import Answer, Batch


def asked_of(settings: Settings) -> Batch:
    """The sources alone; as in training, PAD is on the right."""
    nothing = (Answer(()),) * len(settings.sources)
    return replace(settings, targets=nothing, side="right", hide_pad=False).batch()


def rows_written(settings: Settings, row: int) -> list[int]:
    """The rows of a target at which the model has written its answer: one for each piece.

    Each row predicts the piece that follows, so the first is that of BOS.
    """
    follows = settings.batch().tgt_out_labels[row]
    rows = [at for at, label in enumerate(follows) if label != PAD]
    if not settings.config.has_encoder:  # what was typed was not written by the model
        rows = rows[len(asked_of(settings).prompts[row]) - 1 :]
    target = settings.targets[row]
    return rows[:-1] if isinstance(target, Answer) and not target.ended else rows


def limit_of(settings: Settings, asked: Batch, row: int) -> int:
    """The tokens after which the answer to this source is cut off."""
    if settings.learnt is None:
        return LIMIT
    return settings.learnt.answer_limit(asked.n_read(row))


def written_to(
    settings: Settings, asked: Batch, row: int, tell: Tell, draft: Sequence[int] = ()
) -> Answer:
    """The answer that the model writes greedily, without dropout; `draft` is a guess of it.

    Each source is answered alone, so that typing in one does not let the others be answered anew.
    """
    written = answer_to(
        engine(),
        settings.request,
        asked.source(row),
        specials=asked.specials,
        limit=limit_of(settings, asked, row),
        draft=draft,
        prompt=() if settings.config.has_encoder else asked.prompts[row],
        tell=tell,
    )
    return Answer.of(written.ids, asked.specials, written.probabilities)
