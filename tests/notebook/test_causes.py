"""Causes in a notebook: each result draws the numbers that it holds."""

import numpy as np
import pytest

import explorer
from explorer.exploration import explore
from tests.figures.reading import array, heatmaps


@pytest.fixture(scope="module")
def seen() -> explorer.Exploration:
    return explore("three one two", model="reverse")


def test_a_picture_shows_the_parts(seen: explorer.Exploration) -> None:
    found = seen.parts_of_logit(1)
    by_layer, by_head = (one.drawing for one in found.picture().pictures)
    assert sum(by_layer.data[0]["x"][:-1]) == pytest.approx(found.logit, rel=1e-4)
    heads = sum(float(trace["z"].sum()) for trace in by_head.data)
    wanted = [v for part, v in zip(found.parts, found.values, strict=True) if part.what == "head"]
    assert heads == pytest.approx(sum(wanted), rel=1e-4)


def test_a_picture_shows_the_score(seen: explorer.Exploration) -> None:
    found = seen.parts_of_score("cross", 0, 1, query=1, key=2)
    (picture,) = found.picture().pictures
    (cells,) = heatmaps(picture.drawing.spec)
    assert float(array(cells["z"]).sum()) == pytest.approx(found.score, abs=1e-3)


def test_one_method_and_needed_heads(seen: explorer.Exploration) -> None:
    assert "three" in seen.attribute(1, "rollout").picture().pictures[0].alt
    found = explorer.need("reverse", ["three one two"])
    drawn = [array(trace["z"]) for trace in heatmaps(found.picture().pictures[0].drawing.spec)]
    for grid, wanted in zip(drawn, found.values(), strict=True):
        np.testing.assert_allclose(grid, -wanted, atol=1e-6)  # what is lost


def test_a_difference_asks_for_another_sentence(seen: explorer.Exploration) -> None:
    with pytest.raises(ValueError, match="other is needed"):
        seen.why("difference", 0, rival="three")
    with pytest.raises(ValueError, match="as many tokens"):
        seen.why("difference", 0, rival="three", other="three")
    with pytest.raises(ValueError, match="ask must be one of"):
        seen.why("nothing")


def test_no_head_is_framed_where_none_does_anything() -> None:
    ran = explore("I'm gonna make him an offer", model="quotes")
    (idle,), (needed,) = (
        seen.why("heads").pictures for seen in (ran, explore("a b", model="reverse"))
    )
    assert not idle.drawing.layout.get("shapes")
    assert needed.drawing.layout["shapes"]
