"""The training on a GPU. Without one, these tests are skipped."""

import itertools
from pathlib import Path

import pytest
import torch

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from training.corpus import Corpus, Pair
from training.loss import loss_of
from training.mixture import Mixture
from training.recipe import Recipe
from training.trainer import Training

GPU = "cuda:0"
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")


def test_the_loss_of_the_training_is_the_same() -> None:
    config = ModelConfig(
        d_model=64, n_heads=8, n_encoder_layers=2, n_decoder_layers=2, d_ff=64, dropout=0.0,
        src_vocab_size=600, tgt_vocab_size=600, norm_first=True, tying="all",
    )  # fmt: skip
    dice = torch.Generator().manual_seed(1)
    src, tgt = (torch.randint(4, 600, (40, width), generator=dice) for width in (9, 11))
    losses = []
    for device in ("cpu", GPU):
        model = Transformer(config, seed=2).to(device)
        loss = loss_of(
            model, src.to(device), tgt.to(device), None,
            smoothing=0.1, copying=0.1, looking=0.1, agreeing=1.0,
        )  # fmt: skip
        torch.autograd.backward(loss)
        losses.append((loss.item(), model.src_embedding.token.weight.grad))
    assert losses[0][0] == pytest.approx(losses[1][0], rel=1e-2)
    slopes = [slope.cpu().flatten() for _, slope in losses if slope is not None]
    assert torch.cosine_similarity(slopes[0], slopes[1], dim=0) > 0.99


def test_a_training_on_a_gpu_can_be_interrupted(tmp_path: Path) -> None:
    pairs = tuple(Pair(f"{a} {b}", f"{b} {a}") for a in "abcdef" for b in "abcdef")
    corpus, state = Corpus(pairs, pairs[:1]), tmp_path / "kept.state"
    config = ModelConfig(
        d_model=32, n_heads=4, n_encoder_layers=1, n_decoder_layers=1, d_ff=64,
        src_vocab_size=270, tgt_vocab_size=270, norm_first=True, tying="all",
    )  # fmt: skip
    recipe = Recipe(tokens=200, mixture=Mixture(drawn=0.0))
    training = Training(corpus, recipe, config, device=GPU)
    first = [float(loss) for loss in itertools.islice(training.run(), 5)]
    training.save(state)
    again = Training(corpus, recipe, config, device=GPU)
    again.resume(state)
    rest = [float(loss) for loss in itertools.islice(again.run(), 40)]
    assert rest[-1] < first[0]
    assert again.translator().model.device == torch.device("cpu")
    assert again.translator().answer(["a b"])
