"""Causes in a notebook: each result draws the numbers that it holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.config import ModelConfig
from explorer.exploration import explore
from explorer.tokenizer import IdTokenizer, TextTokenizer
from tests.figures.reading import array, heatmaps


@pytest.fixture(scope="module")
def seen() -> explorer.Exploration:
    return explore("three one two", model="reverse")


def test_a_picture_shows_the_parts(seen: explorer.Exploration) -> None:
    found = seen.parts_of_logit(1)
    by_layer, by_head = (one.drawing for one in seen.why("parts", 1).pictures)
    assert sum(by_layer.parts[0].values[:-1]) == pytest.approx(found.logit, rel=1e-4)
    heads = sum(float(part.values.sum()) for part in by_head.cells)
    wanted = [v for part, v in zip(found.parts, found.values, strict=True) if part.what == "head"]
    assert heads == pytest.approx(sum(wanted), rel=1e-4)


def test_a_picture_shows_the_score(seen: explorer.Exploration) -> None:
    found = seen.parts_of_score("cross", 0, 1, query=1, key=2)
    (picture,) = seen.why_score("cross", 0, 1, query=1, key=2).pictures
    (cells,) = heatmaps(picture.drawing)
    assert float(array(cells["z"]).sum()) == pytest.approx(found.score, abs=1e-3)


def test_needed_heads() -> None:
    found = explorer.need("reverse", ["three one two"])
    drawn = [array(trace["z"]) for trace in heatmaps(found.picture().pictures[0].drawing)]
    for grid, wanted in zip(drawn, found.values(), strict=True):
        np.testing.assert_allclose(grid, -wanted, atol=1e-6)  # what is lost


def test_a_difference_asks_for_another_sentence(seen: explorer.Exploration) -> None:
    with pytest.raises(ValueError, match="other is needed"):
        seen.why("difference", 0, rival="three")
    with pytest.raises(ValueError, match="as many tokens"):
        seen.why("difference", 0, rival="three", other="three")
    with pytest.raises(ValueError, match="layer must lie in"):
        seen.why("parts", 0, head=("cross", 9, 0))
    with pytest.raises(ValueError, match="ask must be one of"):
        seen.why("nothing")


@pytest.mark.parametrize(
    ("pairs", "other", "how", "ids"),
    [
        # From 4 on by the alphabet: five, four, one, three, two; elsewhere in order of appearance.
        ((["four two", "three one two"], None), "three five two", {"model": "sort"},
         ([7, 6, 8], [7, 4, 8], [1, 6, 7, 8])),
        ((["ein Wort", "the cat"],) * 2, "the dog", {}, ([6, 7], [6, 8], [1, 6, 7])),
        ((["a", "the cat"],) * 2, "the dog", {"tokenizer": TextTokenizer("characters")},
         ([5, 6, 7, 8, 9, 4, 5], [5, 6, 7, 8, 10, 11, 12], [1, 5, 6, 7, 8, 9, 4, 5])),
        ((["5", "3 0 4 1 2"],) * 2, "3 0 9 1 2", {"tokenizer": IdTokenizer()},
         ([3, 0, 4, 1, 2], [3, 0, 9, 1, 2], [3, 0, 4, 1, 2])),
    ],
)  # fmt: skip
def test_words_have_the_same_ids_in_both_sentences(
    pairs: Any, other: str, how: dict[str, Any], ids: tuple[list[int], ...]
) -> None:
    seen = explore(*pairs, **how).pair(2)
    assert seen.why("difference", 2, token=4, other=other).pictures
    a, b = seen._beside(other)
    read = a.batch.src[a.row], b.batch.src[b.row], a.batch.tgt_in[a.row]
    assert tuple(row.tolist() for row in read) == ids
    assert a.run().tgt_labels == b.run().tgt_labels == seen.run().tgt_labels


def test_no_head_is_framed_where_none_does_anything() -> None:
    ran = explore("I'm gonna make him an offer", model="quotes")
    (idle,), (needed,) = (
        seen.why("heads").pictures for seen in (ran, explore("a b", model="reverse"))
    )
    assert not idle.drawing.marks
    assert needed.drawing.marks


@pytest.mark.all
def test_a_method_without_an_answer_says_so(tmp_path: Path) -> None:
    """With ε = 10⁻³⁰, 30 norms multiply by more than the largest number of double precision."""
    config = ModelConfig(
        d_model=8, n_heads=2, n_encoder_layers=6, n_decoder_layers=6, d_ff=8, norm_eps=1e-30,
        positions="alibi", src_vocab_size=50, tgt_vocab_size=50,
    )  # fmt: skip
    asked = explore("the cat sat", "die Katze", model=config)
    with pytest.raises(ValueError, match="No answer from integrated gradients"):
        asked.attribute(1, "integrated_gradients")
    shown = asked.why("words", 1)
    _, methods, deletion = shown.pictures
    assert "integrated gradients: no answer;" in methods.alt
    assert "No answer from integrated gradients" in methods.caption
    assert "integrated gradients" not in deletion.alt
    assert "integrated gradients: no answer;" in shown.html()
    shown[1].save(tmp_path / "methods.csv")
    table = (tmp_path / "methods.csv").read_text(encoding="utf-8-sig")
    lines = [line for line in table.splitlines() if line.startswith("integrated gradients")]
    assert len(lines) == 2  # source, and what is written so far
    assert not any(letter.isdigit() for line in lines for letter in line)
