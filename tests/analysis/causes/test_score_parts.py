"""A score as a sum over pairs of parts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.causes.score_parts import parts_of_score
from explorer.analysis.causes.stream_parts import Part
from tests.analysis.causes.sentences import Asked, asked, read, sentence
from tests.test_variants import VARIANTS


@given(asked(), st.data())
def test_the_cells_sum_to_the_score(about: Asked, data: st.DataObject) -> None:
    seen = about.sentence()
    kind = data.draw(st.sampled_from(seen.model.config.attention_kinds))
    layer = data.draw(st.integers(0, seen.model.config.layers_of(kind) - 1))
    scores = seen.trace.attention(kind, layer).scores[0]
    at = tuple(data.draw(st.integers(0, length - 1)) for length in scores.shape)
    found = parts_of_score(seen, kind, layer, *at)
    assert found.score == float(scores[at])
    assert found.values.shape == (len(found.query_parts), len(found.key_parts))
    assert found.values.sum() == pytest.approx(found.score, rel=1e-4, abs=1e-9)


def test_float32_as_in_the_app() -> None:
    for variant in VARIANTS:
        seen = sentence(variant, dtype=torch.float32)
        for kind in seen.model.config.attention_kinds:
            found = parts_of_score(seen, kind, 1, 2, 3, 1)
            assert found.values.sum() == pytest.approx(found.score, rel=1e-4, abs=1e-5), variant


@torch.no_grad()
def test_the_first_layer_of_a_pre_norm_model_by_hand() -> None:
    """Query and key are made of embedding, position and biases alone."""
    seen = sentence("pre-norm")
    module = seen.model.encoder[0]
    made, d = seen.trace.src_embedding, 12
    w_q, w_k = (module.attention.w_qkv.weight[n * d + 4 : n * d + 8] for n in (0, 1))  # head 2
    norm = module.attention_residual.norm

    def normed(part: torch.Tensor, at: int) -> torch.Tensor:
        spread = (made.out[0, at].var(correction=0) + norm.eps).sqrt()
        return (part - part.mean()) / spread * norm.weight

    q = w_q @ normed(made.scaled[0, 3], 3)
    k = w_k @ normed(made.position[1], 1)
    found = parts_of_score(seen, "encoder", 0, 1, 3, 1)
    assert found.query_parts == found.key_parts == (
        Part("biases"), Part("embedding"), Part("position")
    )  # fmt: skip
    assert found.values[1, 2] == pytest.approx(float(q @ k) / 2)  # √d_k


def test_keys_of_cross_attention_are_made_in_the_encoder() -> None:
    found = parts_of_score(sentence(), "cross", 0, 0, 2, 1)
    queries, keys = ([part.name for part in side] for side in (found.query_parts, found.key_parts))
    assert "Encoder, layer 2, head 3" in keys
    assert "Encoder, layer 2, feed-forward" in keys
    assert not [name for name in queries if name.startswith("Encoder")]
    assert "Decoder, layer 1, head 1" in queries


@pytest.mark.parametrize("variant", ["T5's bias", "ALiBi"])
def test_relative_positions_have_one_cell(variant: str) -> None:
    seen = sentence(variant)
    found = parts_of_score(seen, "decoder", 1, 2, 3, 1)
    assert found.query_parts[-1].name == found.key_parts[-1].name == "bias of the distance"
    assert found.values[-1, -1] == float(seen.trace.attention("decoder", 1).bias[2, 3, 1])
    assert not found.values[-1, :-1].any()
    assert not found.values[:-1, -1].any()


def test_rotary_parts_depend_on_the_distance_alone() -> None:
    """The same words, one place further: the same cells, but for those of the future."""
    model = sentence("a decoder alone, tied").model  # with rotary positions
    one, other = read(model, ("", "5 5 5 5")), read(model, ("", "5 5 5 5 5"))
    near = parts_of_score(one, "decoder", 0, 0, 2, 1).values
    far = parts_of_score(other, "decoder", 0, 0, 4, 3).values
    assert np.abs(near).max() > 1e-3
    assert near == pytest.approx(far)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("cross", 2, 0, 0, 0), "layer must lie in 0 … 1"),
        (("cross", 0, 3, 0, 0), "head must lie in 0 … 2, got 3"),
        (("cross", 0, 0, 4, 0), "query must lie in 0 … 3, got 4"),
        (("cross", 0, 0, 0, -1), "key must lie in 0 … 4, got -1"),
    ],
)
def test_missing_attentions_and_positions_are_refused(
    place: Any, message: str, unchecked: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> None:
    with pytest.raises(ValueError, match=message):
        unchecked(parts_of_score)(sentence(), *place)
