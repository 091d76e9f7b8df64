"""The logit lens (nostalgebraist 2020): what the decoder would write after every layer."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from explorer.decoding import of_words
from explorer.names import SpecialIds
from explorer.transformer import Transformer, TransformerTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitLens:
    """The likeliest next word at every position, before the first layer and after each one."""

    best: Int[np.ndarray, "stops tgt"]  # ids
    sure: Float[np.ndarray, "stops tgt"]  # their probabilities
    final: Float[np.ndarray, "stops tgt"]  # the probability of the word written in the end


def logit_lens(model: Transformer, trace: TransformerTrace, specials: SpecialIds) -> LogitLens:
    """Read every layer's output as if it were the last: final norm, logits, softmax.

    The last stop is the model's real output. It is for the first sentence of the trace.
    """
    stops = [trace.tgt_embedding.out, *(layer.out for layer in trace.decoder)]
    with torch.inference_mode():
        x = torch.stack([stop[0] for stop in stops])  # (stops, tgt, d_model)
        logits = model.to_logits(model.decoder_norm(x))
        probabilities = logits.softmax(dim=-1)
        best = of_words(logits, specials).argmax(dim=-1)
        sure = probabilities.gather(-1, best[..., None])[..., 0]
        final = probabilities.gather(-1, best[-1].expand(len(stops), -1)[..., None])[..., 0]
    return LogitLens(best=best.cpu().numpy(), sure=sure.cpu().numpy(), final=final.cpu().numpy())
