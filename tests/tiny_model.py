"""A model so small that every answer it could give can be listed."""

import torch
from hypothesis import settings
from torch import Tensor

from explorer.config import ModelConfig
from explorer.names import USUAL_IDS
from explorer.transformer import Transformer
from tests.properties.strategies import perturbed

VOCAB = 6  # PAD, BOS, EOS, UNK and two words
WORDS = (2, 3, 4, 5)
SRC = torch.tensor([[4, 5, 3]])
# The number of examples where each runs the model dozens of times: 8, or 2 in a quick run.
few = settings(max_examples=max(2, settings().max_examples // 3))


def tiny(
    seed: int = 0, *, eos_bias: float = 0.0, pad_bos_bias: float = 0.0, vocab: int = VOCAB
) -> Transformer:
    """A model with strong preferences, in float64; with extra bias for special tokens."""
    config = ModelConfig(
        d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=8,
        src_vocab_size=vocab, tgt_vocab_size=vocab,
    )  # fmt: skip
    model = perturbed(Transformer(config, seed=seed)).double()
    with torch.no_grad():
        model.to_logits.weight *= 3
        model.to_logits.bias[USUAL_IDS.eos] += eos_bias
        model.to_logits.bias[:2] += pad_bos_bias
    return model


def forward(model: Transformer, src: Tensor, read: tuple[int, ...]) -> Tensor:
    """The logits after a whole prefix, in one forward pass."""
    with torch.no_grad():
        return model(src, torch.tensor([read])).logits[0, -1]
