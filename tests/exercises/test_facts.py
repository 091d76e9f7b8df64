"""Facts in words, options in random order, and what is clear enough to be asked for."""

from random import Random

import pytest

from explorer.exercises.facts import KINDS, Facts, Text, mixed, place, told
from explorer.exercises.sources import clear_best, names
from explorer.languages import speaking
from tests.exercises.runs import asked


def test_long_words_that_begin_alike_stay_apart() -> None:
    long = names(("a" * 40, "a" * 41))
    assert len(set(long)) == 2
    assert max(map(len, long)) < 25


@pytest.mark.parametrize("draw", range(20))
def test_the_right_option_is_there_once_and_anywhere(draw: int) -> None:
    options, right = mixed(Random(draw), "r", ["a", "b", "r", "a", "c", "d"])
    assert options[right] == "r"
    assert len(options) == len(set(options)) == 4


def test_the_right_option_is_not_always_in_one_place() -> None:
    assert {mixed(Random(draw), 0, range(4))[1] for draw in range(40)} == {0, 1, 2, 3}


def test_only_a_clear_best_is_asked_for() -> None:
    assert clear_best([0.1, 0.8, 0.4]) == 1
    assert clear_best([0.1, 0.27, 0.23]) is None  # a lottery
    assert clear_best([-3.0, -1.0, -2.0]) == 1
    assert clear_best([1.0]) is None


@pytest.mark.parametrize(
    ("number", "digits", "text"), [(0.4126, 2, "0.41"), (-0.0001, 3, "0.000"), (-2, 1, "−2.0")]
)
def test_a_number_is_what_is_told(number: float, digits: int, text: str) -> None:
    assert str(Text("{x}", {"x": told(number, digits)})) == text


def test_values_are_shown_in_the_language_of_the_reader() -> None:
    one = Text("{word} {number} {list}", {
        "word": "“PAD”", "number": told(0.25, 2), "list": (Text("{n}", {"n": told(1, 1)}),) * 2,
    })  # fmt: skip
    assert str(one) == "“PAD” 0.25 1.0, 1.0"
    with speaking("de"):
        assert str(one) == "“PAD” 0,25 1,0; 1,0"
        assert str(Text("{word}", {"word": "dog"})) == "„dog“"
        assert str(place("cross", 1, 2)) != "layer 2, head 3 (cross)"
    assert str(place("cross", 1, 2)) == "layer 2, head 3 (cross)"
    assert str(place("encoder", 0)) == "layer 1 (encoder)"


@pytest.mark.parametrize("kind", KINDS)
def test_facts_have_no_language(kind: str) -> None:
    (one, *_) = asked(kind, "translator")
    before = repr(one.facts)
    with speaking("de"):
        german = one.worded()
    english = one.worded()
    assert german.text != english.text
    assert (german.right, german.grid, german.bars) == (english.right, english.grid, english.bars)
    assert repr(one.facts) == before
    assert isinstance(one.facts, Facts)
