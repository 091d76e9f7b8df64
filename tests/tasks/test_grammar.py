"""Synchronous grammars, tested with one so small that all its sentences can be listed."""

import random
from collections import Counter

import pytest

from explorer.tasks.grammar import Grammar, Rule, Words


def grammar(rules: dict[str, list[str]], start: str = "text") -> Grammar:
    return Grammar({symbol: [Rule.parse(r) for r in both] for symbol, both in rules.items()}, start)


def words(text: str) -> Words:
    return tuple(text.split())


SWAPPING = {
    "text": ["{thing} , {the other} | {the other} ; {thing} !", "nichts | nothing at all"],
    "thing": ["a | A", "{the other} a | A {the other}"],
    "the other": ["b | B", "bb | B B"],
}
EVERYTHING = {
    "a , b": "B ; A !",
    "a , bb": "B B ; A !",
    "b a , b": "B ; A B !",
    "b a , bb": "B B ; A B !",
    "bb a , b": "B ; A B B !",
    "bb a , bb": "B B ; A B B !",
    "nichts": "nothing at all",
}


def test_a_rule_is_parsed() -> None:
    rule = Rule.parse("{the other} hat {x} | has  {x} {the other}")
    assert rule == Rule(("{the other}", "hat", "{x}"), ("has", "{x}", "{the other}"))


def test_one_side_of_a_rule_may_be_empty() -> None:
    assert Rule.parse("doch | ") == Rule(("doch",), ())


def test_all_sentences_by_hand() -> None:
    found = grammar(SWAPPING).sentences()
    assert Counter(found) == Counter((words(s), words(t)) for s, t in EVERYTHING.items())


@pytest.mark.parametrize(("source", "target"), EVERYTHING.items())
def test_the_target_may_reorder_gaps(source: str, target: str) -> None:
    assert grammar(SWAPPING).translate(words(source)) == words(target)


@pytest.mark.parametrize(
    "unknown", ["", "a", "a ,", "a , b b", "a , b a", "a b", "b , a", "nichts nichts", "A , B"]
)
def test_a_sentence_outside_the_grammar_has_no_translation(unknown: str) -> None:
    assert grammar(SWAPPING).translate(words(unknown)) is None


def test_parsing_backtracks_to_a_longer_match() -> None:
    greedy = grammar({"text": ["{x} c | {x} C"], "x": ["a | A", "a b | A B", "a b c | A B C"]})
    assert greedy.translate(words("a b c")) == words("A B C")
    assert greedy.translate(words("a b c c")) == words("A B C C")


def test_the_first_rule_wins_if_two_match() -> None:
    assert grammar({"text": ["a | one", "a | two"]}).translate(("a",)) == ("one",)


def test_every_rule_is_drawn_equally_often() -> None:
    dice, swapping = random.Random(0), grammar(SWAPPING)
    drawn = Counter(" ".join(swapping.draw(dice)[0]) for _ in range(4000))
    assert drawn.keys() == EVERYTHING.keys()
    expected = {"nichts": 1 / 2} | {f"a , {b}": 1 / 8 for b in ("b", "bb")}
    expected |= {f"{b} a , {c}": 1 / 16 for b in ("b", "bb") for c in ("b", "bb")}
    for source, share in expected.items():
        assert drawn[source] / 4000 == pytest.approx(share, abs=0.03), source


def test_the_same_seed_draws_the_same_sentences() -> None:
    one, other = (
        [grammar(SWAPPING).draw(dice) for _ in range(20)]
        for dice in (random.Random(7), random.Random(7))
    )
    assert one == other


def test_words_are_listed_once_per_side_in_the_order_of_the_rules() -> None:
    assert grammar(SWAPPING).words() == (
        (",", "nichts", "a", "b", "bb"),
        (";", "!", "nothing", "at", "all", "A", "B"),
    )
