"""The inputs of multi-head attention, and heads that are silenced in training."""

import pytest
import torch
from torch import Tensor

from explorer.attention import MultiHeadAttention
from explorer.masks import causal_mask, padding_mask


@pytest.fixture(autouse=True)
def _same_weights_every_time() -> None:
    torch.manual_seed(0)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def filled(d_model: int, n_heads: int, dropout: float = 0.0) -> MultiHeadAttention:
    """An attention without a weight or bias of 0."""
    attention = MultiHeadAttention(d_model, n_heads, dropout)
    for number, parameter in enumerate(attention.parameters()):
        parameter.data.uniform_(-1, 1, generator=seeded(number))
    return attention


class TestMultiHeadAttention:
    @pytest.mark.parametrize(
        "mask",
        [causal_mask(3), torch.rand(2, 2, 3, 3) < 2, padding_mask(torch.tensor([[5, 5, 0]]), 0)],
        ids=["causal, for the whole batch", "one a head", "padding, for the whole batch"],
    )
    def test_a_mask_may_serve_a_whole_batch(self, mask: Tensor) -> None:
        x = torch.rand(2, 3, 4, generator=seeded(0))
        trace = filled(4, 2)(x, x, mask)
        hidden = ~mask.expand(2, 2, 3, 3)
        assert torch.equal(trace.weights == 0, hidden)


class TestLoneHeads:
    """In training, in some sentences all heads but one are silent."""

    X = torch.rand(6, 3, 8, generator=torch.Generator().manual_seed(1))

    def lone(self, share: float) -> MultiHeadAttention:
        attention = filled(8, 4)
        attention.lone_heads = share
        return attention

    def test_without_a_generator_no_head_is_silenced(self) -> None:
        trace, usual = self.lone(0.99)(self.X, self.X), filled(8, 4)(self.X, self.X)
        assert torch.equal(trace.out, usual.out)

    def test_a_share_of_0_draws_no_random_numbers(self) -> None:
        generator = seeded(0)
        trace = self.lone(0.0)(self.X, self.X, None, generator)
        assert torch.equal(trace.out, filled(8, 4)(self.X, self.X).out)
        assert torch.equal(generator.get_state(), seeded(0).get_state())

    def test_the_remaining_head_is_scaled_by_the_number_of_heads(self) -> None:
        full = filled(8, 4)(self.X, self.X)
        alone: set[int] = set()
        for seed in range(4):
            trace = self.lone(1 - 1e-9)(self.X, self.X, None, seeded(seed))
            speaks = trace.context.ne(0).any(dim=-1).any(dim=-1)  # (sentence, head)
            assert speaks.sum(dim=1).tolist() == [1] * 6
            for sentence, head in speaks.nonzero().tolist():
                assert torch.equal(trace.context[sentence, head], 4 * full.context[sentence, head])
                alone.add(head)
            assert torch.equal(trace.weights, full.weights)
            concat = trace.context.transpose(1, 2).flatten(2)
            torch.testing.assert_close(trace.out, filled(8, 4).w_o(concat))
        assert alone == {0, 1, 2, 3}

    def test_the_generator_decides(self) -> None:
        one, same, other = (
            self.lone(0.5)(self.X, self.X, None, seeded(seed)).out for seed in (3, 3, 4)
        )
        assert torch.equal(one, same)
        assert not torch.equal(one, other)

    def test_heads_are_silenced_in_the_given_share_each_equally_often(self) -> None:
        x = self.X[:1, :1].expand(4000, 1, 8)
        trace = self.lone(0.25)(x, x, None, seeded(0))
        speaks = trace.context.ne(0).any(dim=-1)[..., 0]
        silenced = speaks.sum(dim=1) == 1
        assert float(silenced.float().mean()) == pytest.approx(0.25, abs=0.03)
        assert int((speaks.sum(dim=1) == 4).sum()) == 4000 - int(silenced.sum())
        for share in speaks[silenced].float().mean(dim=0).tolist():
            assert share == pytest.approx(1 / 4, abs=0.06)
