"""The logit lens (nostalgebraist 2020): what the decoder would write after every layer."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from explorer.names import SpecialIds
from explorer.rules import of_words
from explorer.transformer import Transformer, TransformerTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitLens:
    """The likeliest next word at every position, before the first layer and after each one."""

    best: Int[np.ndarray, "layers tgt"]  # ids
    sure: Float[np.ndarray, "layers tgt"]  # their probabilities
    final: Float[np.ndarray, "layers tgt"]  # the probability of the word written in the end


def logit_lens(model: Transformer, trace: TransformerTrace, specials: SpecialIds) -> LogitLens:
    """Read every layer's output as if it were the last: final norm, logits, softmax.

    The last row is the model's real output. It is for the first sentence of the trace.
    """
    outputs = [trace.tgt_embedding.out, *(layer.out for layer in trace.decoder)]
    written = of_words(trace.logits[0], specials).argmax(dim=-1)
    rows: list[Tensor] = []
    with torch.inference_mode():
        for output in outputs:  # one at a time: a large vocabulary takes memory
            logits = model.logits(model.decoder_norm(output[0]))  # (tgt, tgt_vocab)
            best = of_words(logits, specials).argmax(dim=-1)
            ids = torch.stack([best, written], dim=-1)
            rows.append(torch.cat([best[:, None], logits.softmax(dim=-1).gather(-1, ids)], -1))
    best, sure, final = torch.stack(rows).cpu().numpy().transpose(2, 0, 1)
    return LogitLens(best=best.astype(np.int64), sure=sure, final=final)
