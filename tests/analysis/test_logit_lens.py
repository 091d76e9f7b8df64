"""The logit lens against the model itself, cut off after a layer."""

import torch

from explorer.analysis.logit_lens import logit_lens
from explorer.config import ModelConfig
from explorer.names import USUAL_IDS
from explorer.transformer import Transformer

SRC, TGT = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8, 9]])


def model(*, layers: int, norm_first: bool) -> Transformer:
    return Transformer(
        ModelConfig(
            d_model=16, n_heads=2, n_encoder_layers=2, n_decoder_layers=layers, d_ff=32,
            src_vocab_size=20, tgt_vocab_size=20, norm_first=norm_first,
        ),
        seed=5,
    )  # fmt: skip


def test_the_lens_after_a_layer_equals_a_model_that_ends_there() -> None:
    for norm_first in (False, True):
        whole = model(layers=3, norm_first=norm_first)
        with torch.inference_mode():
            lens = logit_lens(whole, whole(SRC, TGT), USUAL_IDS)
        assert lens.best.shape == lens.sure.shape == lens.final.shape == (4, 4)
        for layers in (1, 2, 3):
            cut = model(layers=layers, norm_first=norm_first)  # the same weights, fewer layers
            with torch.inference_mode():
                probabilities = cut(SRC, TGT).logits[0].softmax(dim=-1)
            words = probabilities.clone()
            words[:, [USUAL_IDS.pad, USUAL_IDS.bos]] = 0.0
            best = words.argmax(dim=-1)
            assert lens.best[layers].tolist() == best.tolist()
            at = torch.arange(4)
            torch.testing.assert_close(torch.tensor(lens.sure[layers]), probabilities[at, best])
            written = torch.tensor(lens.best[3])
            torch.testing.assert_close(torch.tensor(lens.final[layers]), probabilities[at, written])


def test_before_the_first_layer_the_lens_reads_the_embedding() -> None:
    whole = model(layers=1, norm_first=False)
    with torch.inference_mode():
        trace = whole(SRC, TGT)
        lens = logit_lens(whole, trace, USUAL_IDS)
        logits = whole.to_logits(trace.tgt_embedding.out[0]).clone()
        logits[:, [USUAL_IDS.pad, USUAL_IDS.bos]] = -torch.inf
    assert lens.best[0].tolist() == logits.argmax(dim=-1).tolist()
