"""A model of unequal depths, and a batch with PAD in it."""

import torch

from explorer.config import ModelConfig

CONFIG = ModelConfig(
    d_model=8,
    n_heads=2,
    n_encoder_layers=3,
    n_decoder_layers=2,
    d_ff=16,
    max_len=6,
    src_vocab_size=10,
    tgt_vocab_size=12,
    src_pad_id=1,
    tgt_pad_id=0,
)
SRC = torch.tensor([[2, 3, 4, 5], [6, 1, 7, 1]])
TGT = torch.tensor([[1, 4, 5], [1, 6, 0]])
