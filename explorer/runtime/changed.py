"""The answer of a model one of whose attentions is changed."""

from collections.abc import Sequence
from typing import Final

from explorer.analysis.what_if import AttentionChange, changed
from explorer.decoding import Written, writing
from explorer.names import AttentionKind
from explorer.runtime.engine import Run, Tell
from explorer.runtime.memory import estimate
from explorer.runtime.turns import in_steps
from explorer.transformer import Transformer

LONGER: Final = 5  # tokens that it may have more than the answer of the model as it is


def changed_answer(
    ran: Run,
    kind: AttentionKind,
    layer: int,
    change: AttentionChange,
    right: Sequence[int],
    *,
    tell: Tell | None = None,
) -> Written:
    """The answer of an encoder–decoder to the source on show with one attention changed.

    `right` are the ids of its usual answer without EOS: a first guess, and the measure of how long
    it may write.
    """
    limit = min(len(right) + 1 + LONGER, ran.request.config.max_len - 1)
    need = estimate(ran.request.config, 1, ran.batch.src.shape[1], limit)
    # Without its mask, a word sees the words that follow it: no guess can be checked.
    drafts = [right] if change.masked or kind != "decoder" else []

    def answer(usual: Transformer) -> Written:
        model = changed(usual, kind, layer, change)
        src = ran.batch.src[ran.row : ran.row + 1].to(model.device)
        specials = ran.batch.specials
        return in_steps(writing(model, src, specials=specials, limit=limit, drafts=drafts))[0]

    key = (ran.key, kind, layer, change, limit)
    return ran.engine.result(ran.request, need, key, 32 * limit, answer, tell=tell)
