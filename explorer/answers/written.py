"""The answer on show as the steps in which it was written, and the head to look at."""

from explorer.analysis.writing import Writing, writing
from explorer.answers.asking import rows_written
from explorer.choices.settings import Settings
from explorer.names import AttentionKind
from explorer.runtime.engine import Run


def answer_of(settings: Settings, ran: Run) -> Writing | None:
    """The steps in which the shown answer was written; None if nothing can be written."""
    if not settings.config.has_decoder or ran.batch.tgt_out is None:
        return None
    layer, head = telling_head(settings, kind_of_looks(settings))
    attention = ran.attention(kind_of_looks(settings), layer)
    follows = ran.batch.tgt_out[ran.row].tolist()
    written = {query: follows[query] for query in rows_written(settings, ran.row)}
    return writing(attention, ran.trace.logits[0], written, head)


def telling_head(settings: Settings, kind: AttentionKind) -> tuple[int, int | None]:
    """The layer and head, from 0, that show most clearly what was learnt.

    Without a measurement, it is the mean of the last layer's heads.
    """
    known = settings.known_heads
    if known is not None and kind == "cross":
        return known.aligning
    return settings.config.layers_of(kind) - 1, None


def kind_of_looks(settings: Settings) -> AttentionKind:
    """The attention that tells which words an answer looks at."""
    if not settings.config.has_decoder:
        return "encoder"
    return "cross" if settings.config.has_encoder else "decoder"
