"""How the translator is trained: its shape, and the settings of its training."""

from dataclasses import dataclass, field
from typing import Final

from explorer.config import ModelConfig
from explorer.weights.subwords import VOCABULARY
from training.mixture import Mixture

CONFIG: Final = ModelConfig(
    d_model=256,
    n_heads=8,
    n_encoder_layers=4,
    n_decoder_layers=3,
    d_ff=1024,
    dropout=0.1,
    max_len=512,
    src_vocab_size=VOCABULARY,
    tgt_vocab_size=VOCABULARY,
    norm_first=True,
    tying="all",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the translator is trained."""

    passes: float = 55.0  # over the corpus; the learning rate falls to 0 in them
    tokens: int = 8000  # in a batch, a side, PAD included
    lr: float = 2e-3  # the highest rate
    warmup: int = 300  # steps up to it
    averaged: int = 600  # steps: the weights that are kept are a moving average
    weight_decay: float = 0.02
    label_smoothing: float = 0.1
    copying: float = 0.05  # of the loss of copying; see `loss_of`
    looking: float = 0.02  # of the loss of heads that are taught to look at one place
    agreeing: float = 1.0  # of the divergence of two readings of a pair; more than twice the work
    merges_left_out: float = 0.1  # in a source: BPE dropout (Provilkov et al. 2020)
    mixture: Mixture = field(default_factory=Mixture)

    def lr_at(self, step: int, done: float) -> float:
        """The rate of a step, counted from 1, when a share of the training is over."""
        return self.lr * min(step / self.warmup, max(0.0, 1.0 - done))
