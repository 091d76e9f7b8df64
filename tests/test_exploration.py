"""From text to trace in one call."""

import doctest
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from explorer import exploration
from explorer.exploration import explore
from explorer.notebook.exploration import Exploration
from explorer.weights.loaded import load

PAIRS = ["the animal was tired", "it slept"], ["das Tier war müde", "es schlief"]


@pytest.fixture(scope="module")
def seen() -> Exploration:
    return explore(*PAIRS, d_model=16)


def test_the_example_in_the_docstring() -> None:
    results = doctest.testmod(exploration)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_settings_reach_the_model() -> None:
    seen = explore(*PAIRS, d_model=12, n_heads=3, n_layers=1, seed=4)
    config = seen.model.config
    assert (config.d_model, config.n_heads, config.d_ff) == (12, 3, 48)
    assert (config.n_encoder_layers, config.n_decoder_layers) == (1, 1)
    other_seed = explore(*PAIRS, d_model=12, n_heads=3, n_layers=1, seed=5)
    assert not torch.allclose(seen.trace.logits, other_seed.trace.logits)


def test_nothing_typed_yet_gives_numbers() -> None:
    trace = explore([""], [""]).trace
    assert trace.logits.shape == (1, 1, 1000)
    assert trace.logits.isfinite().all()


@pytest.mark.parametrize("length", [None, 5])
def test_nothing_typed_yet_gives_sentences_without_a_missing_number(length: int | None) -> None:
    seen = explore("", "x", length=length)
    for drawn in (seen.positions(), seen.masks(), seen.attention(), seen.stack(0)):
        for picture in drawn.pictures:
            said = [getattr(picture, name, "") for name in ("alt", "caption", "summary")]
            assert " nan" not in " ".join(said), picture.key


def test_every_pair_and_every_choice_can_be_drawn(seen: Exploration) -> None:
    second = seen.pair(2)
    assert "“it slept” → “es schlief”" in repr(second.masks("target"))
    assert "layer 2, head 3" in repr(second.attention("decoder", 1, 2))
    assert seen.pair(2, hide_pad=True).trace.memory.shape[1] == 2  # it slept
    words = second.attention("cross", 0, 0).figures[0].data[0].z.shape
    assert words == (5, 4)  # padded as in the batch
    assert second.attention("cross", 0, 0, hide_pad=True).figures[0].data[0].z.shape == (4, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda seen: seen.pair(3),
        lambda seen: seen.attention("cross", 0, 4),
        lambda seen: seen.attention("cross", 2),
        lambda seen: seen.masks("causal"),
        lambda seen: seen.positions("rotary"),
        lambda seen: seen.steps("sotfmax"),
        lambda seen: seen.stack(999),
        lambda seen: seen.decode(at=999),
        lambda seen: seen.steps(query=-1),
        lambda seen: seen.steps(key=99),
        lambda seen: seen.steps(form="x"),
        lambda seen: seen.steps("qkv", which="z"),
        lambda seen: seen.masks("target", query=-1),
        lambda seen: seen.masks("target", key=99),
        lambda seen: seen.attention(query=99, key=0),
        lambda seen: seen.positions("encoding", word=99),
        lambda seen: seen.stack(word=99),
        lambda seen: seen.decode("x"),
    ],
)
def test_impossible_pictures_are_explained(seen: Exploration, wrong: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"must|no "):
        wrong(seen)


def test_missing_targets_are_the_models_own() -> None:
    own = explore(["one two three", "one two"], ["three two", None], model="reverse")
    assert own.batch.tgt_labels == (
        ("BOS", "three", "two", "EOS"),
        ("BOS", "two", "one", "EOS"),
    )


def test_whatever_is_left_out_is_an_error() -> None:
    with pytest.raises(ValueError, match="first 16 of 100 pairs"):
        explore(["a"] * 100, ["b"] * 100, d_model=16)
    with pytest.raises(ValueError, match="first 128 of 200 source tokens"):
        explore(" ".join("ab" for _ in range(200)), "b", d_model=16)
    with pytest.raises(ValueError, match="must be read"):
        load("reverse").answer(["a b " * 100])
    assert len(load("reverse").answer(["a b"] * 40)) == 40


def test_a_head_can_be_switched_off(seen: Exploration) -> None:
    trace = seen.what_if("cross", 1, without_head=2)
    assert (trace.attention("cross", 1).context[:, 2] == 0).all()
    assert (trace.attention("cross", 1).context[:, 1] != 0).any()
    assert not torch.equal(trace.logits[0], seen.trace.logits[0])
    with pytest.raises(ValueError, match="without_head must lie in"):
        seen.what_if("cross", 1, without_head=4)


def test_the_ending_decides_the_format(seen: Exploration, tmp_path: Path) -> None:
    picture = seen.attention("cross", 0, 0)
    picture.save(tmp_path / "a.html")
    assert "<html" in (tmp_path / "a.html").read_text(encoding="utf-8")[:300]
    picture.save(tmp_path / "a.csv")
    picture[0].save(tmp_path / "a.svg")
    drawn = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert drawn.get("aria-label") == picture.pictures[0].alt
    with pytest.raises(ValueError, match=r"one picture, got 2: choose one, as in picture\[0\]"):
        picture.save(tmp_path / "b.svg")
    written = (tmp_path / "a.csv").read_text(encoding="utf-8-sig")
    weight = seen.trace.attention("cross", 0).weights[0, 0, 0, 0].item()
    assert f"{weight:.7g}" in written
    with pytest.raises(ValueError, match=r"must end in \.html, \.svg or \.csv"):
        picture.save(tmp_path / "a.png")
    heads = seen.heads()
    heads.save(tmp_path / "h.csv")
    assert f"{weight:.7g}" in (tmp_path / "h.csv").read_text(encoding="utf-8-sig")
    heads.save(tmp_path / "h.svg")
    assert {path.name for path in tmp_path.iterdir()} == {
        *("a.html", "a.csv", "a.svg", "h.csv", "h.svg")
    }
