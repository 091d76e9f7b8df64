"""What does one word lose without a head? Every head switched off, one at a time."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float

from explorer.analysis.causes.patching import measured
from explorer.analysis.causes.question import Question
from explorer.intervention import Given, GivenAttention, Intervention
from explorer.names import AttentionKind


def without_heads(
    question: Question,
) -> Iterator[tuple[AttentionKind, int, Float[np.ndarray, " heads"]]]:
    """The change of the measure without each head: one layer at a time.

    The output of a head (before W_O) is 0 at every position, and all that follows is computed anew
    (Michel et al. 2019). A head that others can stand in for changes nothing.
    """
    config = question.sentence.model.config
    heads = torch.eye(config.n_heads, dtype=torch.bool, device=question.src_mask.device)
    nothing = torch.zeros(1, 1, 1, 1, device=question.src_mask.device)
    given = GivenAttention(context=Given(heads[:, :, None, None], nothing))  # (run, heads, 1, 1)
    for kind in config.attention_kinds:
        for layer in range(config.layers_of(kind)):
            off = Intervention(attentions={(kind, layer): given})
            yield kind, layer, measured(question, off, len(heads), kind) - question.answer
