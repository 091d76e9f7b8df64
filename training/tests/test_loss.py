"""The fast loss used in training equals the loss of the model that the app shows."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from training.loss import COPYING, Dropout, _SmoothedLoss, loss_of, taught_heads

PIECES = 600
CONFIG = ModelConfig(
    d_model=64, n_heads=8, n_encoder_layers=2, n_decoder_layers=2, d_ff=64, dropout=0.0,
    src_vocab_size=PIECES, tgt_vocab_size=PIECES, norm_first=True, tying="all",
)  # fmt: skip

# Stack, layer, head, and the place it is taught to look at, in tokens from its own.
TAUGHT = [
    ("encoder", 0, 0, 1), ("encoder", 0, 3, -1),
    ("decoder", 0, 0, -1), ("decoder", 0, 1, -2), ("decoder", 1, 7, -1),
]  # fmt: skip


def batch(sentences: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids of random sentences with PAD on the right."""
    dice = torch.Generator().manual_seed(1)
    sides = []
    for width in (9, 11):
        ids = torch.randint(4, PIECES, (sentences, width), generator=dice)
        lengths = torch.randint(2, width + 1, (sentences, 1), generator=dice)
        sides.append(torch.where(torch.arange(width) < lengths, ids, CONFIG.src_pad_id))
    return sides[0], sides[1]


def loss_and_gradients(
    model: Transformer,
    src: torch.Tensor,
    tgt: torch.Tensor,
    *,
    lean: bool,
    copying: float,
    looking: float,
) -> tuple[float, dict[str, torch.Tensor]]:
    model.zero_grad()
    if lean:
        places = torch.Generator().manual_seed(0)
        loss = loss_of(model, src, tgt, smoothing=0.1, dropout=Dropout(0.0, 0), generator=places,
                       copying=copying, looking=looking)  # fmt: skip
    else:
        trace, written = model(src, tgt[:, :-1]), tgt[:, 1:]
        loss = F.cross_entropy(trace.logits.flatten(0, 1), written.flatten(),
                               ignore_index=CONFIG.tgt_pad_id, label_smoothing=0.1)  # fmt: skip
        same = (written[:, :, None] == src[:, None]) & (written != CONFIG.tgt_pad_id)[:, :, None]
        for layer in range(CONFIG.n_decoder_layers if copying else 0):
            attended = (trace.attention("cross", layer).weights[:, COPYING] * same).sum(dim=-1)
            loss = loss - copying * attended[same.any(dim=-1)].log().mean()
        for stack, layer, head, away in TAUGHT if looking else ():
            read = src if stack == "encoder" else written
            logs = []
            for row, ids in enumerate(read):
                n = int((ids != CONFIG.tgt_pad_id).sum())  # PAD is on the right
                weights = trace.attention(stack, layer).weights[row, head]
                logs += [weights[q, q + away].log() for q in range(n) if 0 <= q + away < n]
            loss = loss - looking * torch.stack(logs).mean()
    torch.autograd.backward(loss)
    return loss.item(), {
        name: weight.grad.clone()
        for name, weight in model.named_parameters()
        if weight.grad is not None
    }


# 200 sentences have more than 512 pieces, so the loss is computed in several chunks.
@pytest.mark.parametrize(
    ("sentences", "copying", "looking"),
    [(3, 0.0, 0.0), (200, 0.0, 0.0), (200, 0.05, 0.0), (200, 0.0, 0.1)],
)
def test_loss_and_gradients_equal_those_of_the_model(
    sentences: int, copying: float, looking: float
) -> None:
    model = Transformer(CONFIG, seed=2)
    src, tgt = batch(sentences)
    wanted, gradients = loss_and_gradients(
        model, src, tgt, lean=False, copying=copying, looking=looking
    )
    loss, lean = loss_and_gradients(model, src, tgt, lean=True, copying=copying, looking=looking)
    assert loss == pytest.approx(wanted, rel=2e-3)
    assert lean.keys() == gradients.keys()
    for name, gradient in gradients.items():
        # The keys' bias changes no weight, so its gradient is nothing but rounding.
        kept: Any = slice(None)
        if name.endswith("w_qkv.bias"):
            kept = torch.arange(3 * 64) // 64 != 1
        alike = F.cosine_similarity(lean[name][kept].flatten(), gradient[kept].flatten(), dim=0)
        assert alike > 0.99, name
        assert lean[name][kept].norm() == pytest.approx(gradient[kept].norm().item(), rel=0.05), (
            name
        )


def test_the_taught_heads_are_listed() -> None:
    copying = [("cross", layer, COPYING) for layer in range(CONFIG.n_decoder_layers)]
    taught = [(stack, layer, head) for stack, layer, head, _ in TAUGHT]
    assert sorted(taught_heads(Transformer(CONFIG))) == sorted([*taught, *copying])


def test_two_different_readings_cost_their_divergence() -> None:
    """R-Drop: its loss and gradients are those of autograd with the logits of both readings."""
    dice = torch.Generator().manual_seed(5)
    h = torch.randn(2 * 700, 16, generator=dice, requires_grad=True)  # several chunks
    matrix = torch.randn(50, 16, generator=dice, requires_grad=True)
    bias = torch.randn(50, generator=dice, requires_grad=True)
    wanted = torch.randint(50, (700,), generator=dice).repeat(2)

    logits = F.linear(h, matrix, bias)
    first, second = logits.log_softmax(dim=-1).chunk(2)
    apart = F.kl_div(second, first, reduction="batchmean", log_target=True)
    apart = apart + F.kl_div(first, second, reduction="batchmean", log_target=True)
    usual = F.cross_entropy(logits, wanted, label_smoothing=0.1) + 3.0 * apart / 2
    loss = _SmoothedLoss.apply(h, matrix, bias, wanted, 0.1, 3.0)

    assert loss.item() == pytest.approx(usual.item(), rel=1e-5)
    given = (h, matrix, bias)
    for found, right in zip(
        torch.autograd.grad(loss, given), torch.autograd.grad(usual, given), strict=True
    ):
        torch.testing.assert_close(found, right)


def test_readings_of_which_nothing_is_dropped_agree() -> None:
    model, (src, tgt) = Transformer(CONFIG, seed=2), batch(20)

    def loss(dropped: float, agreeing: float) -> float:
        return loss_of(
            model, src, tgt, smoothing=0.1, agreeing=agreeing,
            dropout=Dropout(dropped, 0), generator=torch.Generator().manual_seed(0),
        ).item()  # fmt: skip

    assert loss(0.0, 5.0) == pytest.approx(loss(0.0, 0.0), rel=1e-3)
    assert loss(0.5, 5.0) > loss(0.5, 1e-6) + 0.1


def test_dropout_drops_its_share_and_keeps_the_mean() -> None:
    drop = Dropout(0.25, seed=3)
    places = torch.Generator().manual_seed(4)
    x = torch.ones(400, 500, dtype=torch.bfloat16)
    one, other = drop(x, places).float(), drop(x, places).float()
    assert (one == 0).float().mean() == pytest.approx(0.25, abs=0.01)
    assert one.mean() == pytest.approx(1.0, abs=0.01)
    assert not torch.equal(one, other)


def test_no_dropout_changes_nothing() -> None:
    x = torch.randn(3, 4)
    assert Dropout(0.0, 0)(x, torch.Generator()) is x
