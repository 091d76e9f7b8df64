"""A question in words: its pieces, measures, and levels that are easy to read."""

import math
from dataclasses import replace

import numpy as np
import pytest

from explorer.analysis.attention import word_positions
from explorer.analysis.causes.asked import Asked, by_head, largest
from explorer.analysis.causes.question import Question
from explorer.names import AttentionKind
from tests.analysis.causes.sentences import SOURCE, sentence


def test_measure_and_levels_in_words() -> None:
    asked = Asked.of(Question.of(sentence(), 1, 5))
    assert asked.measure == "Probability of “5”"
    assert asked.is_share
    assert [asked.level(math.log(p)) for p in (0.934, 0.03, 0.001)] == ["0.93", "0.03", "< 0.01"]
    assert asked.source == ("4", "5", "6", "7", "PAD")
    assert asked.prefix == ("1", "3")
    assert asked.word_at(6) == "3"


@pytest.mark.parametrize(
    ("words", "token", "measure"),
    [("1 3 4 3", 3, "1 · 3"), ("1 3 4 3", 5, "5"), ("1 3 4 5", 3, "3"), ("3 1 4 3", 3, "3")],
)
def test_a_word_that_the_target_has_twice_is_named_with_its_position(
    words: str, token: int, measure: str
) -> None:
    """The question is about what stands at position 1; words that do not stand there have none."""
    asked = Asked.of(Question.of(sentence(texts=(SOURCE, words)), 0, token))
    assert asked.measure == f"Probability of “{measure}”"


def test_with_a_rival_numbers_are_logits() -> None:
    asked = Asked.of(Question.of(sentence(), 1, 5, 3))
    assert not asked.is_share
    assert asked.measure.startswith("Logit of")
    assert asked.level(-1.234) == "−1.23"
    assert asked.about() == {"position": 1, "token": 5, "rival": 3}


def test_a_dimension_of_an_encoder_alone() -> None:
    asked = Asked.of(Question.of(sentence("an encoder alone"), 1, 5))
    assert asked.measure == "Dimension 5 at “5”"
    assert asked.prefix == ()


@pytest.mark.parametrize(("by", "moves"), [(0.049, False), (0.051, True), (-0.051, True)])
def test_a_change_too_small_to_see_is_not_noticeable(by: float, moves: bool) -> None:
    asked = Asked.of(Question.of(sentence(), 1, 5))
    share = math.exp(asked.question.answer)
    assert asked.is_noticeable(math.log(share + by)) == moves


def test_a_word_that_a_side_has_twice_is_named_with_its_position() -> None:
    asked = replace(
        Asked.of(Question.of(sentence(), 1, 5)), source=("a", "b", "a"), prefix=("c", "a", "c")
    )
    assert [asked.word_at(at) for at in range(6)] == ["0 · a", "b", "2 · a", "0 · c", "a", "2 · c"]


def test_the_number_of_every_head_by_its_position() -> None:
    grids: dict[AttentionKind, np.ndarray] = {
        "encoder": np.array([[1.0, 2.0]]),
        "cross": np.array([[3.0], [4.0]]),
    }
    assert by_head(grids) == {
        ("encoder", 0, 0): 1.0,
        ("encoder", 0, 1): 2.0,
        ("cross", 0, 0): 3.0,
        ("cross", 1, 0): 4.0,
    }


def test_pad_is_no_word() -> None:
    assert word_positions(["PAD", "a", "PAD", "b"]) == [1, 3]


def test_nan_is_not_the_largest() -> None:
    assert largest([1.0, np.nan, -3.0]) == 2
