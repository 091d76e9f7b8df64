"""One attention changed: by how much, where it shows, and what must stay as it was."""

import math
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from explorer.analysis.what_if import AttentionChange, ChangedAttention, changed
from explorer.config import ModelConfig
from explorer.names import AttentionKind
from explorer.transformer import Transformer, TransformerTrace
from tests.properties.strategies import perturbed

KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")
SRC = torch.tensor([[2, 3, 4, 5, 1], [6, 7, 1, 1, 1]])
TGT = torch.tensor([[3, 4, 5, 6], [0, 2, 7, 0]])  # the second one begins with PAD


def model_of(d_model: int, n_heads: int, dropout: float = 0.0, **more: Any) -> Transformer:
    config = ModelConfig(d_model=d_model, n_heads=n_heads, n_encoder_layers=3, n_decoder_layers=3,
                         d_ff=10, dropout=dropout, src_vocab_size=9, tgt_vocab_size=8,
                         src_pad_id=1, tgt_pad_id=0, **more)  # fmt: skip
    return perturbed(Transformer(config))


@pytest.fixture(scope="module")
def model() -> Transformer:
    return model_of(6, 3)


def by_hand(q: Tensor, k: Tensor, mask: Tensor | None, times: float) -> Tensor:
    """softmax(q·k × times), cell by cell in float64; a row that may attend to nothing is 0."""
    weights = torch.zeros(*q.shape[:3], k.shape[2], dtype=torch.float64)
    for sentence, head, i in torch.cartesian_prod(*map(torch.arange, q.shape[:3])).tolist():
        query = q[sentence, head, i].tolist()
        powers = {
            j: math.exp(times * math.fsum(a * b for a, b in zip(query, key, strict=True)))
            for j, key in enumerate(k[sentence, head].tolist())
            if mask is None or bool(mask[sentence, 0, min(i, mask.shape[2] - 1), j])
        }
        for j, power in powers.items():
            weights[sentence, head, i, j] = power / math.fsum(powers.values())
    return weights


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual.double(), expected.double(), rtol=1e-5, atol=1e-5)


def mask_of(trace: TransformerTrace, kind: AttentionKind) -> Tensor:
    return trace.tgt_mask if kind == "decoder" else trace.src_mask


def runs(
    model: Transformer, kind: AttentionKind, layer: int, **change: Any
) -> tuple[TransformerTrace, TransformerTrace]:
    """Before and after the change."""
    twin = changed(model, kind, layer, AttentionChange(**change))
    return model(SRC, TGT), twin(SRC, TGT)


class TestNoChange:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("d_k", [1, 3, 16])
    @pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
    def test_it_gives_the_same_numbers_to_the_last_bit(
        self, kind: AttentionKind, d_k: int, norm_first: bool
    ) -> None:
        model = model_of(2 * d_k, 2, norm_first=norm_first)
        for layer in range(3):
            before, after = runs(model, kind, layer)
            assert torch.equal(after.logits, before.logits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "times"),
    [
        ({"scaled": False}, 1.0),
        ({"masked": False}, 1 / math.sqrt(2)),  # d_k = 2
    ],
    ids=str,
)
def test_scale_and_mask(
    model: Transformer, kind: AttentionKind, change: dict[str, Any], times: float
) -> None:
    before, after = runs(model, kind, 1, **change)
    new = after.attention(kind, 1)
    close(new.scores, new.q.double() @ new.k.double().mT * times)
    mask = mask_of(before, kind) if change.get("masked", True) else None
    close(new.weights, by_hand(new.q, new.k, mask, times))
    close(new.context, new.weights @ new.v)


def test_scale_of_a_model_that_never_divides() -> None:
    assert AttentionChange().scale(1.0) == 1.0
    assert AttentionChange(scaled=False).scale(1.0) == 1.0
    assert AttentionChange().scale(None) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", [0, 1, 2])
def test_without_a_head_there_are_zeros_in_its_place(
    model: Transformer, kind: AttentionKind, head: int
) -> None:
    before, after = runs(model, kind, 1, without_head=head)
    old, new = before.attention(kind, 1), after.attention(kind, 1)
    contexts = list(old.context.unbind(dim=1))
    assert (contexts[head][0] != 0).any()
    contexts[head] = torch.zeros_like(contexts[head])
    close(new.context, torch.stack(contexts, dim=1))
    close(new.weights, old.weights)
    close(new.out, model.attention(kind, 1).w_o(torch.cat(contexts, dim=-1)))


class TestTheOriginal:
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_is_left_as_it_was(self, kind: AttentionKind) -> None:
        model = model_of(6, 3)
        modules = dict(model.named_modules())
        weights = {name: weight.clone() for name, weight in model.named_parameters()}
        before = model(SRC, TGT)
        twin = changed(model, kind, 1, AttentionChange(scaled=False, masked=False, without_head=0))
        assert not torch.allclose(twin(SRC, TGT).logits, before.logits)
        assert torch.equal(model(SRC, TGT).logits, before.logits)
        after = dict(model.named_modules())
        assert after.keys() == modules.keys()
        assert all(after[name] is modules[name] for name in modules)
        assert not any(isinstance(module, ChangedAttention) for module in model.modules())
        for name, weight in model.named_parameters():
            assert torch.equal(weight, weights[name]), name

    @pytest.mark.parametrize("kind", KINDS)
    def test_only_the_named_attention_is_changed_and_every_weight_is_shared(
        self, model: Transformer, kind: AttentionKind
    ) -> None:
        twin = changed(model, kind, 2, AttentionChange(scaled=False))
        for other in KINDS:
            for layer in range(3):
                found = twin.attention(other, layer)
                assert isinstance(found, ChangedAttention) == ((other, layer) == (kind, 2))
        own, shared = dict(model.named_parameters()), dict(twin.named_parameters())
        assert own.keys() == shared.keys()
        assert all(shared[name] is own[name] for name in own)

    def test_changes_of_two_attentions_add_up(self, model: Transformer) -> None:
        one = changed(model, "encoder", 0, AttentionChange(scaled=False))
        both = changed(one, "decoder", 0, AttentionChange(masked=False))(SRC, TGT)
        first, second = both.attention("encoder", 0), both.attention("decoder", 0)
        close(first.weights, by_hand(first.q, first.k, both.src_mask, 1.0))
        close(second.weights, by_hand(second.q, second.k, None, 1 / math.sqrt(2)))
        assert (one(SRC, TGT).attention("decoder", 0).weights[0, :, 0, 1:] == 0).all()


class TestDropout:
    """The same seed drops the same cells, before and after the change."""

    def test_the_changed_attention_drops_weights_too(self) -> None:
        twin = changed(model_of(8, 2, dropout=0.4), "encoder", 1, AttentionChange(scaled=False))
        attention = twin(SRC, TGT, Generator().manual_seed(5)).attention("encoder", 1)
        assert not torch.allclose(attention.context, attention.weights @ attention.v, atol=1e-4)
        still = twin(SRC, TGT).attention("encoder", 1)
        close(still.context, still.weights @ still.v)

    def test_the_heads_that_stay_lose_the_same_weights(self) -> None:
        """The missing head's share of the random numbers is drawn all the same."""
        model = model_of(8, 2, dropout=0.4)
        twin = changed(model, "encoder", 0, AttentionChange(without_head=0))
        old, new = (
            one(SRC, TGT, Generator().manual_seed(5)).attention("encoder", 0).context
            for one in (model, twin)
        )
        close(new[:, 1], old[:, 1])
        assert (new[:, 0] == 0).all()
