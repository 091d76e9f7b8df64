"""What a change of one attention does to its output, to the logits and to the next words."""

from dataclasses import dataclass

import torch

from explorer.names import AttentionKind
from explorer.transformer import TransformerTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The effect of a change in one attention, over all tokens except PAD."""

    output: float  # mean over tokens: ‖change of the attention's output‖ / ‖its output before‖
    n_tokens: int
    logits: float  # the largest change of a logit
    next_words: int  # positions at which the most probable next word changed
    n_positions: int


def difference(
    before: TransformerTrace,
    after: TransformerTrace,
    kind: AttentionKind,
    layer: int,
    src_is_word: list[bool],
    tgt_is_word: list[bool],
) -> Difference | None:
    """Compare the first sentence of two traces; None if it has no target words."""
    if not any(tgt_is_word):
        return None
    words = torch.tensor(src_is_word if kind == "encoder" else tgt_is_word)
    outs = [trace.attention(kind, layer).out[0].cpu()[words] for trace in (before, after)]
    moved = (outs[1] - outs[0]).norm(dim=1) / outs[0].norm(dim=1).clip(1e-9)
    asked = torch.tensor(tgt_is_word)
    logits, new = (trace.logits[0].cpu()[asked] for trace in (before, after))
    return Difference(
        output=float(moved.mean()),
        n_tokens=len(moved),
        logits=float((new - logits).abs().max()),
        next_words=int((logits.argmax(dim=1) != new.argmax(dim=1)).sum()),
        n_positions=len(logits),
    )
