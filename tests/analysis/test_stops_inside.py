"""The norms and the feed-forwards inside of the stops: whose they are, and what they read."""

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Generator, nn

from explorer.analysis.stops import stops
from explorer.config import Positions
from explorer.transformer import Transformer
from tests.analysis.small_stacks import (
    BOTH_NORMS,
    CONFIG,
    MODULES,
    SRC,
    TGT,
    model_of,
    path_of,
    stops_of,
)
from tests.properties.strategies import perturbed


class TestNorms:
    @BOTH_NORMS
    def test_each_norm_is_its_own(self, norm_first: bool) -> None:
        model = model_of(norm_first, 2, 2).double()
        all_stops, seen = stops_of(model), []
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
            torch.testing.assert_close(stop.norm.out, modules[path](stop.norm.x))
            assert stop.norm.norm.eps == 1e-5
            seen.append(path)
        assert sorted(seen) == sorted(modules)

    def test_post_norm_normalises_the_sum(self) -> None:
        all_stops = stops_of(model_of(False).double())
        for sublayer, stop in pairwise(all_stops):
            if stop.norm is not None:
                assert stop.before is not None
                torch.testing.assert_close(stop.norm.x, stop.before + sublayer.values)
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
            module = model.get_submodule(f"{side}_embedding.norm")
            torch.testing.assert_close(norm.values, module(summed.values))
            assert torch.equal(norm.norm.out, norm.values)
            assert (summed.on_stream, norm.on_stream) == (False, True)


def matrices_of(model: Transformer, part: str) -> tuple[nn.Module, nn.Module]:
    """Both maps of a layer's feed-forward."""
    path = f"{path_of(part)}.feed_forward"
    return model.get_submodule(f"{path}.w_1"), model.get_submodule(f"{path}.w_2")


class TestFeedForward:
    @BOTH_NORMS
    def test_from_x_through_relu_to_the_values(self, norm_first: bool) -> None:
        model = model_of(norm_first, 2, 2).double()
        parts = []
        for stop in stops_of(model):
            assert (stop.feed_forward is not None) == (stop.name == "feed-forward")
            if stop.feed_forward is None:
                continue
            w_1, w_2 = matrices_of(model, stop.part)
            hidden = w_1(stop.feed_forward.x).relu()
            torch.testing.assert_close(stop.feed_forward.hidden, hidden)
            assert (hidden == 0).any()  # or ReLU would not show
            torch.testing.assert_close(stop.values, w_2(hidden))
            parts.append(stop.part)
        assert parts == ["encoder 1", "encoder 2", "decoder 1", "decoder 2"]

    @BOTH_NORMS
    def test_each_token_alone_comes_out_as_in_its_sentence(self, norm_first: bool) -> None:
        tried = 0
        for stop in stops_of(model_of(norm_first).double()):
            if stop.feed_forward is None:
                continue
            for position, row in enumerate(stop.values):
                torch.testing.assert_close(stop.feed_forward.alone(position), row)
                tried += 1
        assert tried == 4 + 4 + 3  # two encoder layers and a decoder layer

    def test_alone_drops_nothing(self) -> None:
        model = model_of(False).double()
        for stop in stops(model, model(SRC, TGT, Generator().manual_seed(3))):
            if stop.feed_forward is not None:
                w_1, w_2 = matrices_of(model, stop.part)
                expected = w_2(w_1(stop.feed_forward.x).relu())[1]
                torch.testing.assert_close(stop.feed_forward.alone(1), expected)
                assert not torch.allclose(stop.values[1], expected, atol=1e-3)
