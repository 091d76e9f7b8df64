"""Embedding, Add & Norm and feed-forward, worked by hand."""

import math

import pytest
import torch
from torch import Generator, Tensor

from explorer.config import ModelConfig
from explorer.layers import Embedding, FeedForward, Residual


@pytest.fixture(autouse=True)
def _same_weights_every_time() -> None:
    torch.manual_seed(0)


def seeded(seed: int) -> Generator:
    return torch.Generator().manual_seed(seed)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(*shape, generator=seeded(seed)) * 2 - 1


def layer_norm(row: list[float]) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(variance + 1e-5) for x in row]


class TestEmbedding:
    IDS = torch.tensor([[1, 2, 3, 4, 0, 0]])

    @pytest.fixture
    def embedding(self) -> Embedding:
        embedding = Embedding(5, ModelConfig(d_model=4, n_heads=1, dropout=0.0))
        embedding.token.weight.data = torch.arange(20.0).view(5, 4) / 10
        return embedding

    def test_look_up_times_the_root_of_d_model(self, embedding: Embedding) -> None:
        trace = embedding(self.IDS)
        # row i of the table is [4i, 4i+1, 4i+2, 4i+3] / 10, and √4 = 2
        rows = [[(4 * i + dim) / 10 for dim in range(4)] for i in (1, 2, 3, 4, 0, 0)]
        torch.testing.assert_close(trace.embedded[0], torch.tensor(rows))
        torch.testing.assert_close(trace.scaled[0], 2 * torch.tensor(rows))

    def test_plus_the_position(self, embedding: Embedding) -> None:
        trace = embedding(self.IDS)
        # id 2 stands at position 1: 2 × [.8, .9, 1, 1.1] + PE(1)
        expected = [1.6 + 0.84147098, 1.8 + 0.54030231, 2.0 + 0.00999983, 2.2 + 0.99995]
        torch.testing.assert_close(trace.out[0, 1], torch.tensor(expected))

    def test_dropout_comes_after_the_sum(self) -> None:
        embedding = Embedding(5, ModelConfig(d_model=4, n_heads=1, dropout=0.5))
        embedding.token.weight.data = torch.arange(1, 21.0).view(5, 4)
        trace = embedding(self.IDS, seeded(0))
        whole = trace.scaled + trace.position
        kept = trace.out != 0
        assert 0 < int(kept.sum()) < 24
        torch.testing.assert_close(trace.out, torch.where(kept, 2 * whole, 0.0))


class TestFeedForward:
    def test_two_layers_by_hand(self) -> None:
        ffn = FeedForward(ModelConfig(d_model=2, n_heads=1, d_ff=3, dropout=0.0))
        ffn.w_1.weight.data = torch.tensor([[1.0, 2], [-1, 1], [0, -3]])
        ffn.w_1.bias.data = torch.tensor([0.5, 0, 1])
        ffn.w_2.weight.data = torch.tensor([[1.0, 10, 100], [2, 20, 200]])
        ffn.w_2.bias.data = torch.tensor([0.25, -0.25])
        trace = ffn(torch.tensor([[[1.0, 3], [2, -1]]]))
        # x = (1, 3): 1+6+.5, −1+3, −9+1 → relu (7.5, 2, 0); x = (2, −1): .5, −3, 4 → (.5, 0, 4)
        assert trace.hidden.tolist() == [[[7.5, 2, 0], [0.5, 0, 4]]]
        assert trace.out.tolist() == [[[27.75, 54.75], [400.75, 800.75]]]

    def test_dropout_stands_between_the_two_layers(self) -> None:
        ffn = FeedForward(ModelConfig(d_model=2, n_heads=1, d_ff=8, dropout=0.5))
        trace = ffn(random(1, 3, 2), seeded(1))
        assert not torch.allclose(trace.out, ffn.w_2(trace.hidden))
        assert torch.equal(trace.hidden, ffn(random(1, 3, 2)).hidden)


class TestAddAndNorm:
    X = torch.tensor([[[1.0, 2, 3, 6]]])
    SUBLAYER_OUT = torch.tensor([[[1.0, 0, -1, 2]]])

    def test_post_norm(self) -> None:
        residual = Residual(ModelConfig(d_model=4, n_heads=1, dropout=0.0, norm_first=False))
        assert torch.equal(residual.enter(self.X), self.X)
        trace = residual.leave(self.X, self.X, self.SUBLAYER_OUT, None)
        assert trace.added.tolist() == [[[2, 2, 2, 8]]]
        torch.testing.assert_close(trace.out, torch.tensor([[layer_norm([2, 2, 2, 8])]]))

    def test_pre_norm(self) -> None:
        residual = Residual(ModelConfig(d_model=4, n_heads=1, dropout=0.0, norm_first=True))
        entered = residual.enter(self.X)
        torch.testing.assert_close(entered, torch.tensor([[layer_norm([1, 2, 3, 6])]]))
        trace = residual.leave(self.X, entered, self.SUBLAYER_OUT, None)
        assert torch.equal(trace.sublayer_in, entered)
        assert trace.out.tolist() == trace.added.tolist() == [[[2, 2, 2, 8]]]

    def test_the_norm_scales_and_shifts(self) -> None:
        residual = Residual(ModelConfig(d_model=4, n_heads=1, dropout=0.0, norm_first=False))
        residual.norm.weight.data = torch.tensor([1.0, 2, 3, 4])
        residual.norm.bias.data = torch.tensor([0.0, 0, 1, 1])
        out = residual.leave(self.X, self.X, self.SUBLAYER_OUT, None).out[0, 0]
        a, b, c, d = layer_norm([2, 2, 2, 8])
        torch.testing.assert_close(out, torch.tensor([a, 2 * b, 3 * c + 1, 4 * d + 1]))

    @pytest.mark.parametrize("norm_first", [False, True])
    def test_dropout_falls_on_the_sublayer_before_the_sum(self, norm_first: bool) -> None:
        """x itself is never dropped, and what is normalised is already dropped."""
        residual = Residual(ModelConfig(d_model=200, n_heads=1, dropout=0.5, norm_first=norm_first))
        x, sublayer_out = random(1, 1, 200), torch.full((1, 1, 200), 8.0)
        trace = residual.leave(x, x, sublayer_out, seeded(0))
        gained = (trace.added - x).round(decimals=4)
        assert sorted(gained.unique().tolist()) == [0.0, 16.0]
        expected = trace.added if norm_first else torch.tensor(
            [[layer_norm(trace.added[0, 0].tolist())]])  # fmt: skip
        torch.testing.assert_close(trace.out, expected)
