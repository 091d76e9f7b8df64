"""The stops of the stack: their order, the trace's numbers, and each made again from the last."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import Generator, Tensor, nn

from explorer.config import ModelConfig
from explorer.stack import (
    ADD,
    ADD_NORM,
    CROSS_ATTENTION,
    FEED_FORWARD,
    SELF_ATTENTION,
    Stop,
    residual_stream,
    statistics,
    stops,
)
from explorer.transformer import Transformer, TransformerTrace
from tests.properties.strategies import Case, cases, shaken

Name = tuple[str, str]
CONFIG = ModelConfig(d_model=6, n_heads=3, n_encoder_layers=2, n_decoder_layers=1, d_ff=10,
                     dropout=0.3, src_vocab_size=9, tgt_vocab_size=8, src_pad_id=1)  # fmt: skip
# Two sentences: the first is the one to show, the second would tell if it were taken instead.
SRC, TGT = torch.tensor([[2, 3, 4, 1], [5, 6, 7, 8]]), torch.tensor([[3, 4, 0], [1, 6, 7]])


def model_of(norm_first: bool, n_encoder: int = 2, n_decoder: int = 1) -> Transformer:
    depths = {"n_encoder_layers": n_encoder, "n_decoder_layers": n_decoder}
    return shaken(Transformer(replace(CONFIG, norm_first=norm_first, **depths)))


def way_of(model: Transformer) -> list[Stop]:
    return stops(model, model(SRC, TGT))


def names(way: list[Stop]) -> list[Name]:
    return [(stop.part, stop.name) for stop in way]


def expected_names(norm_first: bool, n_encoder: int, n_decoder: int) -> list[Name]:
    """Figure 1 of the paper from the bottom up, encoder before decoder."""
    add = "add" if norm_first else "add & norm"
    beginning = ["embedding", "× √d_model", "+ position"]
    encoder = ["self-attention", add, "feed-forward", add]
    decoder = ["masked self-attention", add, "cross-attention", add, "feed-forward", add]
    return [
        *(("source", name) for name in beginning),
        *((f"encoder {n}", name) for n in range(1, n_encoder + 1) for name in encoder),
        ("memory", "memory"),
        *(("target", name) for name in beginning),
        *((f"decoder {n}", name) for n in range(1, n_decoder + 1) for name in decoder),
        *([("output", "norm")] if norm_first else []),
        ("output", "logits"),
        ("output", "probabilities"),
    ]


BOTH_NORMS = pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
DEPTHS = pytest.mark.parametrize(("n_encoder", "n_decoder"), [(1, 1), (2, 1), (1, 3), (3, 2)])


class TestOrder:
    def test_a_post_norm_model_of_one_layer_each(self) -> None:
        assert names(way_of(model_of(False, 1, 1))) == [
            ("source", "embedding"),
            ("source", "× √d_model"),
            ("source", "+ position"),
            ("encoder 1", "self-attention"),
            ("encoder 1", "add & norm"),
            ("encoder 1", "feed-forward"),
            ("encoder 1", "add & norm"),
            ("memory", "memory"),
            ("target", "embedding"),
            ("target", "× √d_model"),
            ("target", "+ position"),
            ("decoder 1", "masked self-attention"),
            ("decoder 1", "add & norm"),
            ("decoder 1", "cross-attention"),
            ("decoder 1", "add & norm"),
            ("decoder 1", "feed-forward"),
            ("decoder 1", "add & norm"),
            ("output", "logits"),
            ("output", "probabilities"),
        ]

    @BOTH_NORMS
    @DEPTHS
    def test_any_depth(self, norm_first: bool, n_encoder: int, n_decoder: int) -> None:
        way = way_of(model_of(norm_first, n_encoder, n_decoder))
        assert names(way) == expected_names(norm_first, n_encoder, n_decoder)

    @BOTH_NORMS
    def test_everything_up_to_memory_is_the_source_the_rest_the_target(
        self, norm_first: bool
    ) -> None:
        way = way_of(model_of(norm_first))
        turn = [stop.part for stop in way].index("memory") + 1
        assert {stop.side for stop in way[:turn]} == {"src"}
        assert {stop.side for stop in way[turn:]} == {"tgt"}
        assert {len(stop.values) for stop in way[:turn]} == {4}
        assert {len(stop.values) for stop in way[turn:]} == {3}

    @BOTH_NORMS
    def test_every_sublayer_has_its_formula(self, norm_first: bool) -> None:
        formulas = {
            "self-attention": SELF_ATTENTION,
            "masked self-attention": SELF_ATTENTION,
            "cross-attention": CROSS_ATTENTION,
            "feed-forward": FEED_FORWARD,
            "add": ADD,
            "add & norm": ADD_NORM,
        }
        for stop in way_of(model_of(norm_first)):
            if stop.name in formulas:
                formula = formulas[stop.name]
                if norm_first and not stop.name.startswith("add"):  # its x is normed on entry
                    formula += r",\quad x \leftarrow \text{LayerNorm}(x)"
                assert stop.formula == formula
            if stop.name in ("memory", "norm"):
                assert ("LayerNorm" in stop.formula) == norm_first


def of_the_trace(trace: TransformerTrace, norm_first: bool) -> list[Tensor]:
    """What the stops must show, in order, for the first sentence."""

    def beginning(side: str) -> list[Tensor]:
        embedding = getattr(trace, f"{side}_embedding")
        return [embedding.embedded, embedding.scaled, embedding.out]

    shown = beginning("src")
    for layer in trace.encoder:
        shown += [layer.attention.out, layer.attention_residual.out]
        shown += [layer.feed_forward.out, layer.feed_forward_residual.out]
    shown += [trace.memory, *beginning("tgt")]
    for crossed in trace.decoder:
        shown += [crossed.attention.out, crossed.attention_residual.out]
        shown += [crossed.cross.out, crossed.cross_residual.out]
        shown += [crossed.feed_forward.out, crossed.feed_forward_residual.out]
    shown += [trace.decoder_out] if norm_first else []
    return [tensor[0] for tensor in (*shown, trace.logits)]


@BOTH_NORMS
@DEPTHS
@pytest.mark.parametrize("seed", [None, 3], ids=["without dropout", "with dropout"])
def test_every_stop_shows_what_the_trace_holds(
    norm_first: bool, n_encoder: int, n_decoder: int, seed: int | None
) -> None:
    """To the last bit."""
    model = model_of(norm_first, n_encoder, n_decoder)
    trace = model(SRC, TGT, None if seed is None else Generator().manual_seed(seed))
    way, expected = stops(model, trace), of_the_trace(trace, norm_first)
    assert way[-1].name == "probabilities"
    for stop, values in zip(way[:-1], expected, strict=True):
        assert torch.equal(stop.values, values), (stop.part, stop.name)


Arrays = dict[str, np.ndarray]


def array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().double().numpy()


def close(actual: Tensor, expected: np.ndarray, what: object) -> None:
    np.testing.assert_allclose(array(actual), expected, rtol=1e-6, atol=1e-6, err_msg=str(what))


def layer_norm(x: np.ndarray, weights: Arrays, path: str) -> np.ndarray:
    """(x − μ) / √(σ² + ε) · γ + β, with ε = 10⁻⁵."""
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    normal = (x - mean) / np.sqrt(variance + 1e-5)
    return normal * weights[f"{path}.weight"] + weights[f"{path}.bias"]


def linear(x: np.ndarray, weights: Arrays, path: str) -> np.ndarray:
    return x @ weights[f"{path}.weight"].T + weights[f"{path}.bias"]


def multi_head(
    x: np.ndarray, memory: np.ndarray, allowed: np.ndarray, weights: Arrays, path: str, n_heads: int
) -> np.ndarray:
    """MultiHead(x, m, m); a query that may attend to nothing gets a context of 0."""
    d_model = x.shape[1]
    d_k = d_model // n_heads
    q = linear(x, weights, f"{path}.w_qkv")[:, :d_model]
    k, v = np.split(linear(memory, weights, f"{path}.w_qkv")[:, d_model:], 2, axis=1)
    concat = np.zeros_like(x)
    for start in range(0, d_model, d_k):
        head = slice(start, start + d_k)
        for i, query in enumerate(q[:, head]):
            seen = np.flatnonzero(allowed[i])
            if len(seen):
                powers = np.exp(k[seen, head] @ query / math.sqrt(d_k))
                concat[i, head] = powers / powers.sum() @ v[seen, head]
    return linear(concat, weights, f"{path}.w_o")


def positions(length: int, d_model: int) -> np.ndarray:
    """Sine at even dimensions, cosine at odd ones (paper section 3.5)."""
    return np.array([
        [
            (math.sin, math.cos)[dim % 2](pos / 10_000 ** ((dim - dim % 2) / d_model))
            for dim in range(d_model)
        ]
        for pos in range(length)
    ])  # fmt: skip


MODULES = {
    "self-attention": "attention",
    "masked self-attention": "attention",
    "cross-attention": "cross",
    "feed-forward": "feed_forward",
}


def path_of(part: str) -> str:
    """Where the layer's weights lie: "decoder 2" is decoder.1."""
    stack, number = part.split()
    return f"{stack}.{int(number) - 1}"


