"""The stops of the stack: their order, the trace's numbers in them, and how these move."""

from itertools import pairwise

import pytest
import torch
from torch import Generator, Tensor

from explorer.analysis.stops import (
    Stop,
    residual_stream,
    stops,
)
from explorer.transformer import TransformerTrace
from tests.analysis.small_stacks import (
    BOTH_NORMS,
    DEPTHS,
    SRC,
    TGT,
    model_of,
    stops_of,
)

Name = tuple[str, str]


def names(all_stops: list[Stop]) -> list[Name]:
    return [(stop.part, stop.name) for stop in all_stops]


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


class TestOrder:
    @BOTH_NORMS
    @DEPTHS
    def test_any_depth(self, norm_first: bool, n_encoder: int, n_decoder: int) -> None:
        all_stops = stops_of(model_of(norm_first, n_encoder, n_decoder))
        assert names(all_stops) == expected_names(norm_first, n_encoder, n_decoder)

    @BOTH_NORMS
    def test_everything_up_to_memory_is_the_source_the_rest_the_target(
        self, norm_first: bool
    ) -> None:
        all_stops = stops_of(model_of(norm_first))
        turn = [stop.part for stop in all_stops].index("memory") + 1
        assert {stop.side for stop in all_stops[:turn]} == {"src"}
        assert {stop.side for stop in all_stops[turn:]} == {"tgt"}
        assert {len(stop.values) for stop in all_stops[:turn]} == {4}
        assert {len(stop.values) for stop in all_stops[turn:]} == {3}

    @BOTH_NORMS
    def test_a_sum_knows_what_was_added(self, norm_first: bool) -> None:
        all_stops = stops_of(model_of(norm_first))
        for before, stop in pairwise(all_stops):
            assert stop.sublayer == (before.name if stop.name.startswith("add") else "")


def of_the_trace(trace: TransformerTrace, norm_first: bool) -> list[Tensor]:
    """The expected values of the stops, in order, for the first sentence."""

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
    all_stops, expected = stops(model, trace), of_the_trace(trace, norm_first)
    assert all_stops[-1].name == "probabilities"
    for stop, values in zip(all_stops[:-1], expected, strict=True):
        assert torch.equal(stop.values, values), (stop.part, stop.name)
    powers = expected[-1].exp()
    torch.testing.assert_close(all_stops[-1].values, powers / powers.sum(dim=-1, keepdim=True))


class TestBefore:
    @BOTH_NORMS
    @DEPTHS
    def test_before_is_the_input_of_the_stop(
        self, norm_first: bool, n_encoder: int, n_decoder: int
    ) -> None:
        """A sub-layer and its sum start from the same x, the stream up to there."""
        all_stops = stops_of(model_of(norm_first, n_encoder, n_decoder))
        stream: Tensor | None = None
        for number, stop in enumerate(all_stops):
            what = stop.part, stop.name
            if stop.name in ("embedding", "logits", "probabilities"):
                assert stop.before is None, what
            elif stop.name in ("× √d_model", "+ position", "memory", "norm"):
                assert stop.before is not None, what
                assert torch.equal(stop.before, all_stops[number - 1].values), what
            else:
                assert stop.before is not None, what
                assert stream is not None
                assert torch.equal(stop.before, stream), what
            if stop.name in ("+ position", "add", "add & norm"):
                stream = stop.values


class TestResidualStream:
    @BOTH_NORMS
    def test_it_passes_the_sums(self, norm_first: bool) -> None:
        add = "add" if norm_first else "add & norm"
        all_stops = stops_of(model_of(norm_first, 2, 1))
        assert names(residual_stream(all_stops, "src")) == [
            ("source", "+ position"),
            *[("encoder 1", add)] * 2,
            *[("encoder 2", add)] * 2,
            *([("memory", "memory")] if norm_first else []),  # else the last sum itself
        ]
        assert names(residual_stream(all_stops, "tgt")) == [
            ("target", "+ position"),
            *[("decoder 1", add)] * 3,
            *([("output", "norm")] if norm_first else []),
        ]
