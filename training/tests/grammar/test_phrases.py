"""Noun phrases agree in gender, number and case."""

import random

import pytest

from training.grammar.lexicon import Noun, nouns
from training.grammar.phrases import made_up, name_phrase, noun_phrase


def noun(kind: str, english: str) -> Noun:
    return next(noun for noun in nouns(kind) if noun.english == english)


@pytest.mark.parametrize(
    ("only", "kind", "english", "german"),
    [
        ("the", "animal", "dog", ("der Hund", "den Hund", "dem Hund", "des Hundes")),
        ("a", "animal", "cat", ("eine Katze", "eine Katze", "einer Katze", "einer Katze")),
        ("my", "vehicle", "car", ("mein Auto", "mein Auto", "meinem Auto", "meines Autos")),
        ("this", "animal", "lion",
         ("dieser Löwe", "diesen Löwen", "diesem Löwen", "dieses Löwen")),
        ("our", "place", "house", ("unser Haus", "unser Haus", "unserem Haus", "unseres Hauses")),
    ],
)  # fmt: skip
def test_articles(only: str, kind: str, english: str, german: tuple[str, ...]) -> None:
    for seed in range(30):
        made = noun_phrase(random.Random(seed), kind, noun=noun(kind, english), only=only,
                           plain=True)  # fmt: skip
        if made.gender != "p":
            assert made.english == f"{only} {english}"
            assert made.german == german
            return
    pytest.fail("always plural")


def test_plurals_have_an_n_in_the_dative() -> None:
    dice = random.Random(2)
    plurals = [made for made in (noun_phrase(dice, "animal", noun=noun("animal", "dog"), only="the",
                                             plain=True) for _ in range(60))
               if made.gender == "p"]  # fmt: skip
    assert plurals
    for made in plurals:
        assert made.english == "the dogs"
        assert made.german == ("die Hunde", "die Hunde", "den Hunden", "der Hunde")
        assert made.again.english == "they"


@pytest.mark.parametrize(
    "english",
    [
        "an uncle",
        "an hour",
        "an honor",
        "an Australian",
        "an umbrella",
        "an egg",
        "a user",
        "a unicorn",
        "a dog",
        "a European",
        "a Ukrainian",
        "a UFO",
        "a USB stick",
        "a house",
        "a pot of honey",
    ],
)
def test_a_becomes_an_before_a_vowel_that_is_spoken(english: str) -> None:
    word = english.partition(" ")[2]
    thing = Noun(word, word + "s", "Ding", "Dinge", "n", weak=False)
    made = noun_phrase(random.Random(5), "thing", noun=thing, only="a", plain=True)
    assert made.english == english


def test_nouns_without_a_plural_have_no_number() -> None:
    dice = random.Random(6)
    for _ in range(200):
        made = noun_phrase(dice, "drink", noun=noun("drink", "milk"), only="a")
        assert made.gender != "p"
        assert not made.english.startswith("a ")


def test_names_are_the_same_in_both() -> None:
    dice = random.Random(7)
    for _ in range(300):
        name = name_phrase(dice)
        assert name.english == name.in_case("acc") == name.in_case("dat")


def test_names_that_nobody_has_are_spoken_names() -> None:
    dice = random.Random(8)
    made = {made_up(dice) for _ in range(500)}
    assert len(made) > 300
    assert all(name[0].isupper() and name[1:].islower() for name in made)
