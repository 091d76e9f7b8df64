"""The norms and the feed-forwards inside of the stops, made again in plain numpy."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Generator, nn

from explorer.analysis.stops import stops
from explorer.config import Positions
from explorer.transformer import Transformer
from tests.analysis.stack_by_hand import (
    BOTH_NORMS,
    CONFIG,
    MODULES,
    SRC,
    TGT,
    array,
    close,
    feed_forward,
    layer_norm,
    linear,
    model_of,
    named,
    path_of,
    stops_of,
)
from tests.properties.strategies import perturbed


class TestNorms:
    @BOTH_NORMS
    def test_the_places_of_norms(self, norm_first: bool) -> None:
        """After the sum; with pre-norm before the sub-layer, and once more at each end."""
        at = {*MODULES, "memory", "norm"} if norm_first else {"add & norm"}
        for stop in stops_of(model_of(norm_first)):
            assert (stop.norm is not None) == (stop.name in at), (stop.part, stop.name)

    @BOTH_NORMS
    def test_each_norm_is_recomputed_with_its_own_weight_bias_and_epsilon(
        self, norm_first: bool
    ) -> None:
        model = model_of(norm_first, 2, 2).double()
        all_stops, weights, seen = stops_of(model), named(model), []
        modules = {
            name: one for name, one in model.named_modules() if isinstance(one, nn.LayerNorm)
        }
        for number, stop in enumerate(all_stops):
            if stop.norm is None:
                continue
            ends = {"memory": "encoder_norm", "norm": "decoder_norm"}
            if stop.name in ends:
                path = ends[stop.name]
            else:
                sublayer = stop.name if norm_first else all_stops[number - 1].name
                path = f"{path_of(stop.part)}.{MODULES[sublayer]}_residual.norm"
            assert stop.norm.norm is modules[path]
            close(stop.norm.out, layer_norm(array(stop.norm.x), weights, path), path)
            assert stop.norm.norm.eps == 1e-5
            seen.append(path)
        assert sorted(seen) == sorted(modules)

    def test_post_norm_normalises_the_sum(self) -> None:
        all_stops = stops_of(model_of(False).double())
        for sublayer, stop in pairwise(all_stops):
            if stop.norm is not None:
                assert stop.before is not None
                close(stop.norm.x, array(stop.before) + array(sublayer.values), stop.part)
                assert torch.equal(stop.norm.out, stop.values)

    def test_pre_norm_normalises_what_the_sublayer_reads(self) -> None:
        for stop in stops_of(model_of(True)):
            if stop.norm is not None:
                assert stop.before is not None
                assert torch.equal(stop.norm.x, stop.before)
                if stop.name in ("memory", "norm"):
                    assert torch.equal(stop.norm.out, stop.values)
                if stop.feed_forward is not None:
                    assert torch.equal(stop.norm.out, stop.feed_forward.x)

    @pytest.mark.parametrize(
        ("positions", "before"), [("learned", "+ position"), ("none", "× √d_model")]
    )
    def test_a_norm_after_the_embedding_is_a_stop_of_its_own(
        self, positions: Positions, before: str
    ) -> None:
        config = replace(CONFIG, norm_embedding=True, positions=positions, dropout=0.0)
        model = perturbed(Transformer(config)).double()
        trace = model(SRC, TGT)
        all_stops = stops(model, trace)
        for part, side in (("source", "src"), ("target", "tgt")):
            summed, norm = [stop for stop in all_stops if stop.part == part][-2:]
            assert (summed.name, norm.name) == (before, "norm")
            embedding = getattr(trace, f"{side}_embedding")
            assert torch.equal(summed.values, embedding.added[0])
            assert norm.before is not None
            assert norm.norm is not None
            assert torch.equal(norm.before, summed.values)
            assert torch.equal(norm.norm.x, summed.values)
            path = f"{side}_embedding.norm"
            close(norm.values, layer_norm(array(summed.values), named(model), path), part)
            assert torch.equal(norm.norm.out, norm.values)
            assert (summed.on_stream, norm.on_stream) == (False, True)


class TestFeedForward:
    @BOTH_NORMS
    def test_from_x_through_relu_to_the_values(self, norm_first: bool) -> None:
        model = model_of(norm_first, 2, 2).double()
        weights, parts = named(model), []
        for stop in stops_of(model):
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
        for stop in stops_of(model_of(False)):
            if stop.feed_forward is not None:
                assert stop.before is not None
                assert torch.equal(stop.feed_forward.x, stop.before)

    @BOTH_NORMS
    def test_each_token_alone_comes_out_as_in_its_sentence(self, norm_first: bool) -> None:
        tried = 0
        for stop in stops_of(model_of(norm_first).double()):
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
