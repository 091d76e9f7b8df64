"""Random models, batches of ids, and texts."""

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from explorer.config import ModelConfig
from explorer.transformer import Transformer

seeds = st.integers(0, 2**16)


@st.composite
def configs(draw: st.DrawFn) -> ModelConfig:
    """Small models of every form: depths that differ, PAD any id, both norms."""
    n_heads = draw(st.integers(1, 4))
    src_vocab_size, tgt_vocab_size = draw(st.integers(4, 12)), draw(st.integers(4, 12))
    return ModelConfig(
        d_model=n_heads * draw(st.sampled_from([2, 3, 4])),
        n_heads=n_heads,
        n_encoder_layers=draw(st.integers(1, 3)),
        n_decoder_layers=draw(st.integers(1, 3)),
        d_ff=draw(st.integers(1, 16)),
        dropout=0.3,
        src_vocab_size=src_vocab_size,
        tgt_vocab_size=tgt_vocab_size,
        src_pad_id=draw(st.integers(0, src_vocab_size - 1)),
        tgt_pad_id=draw(st.integers(0, tgt_vocab_size - 1)),
        norm_first=draw(st.booleans()),
    )


@dataclass(frozen=True)
class Case:
    """A model, and a batch that it can read."""

    model: Transformer
    src: Tensor
    tgt: Tensor

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The text that Hypothesis prints for a case that fails."""
        config, src, tgt = self.model.config, self.src.tolist(), self.tgt.tolist()
        printer.text(f"Case({config}, src={src}, tgt={tgt})")


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """PAD stands anywhere: at the end, at the start, in the middle, everywhere.

    In float64: a norm over a few nearly equal numbers makes much of every rounding.
    """
    config = draw(configs())
    batch = draw(st.integers(1, 3))
    src, tgt = (
        draw(ids(batch, draw(st.integers(1, 6)), vocab_size, pad_id))
        for vocab_size, pad_id in (
            (config.src_vocab_size, config.src_pad_id),
            (config.tgt_vocab_size, config.tgt_pad_id),
        )
    )
    return Case(perturbed(Transformer(config, seed=draw(seeds))).double(), src, tgt)


def ids(batch: int, length: int, vocab_size: int, pad_id: int) -> st.SearchStrategy[Tensor]:
    """PAD more often than by chance."""
    an_id = st.one_of(st.just(pad_id), st.integers(0, vocab_size - 1))
    row = st.lists(an_id, min_size=length, max_size=length)
    return st.lists(row, min_size=batch, max_size=batch).map(torch.tensor)


def perturbed(model: Transformer) -> Transformer:
    """The model with random noise in all weights: a bias of 0 or a norm of 1 can hide a mistake."""
    stream = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.empty_like(parameter).uniform_(-0.2, 0.2, generator=stream))
    return model


# Letters, marks, joiners, emoji parts, brackets and what is no text at all, packed densely.
_ODD = (
    "aZ9_é'’-.<>/[](),; \t\n\r\x00\x1f\x7f\x85\xa0\xad\u0301\u0903\u093f\u094d\u0915\u0937"
    "\u200b\u200c\u200d\u200e\u200f\u202e\u2028\u2066\u2069\u3000\ufe0f\ufeff\u061c\u180e\u034f"
    "\u115f\u3164\ud800\udfff\ufffe\U0001f468\U0001f469\U0001f3fd\U0001f1eb\U0001f1f7\U0001f3f4"
    "\U000e0067\U000e007f爱ラー가ที่שלم\u20e31"
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20),
    st.text(st.sampled_from(_ODD), max_size=12),
)
