"""Attention worked by hand: the pure kernel, then its multi-head form."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.attention import MultiHeadAttention, drop, scaled_dot_product
from explorer.masks import causal_mask, padding_mask

KEYS = torch.tensor([[10.0, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]])
VALUES = torch.tensor([[1.0, 0, 1], [10, 0, 2], [100, 5, 0], [1000, 6, 0]])


@pytest.fixture(autouse=True)
def _same_weights_every_time() -> None:
    torch.manual_seed(0)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class TestScaledDotProduct:
    @pytest.mark.parametrize(
        ("query", "weights", "output"),
        [
            ([0.0, 10, 0], [0.0, 1, 0, 0], [10.0, 0, 2]),
            ([0.0, 0, 10], [0, 0, 0.5, 0.5], [550, 5.5, 0]),
            ([10.0, 10, 0], [0.5, 0.5, 0, 0], [5.5, 0, 1.5]),
        ],
    )
    def test_toy_keys_and_values(
        self, query: list[float], weights: list[float], output: list[float]
    ) -> None:
        attended = scaled_dot_product(torch.tensor([query]), KEYS, VALUES)
        torch.testing.assert_close(attended.weights, torch.tensor([weights]))
        torch.testing.assert_close(attended.context, torch.tensor([output]))

    def test_the_toy_scores_are_scaled_by_the_root_of_three(self) -> None:
        scores = scaled_dot_product(torch.tensor([[0.0, 0, 10]]), KEYS, VALUES).scores
        expected = 100 / math.sqrt(3)
        torch.testing.assert_close(scores, torch.tensor([[0, 0, expected, expected]]))

    def test_three_queries_at_once_are_the_three_rows(self) -> None:
        queries = torch.tensor([[0.0, 10, 0], [0, 0, 10], [10, 10, 0]])
        together = scaled_dot_product(queries, KEYS, VALUES).context
        torch.testing.assert_close(
            together, torch.tensor([[10.0, 0, 2], [550, 5.5, 0], [5.5, 0, 1.5]])
        )

    def test_softmax_of_112_and_96_over_the_root_of_64(self) -> None:
        query = torch.ones(1, 64)
        keys = torch.stack([torch.full((64,), 112 / 64), torch.full((64,), 96 / 64)])
        attended = scaled_dot_product(query, keys, torch.eye(2))
        torch.testing.assert_close(attended.scores, torch.tensor([[14.0, 12.0]]))
        torch.testing.assert_close(
            attended.weights, torch.tensor([[0.8808, 0.1192]]), rtol=0, atol=5e-5
        )

    def test_a_mask_takes_keys_out_and_shares_their_weight(self) -> None:
        query = torch.tensor([[0.0, 0, 10]])
        hidden = torch.tensor([[True, True, True, False]])
        attended = scaled_dot_product(query, KEYS, VALUES, hidden)
        torch.testing.assert_close(attended.weights, torch.tensor([[0.0, 0, 1, 0]]))
        torch.testing.assert_close(attended.context, torch.tensor([[100.0, 5, 0]]))
        assert attended.weights[0, 3] == 0.0

    def test_scores_are_shown_from_before_the_mask(self) -> None:
        query = torch.tensor([[0.0, 0, 10]])
        hidden = torch.tensor([[True, True, True, False]])
        masked = scaled_dot_product(query, KEYS, VALUES, hidden)
        assert torch.equal(masked.scores, scaled_dot_product(query, KEYS, VALUES).scores)

    def test_a_query_that_may_attend_to_nothing_gets_zeros(self) -> None:
        queries = torch.tensor([[0.0, 10, 0], [0.0, 10, 0]])
        mask = torch.tensor([[False] * 4, [True] * 4])
        attended = scaled_dot_product(queries, KEYS, VALUES, mask)
        assert attended.weights[0].tolist() == [0.0] * 4
        assert attended.context[0].tolist() == [0.0] * 3
        torch.testing.assert_close(attended.context[1], torch.tensor([10.0, 0, 2]))

    def test_its_gradient_is_zero_too_and_not_nan(self) -> None:
        q, k, v = (torch.rand(2, 3, generator=seeded(n)).requires_grad_() for n in range(3))
        mask = torch.tensor([[False, False], [True, False]])
        scaled_dot_product(q, k, v, mask).context.square().sum().backward()
        assert q.grad is not None
        assert k.grad is not None
        assert v.grad is not None
        assert q.grad[0].tolist() == [0.0] * 3
        assert k.grad.isfinite().all()
        assert v.grad[1].tolist() == [0.0] * 3
        torch.testing.assert_close(v.grad[0], 2 * v[0].detach())  # the other row copies v[0]

    def test_a_hidden_key_gets_nothing_however_low_the_others_score(self) -> None:
        query, keys = torch.tensor([[1e6]]), torch.tensor([[-1e6], [0.0]])
        attended = scaled_dot_product(query, keys, torch.eye(2), torch.tensor([[True, False]]))
        torch.testing.assert_close(attended.scores, torch.tensor([[-1e12, 0.0]]))
        assert attended.weights.tolist() == [[1.0, 0.0]]

    def test_half_precision_can_be_masked(self) -> None:
        x = torch.eye(2, dtype=torch.float16)
        attended = scaled_dot_product(x, x, x, causal_mask(2)[0, 0])
        assert attended.weights[0].tolist() == [1.0, 0.0]

    def test_huge_scores_do_not_overflow(self) -> None:
        attended = scaled_dot_product(1e4 * KEYS, 1e4 * KEYS, VALUES)
        torch.testing.assert_close(attended.context[:2], VALUES[:2])


class TestScale:
    """`scale` takes the place of 1/√d_k."""

    QUERY, TWO_KEYS = torch.tensor([[4 * math.log(3), 0.0]]), torch.eye(2)

    @pytest.mark.parametrize(
        ("scale", "first"), [(0.25, 3 / 4), (0.5, 9 / 10), (0.0, 1 / 2), (-0.25, 1 / 4)]
    )
    def test_a_dot_product_of_4_ln_3_against_0(self, scale: float, first: float) -> None:
        attended = scaled_dot_product(self.QUERY, self.TWO_KEYS, torch.eye(2), scale=scale)
        scores = torch.tensor([[4 * math.log(3) * scale, 0.0]])
        torch.testing.assert_close(attended.scores, scores)
        weights = torch.tensor([[first, 1 - first]])
        torch.testing.assert_close(attended.weights, weights)
        torch.testing.assert_close(attended.context, weights)  # v is the identity

    def test_1_leaves_the_dot_products_as_they_are(self) -> None:
        queries = torch.tensor([[0.0, 0, 10], [10, 10, 0]])
        attended = scaled_dot_product(queries, KEYS, VALUES, scale=1.0)
        assert attended.scores.tolist() == [[0, 0, 100, 100], [100, 100, 0, 0]]

    def test_without_it_the_root_of_d_k_divides(self) -> None:
        q, k, v = (torch.rand(2, 3, 5, generator=seeded(n)) for n in range(3))
        own = scaled_dot_product(q, k, v, scale=1 / math.sqrt(5))
        usual = scaled_dot_product(q, k, v)
        torch.testing.assert_close(usual.scores, q @ k.mT / math.sqrt(5))
        torch.testing.assert_close(own.scores, usual.scores)
        torch.testing.assert_close(own.context, usual.context)

    def test_the_mask_hides_at_any_scale(self) -> None:
        mask = torch.tensor([[True, True, False, True]])
        for scale in (0.0, 1e-6, 1.0):
            query = torch.tensor([[0.0, 0, 10]])
            weights = scaled_dot_product(query, KEYS, VALUES, mask, scale=scale).weights
            assert weights[0, 2] == 0.0
            assert float(weights.sum()) == pytest.approx(1.0)

    def test_neither_query_nor_keys_are_changed(self) -> None:
        query, keys = self.QUERY.clone(), self.TWO_KEYS.clone()
        scaled_dot_product(query, keys, torch.eye(2), scale=0.5)
        assert torch.equal(query, self.QUERY)
        assert torch.equal(keys, self.TWO_KEYS)


class TestDropout:
    def test_without_a_generator_nothing_is_dropped(self) -> None:
        x = torch.rand(50, generator=seeded(0))
        assert torch.equal(drop(x, 0.5, None), x)
        assert torch.equal(drop(x, 0.0, seeded(0)), x)

    def test_what_is_kept_is_scaled_up(self) -> None:
        x = torch.full((10_000,), 3.0)
        dropped = drop(x, 0.25, seeded(0))
        assert sorted(dropped.unique().tolist()) == pytest.approx([0.0, 4.0])
        assert (dropped == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)

    def test_weights_are_shown_from_before_the_dropout(self) -> None:
        """With v the identity, the context is the weights as they were used."""
        x = torch.rand(6, 4, generator=seeded(3))
        attended = scaled_dot_product(x, x, torch.eye(6), dropout=0.5, generator=seeded(4))
        torch.testing.assert_close(attended.weights.sum(dim=-1), torch.ones(6))
        zeroed = attended.context == 0
        assert 0 < int(zeroed.sum()) < 36
        doubled = (2 * attended.weights).masked_fill(zeroed, 0.0)
        torch.testing.assert_close(attended.context, doubled)


def filled(d_model: int, n_heads: int, dropout: float = 0.0) -> MultiHeadAttention:
    """Attention whose every weight and bias is some number other than 0."""
    attention = MultiHeadAttention(d_model, n_heads, dropout)
    for number, parameter in enumerate(attention.parameters()):
        parameter.data.uniform_(-1, 1, generator=seeded(number))
    return attention


Rows = list[list[float]]


def by_hand(x: Rows, weights: dict[str, Any], n_heads: int) -> dict[str, Any]:
    """Multi-head self-attention of one sentence in plain Python (paper section 3.2.2).

    Per head: q, k, v, scores, weights, context; and out.
    """
    d_model = len(x[0])
    d_k = d_model // n_heads

    def dot(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    def linear(rows: Rows, matrix: Rows, bias: list[float]) -> Rows:
        return [[dot(w, row) + b for w, b in zip(matrix, bias, strict=True)] for row in rows]

    stacked, bias = weights["w_qkv.weight"], weights["w_qkv.bias"]
    shown: dict[str, Any] = {}
    for name, at in (("q", 0), ("k", d_model), ("v", 2 * d_model)):
        wide = linear(x, stacked[at : at + d_model], bias[at : at + d_model])
        shown[name] = [[row[h * d_k : (h + 1) * d_k] for row in wide] for h in range(n_heads)]
    shown["scores"] = [
        [[dot(q, k) / math.sqrt(d_k) for k in shown["k"][h]] for q in shown["q"][h]]
        for h in range(n_heads)
    ]
    shown["weights"] = [
        [[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in head]
        for head in shown["scores"]
    ]
    shown["context"] = [
        [[dot(row, list(column)) for column in zip(*shown["v"][h], strict=True)] for row in head]
        for h, head in enumerate(shown["weights"])
    ]
    concat = [[y for head in shown["context"] for y in head[i]] for i in range(len(x))]
    shown["out"] = linear(concat, weights["w_o.weight"], weights["w_o.bias"])
    return shown


class TestMultiHeadAttention:
    X = torch.tensor([[[0, 0.1, 0.2, 0.3], [1, 1.1, 1.2, 1.3], [2, 2.1, 2.2, 2.3]]])

    @pytest.mark.parametrize("n_heads", [1, 2, 4])
    def test_one_sentence_of_three_words_recomputed_in_plain_python(self, n_heads: int) -> None:
        attention = filled(4, n_heads)
        trace = attention(self.X, self.X, None)
        weights = {name: p.tolist() for name, p in attention.named_parameters()}
        for name, expected in by_hand(self.X[0].tolist(), weights, n_heads).items():
            torch.testing.assert_close(getattr(trace, name)[0], torch.tensor(expected), msg=name)
        assert trace.out.shape == (1, 3, 4)

    def test_the_shapes_of_its_trace(self) -> None:
        query, memory = torch.rand(2, 3, 8), torch.rand(2, 5, 8)
        trace = filled(8, 4)(query, memory, None)
        assert trace.q.shape == (2, 4, 3, 2)
        assert trace.k.shape == trace.v.shape == (2, 4, 5, 2)
        assert trace.scores.shape == trace.weights.shape == (2, 4, 3, 5)
        assert trace.context.shape == (2, 4, 3, 2)
        assert trace.out.shape == (2, 3, 8)
        assert trace.mask is None

    def test_queries_come_from_the_query_keys_and_values_from_the_memory(self) -> None:
        attention = filled(4, 2)
        query, memory, other = (torch.rand(1, 3, 4, generator=seeded(n)) for n in range(3))
        trace, changed = attention(query, memory, None), attention(query, other, None)
        assert torch.equal(trace.q, changed.q)
        assert not torch.isclose(trace.k, changed.k).any()
        assert not torch.isclose(trace.v, changed.v).any()

    def test_why_are_some_of_these_values_zero(self) -> None:
        """Because dropout was left on; switched off, no weight is lost."""
        attention = filled(4, 2, dropout=0.5)
        on, off = attention(self.X, self.X, None, seeded(0)), attention(self.X, self.X, None)
        assert not torch.allclose(on.context, off.context)
        assert torch.equal(on.weights, off.weights)
        torch.testing.assert_close(off.context, off.weights @ off.v)

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

    @pytest.mark.parametrize(("d_model", "n_heads"), [(50, 8), (4, 0), (0, 1)])
    def test_heads_must_divide_the_width(self, d_model: int, n_heads: int) -> None:
        with pytest.raises(
            ValueError,
            match=rf"divisible by n_heads, got d_model={d_model}, n_heads={n_heads}",
        ):
            MultiHeadAttention(d_model, n_heads)


class TestLoneHeads:
    """In training, in some sentences all heads but one are silent."""

    X = torch.rand(6, 3, 8, generator=torch.Generator().manual_seed(1))

    def lone(self, share: float) -> MultiHeadAttention:
        attention = filled(8, 4)
        attention.lone_heads = share
        return attention

    def test_without_a_generator_every_head_has_its_say(self) -> None:
        trace, usual = self.lone(0.99)(self.X, self.X), filled(8, 4)(self.X, self.X)
        assert torch.equal(trace.out, usual.out)

    def test_a_share_of_nothing_draws_nothing(self) -> None:
        generator = seeded(0)
        trace = self.lone(0.0)(self.X, self.X, None, generator)
        assert torch.equal(trace.out, filled(8, 4)(self.X, self.X).out)
        assert torch.equal(generator.get_state(), seeded(0).get_state())

    def test_the_one_that_is_left_speaks_for_all(self) -> None:
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

    def test_so_many_sentences_as_the_share_says_each_head_as_often(self) -> None:
        x = self.X[:1, :1].expand(4000, 1, 8)
        trace = self.lone(0.25)(x, x, None, seeded(0))
        speaks = trace.context.ne(0).any(dim=-1)[..., 0]
        silenced = speaks.sum(dim=1) == 1
        assert float(silenced.float().mean()) == pytest.approx(0.25, abs=0.03)
        assert int((speaks.sum(dim=1) == 4).sum()) == 4000 - int(silenced.sum())
        for share in speaks[silenced].float().mean(dim=0).tolist():
            assert share == pytest.approx(1 / 4, abs=0.06)


class TestErrors:
    """Each states what must fit, and the shapes that do not."""

    @pytest.fixture
    def attend(self, unchecked: Callable[[Any], Any]) -> Callable[..., Any]:
        return unchecked(scaled_dot_product)

    def test_widths_of_query_and_key(self, attend: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match=r"same width d_k, got q \(2, 3\) and k \(2, 4\)"):
            attend(torch.rand(2, 3), torch.rand(2, 4), torch.rand(2, 4))

    def test_one_value_a_key(self, attend: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match=r"every key needs one value, got k \(5, 3\) and v"):
            attend(torch.rand(2, 3), torch.rand(5, 3), torch.rand(4, 3))

    def test_boolean_mask(self, attend: Callable[..., Any]) -> None:
        with pytest.raises(ValueError, match=r"boolean, True = may attend, got torch.float32.*=="):
            attend(torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3), torch.zeros(2, 2))

    @pytest.mark.parametrize("shape", [(2, 3), (5,), (1, 4, 4), (7, 1, 2, 4)])
    def test_mask_that_does_not_broadcast(
        self, shape: tuple[int, ...], attend: Callable[..., Any]
    ) -> None:
        q, k = torch.rand(3, 2, 3), torch.rand(3, 4, 3)
        with pytest.raises(ValueError, match=r"must broadcast to \(…, query, key\)") as error:
            attend(q, k, k, torch.ones(shape, dtype=torch.bool))
        assert "(3, 2, 4)" in str(error.value)
        assert str(shape) in str(error.value)