def allowed_by(stop: Stop, config: ModelConfig, src: Tensor, tgt: Tensor) -> np.ndarray:
    """From the ids: no key that is PAD; in masked self-attention no key that comes later."""
    masked = stop.name == "masked self-attention"
    real = tgt[0] != config.tgt_pad_id if masked else src[0] != config.src_pad_id
    allowed = np.repeat(real.numpy()[None], len(stop.values), axis=0)
    return np.tril(allowed) if masked else allowed


def again(
    way: list[Stop], number: int, model: Transformer, src: Tensor, tgt: Tensor, weights: Arrays
) -> np.ndarray:
    """The stop made anew in float64 by its formula, from the stops before it."""
    stop, config = way[number], model.config
    earlier = way[:number]
    previous = array(earlier[-1].values) if earlier else np.zeros(0)
    if stop.name == "embedding":
        ids = src if stop.side == "src" else tgt
        return weights[f"{stop.side}_embedding.token.weight"][ids[0].numpy()]
    if stop.name == "× √d_model":
        return previous * math.sqrt(config.d_model)
    if stop.name == "+ position":
        return previous + positions(*previous.shape)
    if stop.name in ("memory", "norm"):
        norm = "encoder_norm" if stop.name == "memory" else "decoder_norm"
        return layer_norm(previous, weights, norm) if config.norm_first else previous
    if stop.name == "logits":
        return linear(previous, weights, "to_logits")
    if stop.name == "probabilities":
        powers = np.exp(previous - previous.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    ends = ("+ position", "add", "add & norm")
    x = array(next(one for one in reversed(earlier) if one.name in ends).values)
    path = path_of(stop.part)
    if stop.name == "add":
        return x + previous
    if stop.name == "add & norm":
        module = MODULES[earlier[-1].name]
        return layer_norm(x + previous, weights, f"{path}.{module}_residual.norm")
    module = MODULES[stop.name]
    if config.norm_first:
        x = layer_norm(x, weights, f"{path}.{module}_residual.norm")
    if module == "feed_forward":
        return feed_forward(x, weights, path)
    memory = x
    if module == "cross":
        memory = array(next(one for one in earlier if one.name == "memory").values)
    allowed = allowed_by(stop, config, src, tgt)
    return multi_head(x, memory, allowed, weights, f"{path}.{module}", config.n_heads)


def feed_forward(x: np.ndarray, weights: Arrays, path: str) -> np.ndarray:
    """max(0, xW₁ + b₁)W₂ + b₂"""
    hidden = np.maximum(linear(x, weights, f"{path}.feed_forward.w_1"), 0)
    return linear(hidden, weights, f"{path}.feed_forward.w_2")


def named(model: Transformer) -> Arrays:
    return {name: array(weight) for name, weight in model.named_parameters()}


def check_the_way(model: Transformer, src: Tensor, tgt: Tensor) -> None:
    way, weights = stops(model, model(src, tgt)), named(model)
    for number, stop in enumerate(way):
        expected = again(way, number, model, src, tgt, weights)
        close(stop.values, expected, (stop.part, stop.name))


@BOTH_NORMS
@DEPTHS
def test_every_stop_follows_from_the_one_before(
    norm_first: bool, n_encoder: int, n_decoder: int
) -> None:
    check_the_way(model_of(norm_first, n_encoder, n_decoder).double(), SRC, TGT)


@given(cases())
def test_and_in_any_model(case: Case) -> None:
    check_the_way(case.model, case.src, case.tgt)


class TestBefore:
    @BOTH_NORMS
    @DEPTHS
    def test_it_is_what_the_stop_was_made_from(
        self, norm_first: bool, n_encoder: int, n_decoder: int
    ) -> None:
        """A sub-layer and its sum start from the same x, the stream up to there."""
        way = way_of(model_of(norm_first, n_encoder, n_decoder))
        stream: Tensor | None = None
        for number, stop in enumerate(way):
            what = stop.part, stop.name
            if stop.name in ("embedding", "logits", "probabilities"):
                assert stop.before is None, what
            elif stop.name in ("× √d_model", "+ position", "memory", "norm"):
                assert stop.before is not None, what
                assert torch.equal(stop.before, way[number - 1].values), what
            else:
                assert stop.before is not None, what
                assert stream is not None
                assert torch.equal(stop.before, stream), what
            if stop.name in ("+ position", "add", "add & norm"):
                stream = stop.values

    def test_post_norm_sums_it_with_the_sublayer(self) -> None:
        model = model_of(False).double()
        way, weights = way_of(model), named(model)
        for sublayer, stop in pairwise(way):
            if stop.name == "add & norm":
                assert stop.before is not None
                added = array(stop.before) + array(sublayer.values)
                norm = f"{path_of(stop.part)}.{MODULES[sublayer.name]}_residual.norm"
                close(stop.values, layer_norm(added, weights, norm), stop.part)

    def test_pre_norm_only_adds(self) -> None:
        way = way_of(model_of(True).double())
        for sublayer, stop in pairwise(way):
            if stop.name == "add":
                assert stop.before is not None
                close(stop.values, array(stop.before) + array(sublayer.values), stop.part)

    @BOTH_NORMS
    def test_it_is_as_wide_as_the_values(self, norm_first: bool) -> None:
        for stop in way_of(model_of(norm_first)):
            assert stop.before is None or stop.before.shape == stop.values.shape


class TestNorms:
    @BOTH_NORMS
    def test_where_they_stand(self, norm_first: bool) -> None:
        """After the sum; with pre-norm before the sub-layer, and once more at each end."""
        at = {*MODULES, "memory", "norm"} if norm_first else {"add & norm"}
        for stop in way_of(model_of(norm_first)):
            assert (stop.norm is not None) == (stop.name in at), (stop.part, stop.name)

    @BOTH_NORMS
    def test_each_is_worked_again_with_its_own_weight_bias_and_epsilon(
        self, norm_first: bool
    ) -> None:
        model = model_of(norm_first, 2, 2).double()
        way, weights, seen = way_of(model), named(model), []
        modules = {
            name: one for name, one in model.named_modules() if isinstance(one, nn.LayerNorm)
        }
        for number, stop in enumerate(way):
            if stop.norm is None:
                continue
            ends = {"memory": "encoder_norm", "norm": "decoder_norm"}
            if stop.name in ends:
                path = ends[stop.name]
            else:
                sublayer = stop.name if norm_first else way[number - 1].name
                path = f"{path_of(stop.part)}.{MODULES[sublayer]}_residual.norm"
            assert stop.norm.norm is modules[path]
            close(stop.norm.out, layer_norm(array(stop.norm.x), weights, path), path)
            assert stop.norm.norm.eps == 1e-5
            seen.append(path)
        assert sorted(seen) == sorted(modules)

    def test_post_norm_normalises_the_sum(self) -> None:
        way = way_of(model_of(False).double())
        for sublayer, stop in pairwise(way):
            if stop.norm is not None:
                assert stop.before is not None
                close(stop.norm.x, array(stop.before) + array(sublayer.values), stop.part)
                assert torch.equal(stop.norm.out, stop.values)

    def test_pre_norm_normalises_what_the_sublayer_reads(self) -> None:
        for stop in way_of(model_of(True)):
            if stop.norm is not None:
                assert stop.before is not None
                assert torch.equal(stop.norm.x, stop.before)
                if stop.name in ("memory", "norm"):
                    assert torch.equal(stop.norm.out, stop.values)
                if stop.feed_forward is not None:
                    assert torch.equal(stop.norm.out, stop.feed_forward.x)


class TestFeedForward:
    @BOTH_NORMS
    def test_from_x_through_relu_to_the_values(self, norm_first: bool) -> None:
        model = model_of(norm_first, 2, 2).double()
        weights, parts = named(model), []
        for stop in way_of(model):
            assert (stop.feed_forward is not None) == (stop.name == "feed-forward")
            if stop.feed_forward is None:
                continue
            path = path_of(stop.part)
            x = array(stop.feed_forward.x)
            hidden = np.maximum(linear(x, weights, f"{path}.feed_forward.w_1"), 0)
            close(stop.feed_forward.hidden, hidden, "hidden")
            assert (hidden == 0).any()  # or ReLU would not show
            close(stop.values, linear(hidden, weights, f"{path}.feed_forward.w_2"), "out")
            parts.append(stop.part)
        assert parts == ["encoder 1", "encoder 2", "decoder 1", "decoder 2"]

    def test_with_post_norm_it_reads_the_stream(self) -> None:
        for stop in way_of(model_of(False)):
            if stop.feed_forward is not None:
                assert stop.before is not None
                assert torch.equal(stop.feed_forward.x, stop.before)

    @BOTH_NORMS
    def test_each_token_alone_comes_out_as_in_its_sentence(self, norm_first: bool) -> None:
        tried = 0
        for stop in way_of(model_of(norm_first).double()):
            if stop.feed_forward is None:
                continue
            for position, row in enumerate(stop.values):
                close(stop.feed_forward.alone(position), array(row), (stop.part, position))
                tried += 1
        assert tried == 4 + 4 + 3  # two encoder layers and a decoder layer

    def test_alone_drops_nothing(self) -> None:
        model = model_of(False).double()
        weights = named(model)
        for stop in stops(model, model(SRC, TGT, Generator().manual_seed(3))):
            if stop.feed_forward is not None:
                x = array(stop.feed_forward.x)
                expected = feed_forward(x, weights, path_of(stop.part))
                close(stop.feed_forward.alone(1), expected[1], stop.part)
                assert not np.allclose(array(stop.values[1]), expected[1], atol=1e-3)


class TestResidualStream:
    @BOTH_NORMS
    def test_it_passes_the_sums(self, norm_first: bool) -> None:
        add = "add" if norm_first else "add & norm"
        way = way_of(model_of(norm_first, 2, 1))
        assert names(residual_stream(way, "src")) == [
            ("source", "+ position"),
            *[("encoder 1", add)] * 2,
            *[("encoder 2", add)] * 2,
            *([("memory", "memory")] if norm_first else []),  # else the last sum itself
        ]
        assert names(residual_stream(way, "tgt")) == [
            ("target", "+ position"),
            *[("decoder 1", add)] * 3,
            *([("output", "norm")] if norm_first else []),
        ]

    @BOTH_NORMS
    def test_its_stops_are_those_of_the_way(self, norm_first: bool) -> None:
        way = way_of(model_of(norm_first))
        for side, length in (("src", 4), ("tgt", 3)):
            stream = residual_stream(way, "src" if side == "src" else "tgt")
            assert all(any(stop is one for one in way) for stop in stream)
            assert {tuple(stop.values.shape) for stop in stream} == {(length, 6)}


class TestStatistics:
    STOP = Stop(
        part="encoder 1",
        name="add",
        side="src",
        formula="",
        values=torch.tensor([[1.0, 2, 3, 6], [-2, 2, -2, 2], [5, 5, 5, 5]]),
        before=torch.tensor([[1.0, 2, 3, 2], [-2, 2, -2, 2], [6, 4, 8, 2]]),
    )

    def test_by_hand(self) -> None:
        found = statistics(self.STOP)
        assert found.mean.tolist() == [3, 0, 5]
        assert found.deviation.tolist() == pytest.approx([math.sqrt((4 + 1 + 0 + 9) / 4), 2, 0])
        assert found.norm.tolist() == pytest.approx([math.sqrt(50), 4, 10])
        assert found.change is not None
        assert found.change.tolist() == pytest.approx([4, 0, math.sqrt(1 + 1 + 9 + 9)])

    def test_what_was_made_from_nothing_did_not_move(self) -> None:
        found = statistics(replace(self.STOP, before=None))
        assert found.change is None
        assert found.mean.tolist() == [3, 0, 5]

    def test_a_position_moves_every_token_equally_far(self) -> None:
        """‖PE(pos)‖² = d_model / 2 at every position."""
        moved = [stop for stop in way_of(model_of(False).double()) if stop.name == "+ position"]
        assert len(moved) == 2
        for stop in moved:
            change = statistics(stop).change
            assert change is not None
            assert change.tolist() == pytest.approx([math.sqrt(6 / 2)] * len(stop.values), abs=1e-6)
