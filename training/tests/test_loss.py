"""The loss in half precision, beside formulas that go from position to position."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from explorer.config import ModelConfig
from explorer.transformer import Transformer, TransformerTrace
from training.loss import COPYING, loss_of, taught_heads

PIECES = 600
CONFIG = ModelConfig(
    d_model=64, n_heads=8, n_encoder_layers=2, n_decoder_layers=2, d_ff=64, dropout=0.5,
    src_vocab_size=PIECES, tgt_vocab_size=PIECES, norm_first=True, tying="all",
)  # fmt: skip
SMOOTHING = 0.1

# Stack, layer, head, and the place it is taught to look at, in tokens from its own.
TAUGHT: list[tuple[Any, int, int, int]] = [
    ("encoder", 0, 0, 1), ("encoder", 0, 3, -1),
    ("decoder", 0, 0, -1), ("decoder", 0, 1, -2), ("decoder", 1, 7, -1),
]  # fmt: skip


def batch(sentences: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids of random sentences with PAD on the right; some pieces are on both sides."""
    dice = torch.Generator().manual_seed(1)
    sides = []
    for width in (9, 11):
        ids = torch.randint(4, PIECES, (sentences, width), generator=dice)
        lengths = torch.randint(2, width + 1, (sentences, 1), generator=dice)
        sides.append(torch.where(torch.arange(width) < lengths, ids, CONFIG.src_pad_id))
    src, tgt = sides
    tgt[:, 1:3] = src[:, :2]
    return src, tgt


def probability(trace: TransformerTrace, row: int, position: int) -> torch.Tensor:
    exps = trace.logits[row, position].exp()
    return exps / exps.sum()


def pieces(written: torch.Tensor) -> list[tuple[int, int, int]]:
    """Row, position and id of all pieces that are to be written."""
    return [
        (row, at, int(piece))
        for row, ids in enumerate(written)
        for at, piece in enumerate(ids)
        if piece != CONFIG.tgt_pad_id
    ]


def of_words(trace: TransformerTrace, src: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
    """The right piece has 0.9 and its share of 0.1, which all pieces have."""
    losses = []
    for row, at, piece in pieces(written):
        logs = probability(trace, row, at).log()
        losses.append(-(1 - SMOOTHING) * logs[piece] - SMOOTHING * logs.mean())
    return torch.stack(losses).mean()


def of_copying(trace: TransformerTrace, src: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(())
    for layer in range(2):
        weights = trace.attention("cross", layer).weights
        losses = [
            -weights[row, COPYING, at, src[row] == piece].sum().log()
            for row, at, piece in pieces(written)
            if piece in src[row]
        ]
        assert len(losses) > 5
        total = total + torch.stack(losses).mean()
    return total


def of_looking(trace: TransformerTrace, src: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(())
    for stack, layer, head, away in TAUGHT:
        losses = []
        for row, ids in enumerate(src if stack == "encoder" else written):
            n = int((ids != CONFIG.tgt_pad_id).sum())
            weights = trace.attention(stack, layer).weights[row, head]
            losses += [-weights[q, q + away].log() for q in range(n) if 0 <= q + away < n]
        total = total + torch.stack(losses).mean()
    return total


@pytest.mark.parametrize(
    ("share", "added"), [({}, None), ({"copying": 2.0}, of_copying), ({"looking": 0.5}, of_looking)]
)
def test_loss_and_gradients_are_those_of_the_formulas(share: dict[str, float], added: Any) -> None:
    model, (src, tgt) = Transformer(CONFIG, seed=2), batch(12)
    shares = {"copying": 0.0, "looking": 0.0, "agreeing": 0.0} | share
    loss = loss_of(model, src, tgt, None, smoothing=SMOOTHING, **shares)
    trace, written = model(src, tgt[:, :-1]), tgt[:, 1:]
    wanted = of_words(trace, src, written)
    if added:
        wanted = wanted + sum(share.values()) * added(trace, src, written)
    assert loss.item() == pytest.approx(wanted.item(), rel=2e-3)
    names, weights = zip(*model.named_parameters(), strict=True)
    slopes, right = (torch.autograd.grad(outcome, weights) for outcome in (loss, wanted))
    for name, slope, gradient in zip(names, slopes, right, strict=True):
        # The keys' bias changes no weight, so its gradient is nothing but rounding.
        kept: Any = slice(None)
        if name.endswith("w_qkv.bias"):
            kept = torch.arange(3 * 64) // 64 != 1
        alike = F.cosine_similarity(slope[kept].flatten(), gradient[kept].flatten(), dim=0)
        assert alike > 0.99, name
        assert slope[kept].norm() == pytest.approx(gradient[kept].norm().item(), rel=0.05), name


def test_the_taught_heads_are_listed() -> None:
    copying = [("cross", layer, COPYING) for layer in range(CONFIG.n_decoder_layers)]
    taught = [(stack, layer, head) for stack, layer, head, _ in TAUGHT]
    assert sorted(taught_heads(CONFIG)) == sorted([*taught, *copying])


def test_a_piece_that_no_weight_is_left_for_costs_much_but_not_everything() -> None:
    model, (src, tgt) = Transformer(CONFIG, seed=2), batch(3)
    with torch.no_grad():
        model.attention("cross", 1).w_qkv.weight *= 100
    loss = loss_of(model, src, tgt, None, smoothing=0.0, copying=1.0, looking=0.0, agreeing=0.0)
    assert 100 < loss.item() < float("inf")


def test_two_different_readings_cost_their_divergence() -> None:
    """R-Drop: the same dice drop the same numbers, so that both readings are known."""
    model, (src, tgt) = Transformer(CONFIG, seed=2), batch(12)
    without, with_ = (
        loss_of(
            model, src, tgt, torch.Generator().manual_seed(3),
            smoothing=SMOOTHING, copying=0.0, looking=0.0, agreeing=agreeing,
        ).item()
        for agreeing in (1e-9, 3.0)
    )  # fmt: skip
    read, written = tgt[:, :-1].repeat(2, 1), tgt[:, 1:]
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        trace = model(src.repeat(2, 1), read, torch.Generator().manual_seed(3))
    apart = []
    for row, at, _ in pieces(written):
        p, q = (probability(trace, one, at).double() for one in (row, row + len(src)))
        apart.append(((p - q) * (p.log() - q.log())).sum() / 2)
    assert with_ - without == pytest.approx(3.0 * torch.stack(apart).mean().item(), rel=1e-3)
    assert with_ > without + 0.1


def test_readings_of_which_nothing_is_dropped_agree() -> None:
    model, (src, tgt) = Transformer(CONFIG, seed=2), batch(12)
    apart, alone = (
        loss_of(
            model, src, tgt, None, smoothing=0.0, copying=0.0, looking=0.0, agreeing=agreeing
        ).item()
        for agreeing in (5.0, 0.0)
    )
    assert apart == pytest.approx(alone, rel=1e-4)
