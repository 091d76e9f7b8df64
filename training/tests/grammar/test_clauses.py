"""Clauses: the order of German verbs, negation, and forms that agree."""

import random
from dataclasses import replace

import pytest

from training.grammar.clauses import Clause, clause
from training.grammar.lexicon import Noun, Verb, nouns, verbs
from training.grammar.phrases import PRONOUNS, Phrase, noun_phrase

HE = next(person for person in PRONOUNS if person.english == "he")


def verb(english: str) -> Verb:
    return next(verb for verb in verbs() if verb.english == english)


def _noun(kind: str, english: str) -> Noun:
    return next(noun for noun in nouns(kind) if noun.english == english)


class TestOrder:
    def made(self, tense: str, english: str = "call", **given: bool) -> Clause:
        thing = noun_phrase(
            random.Random(0), "person", noun=_noun("person", "doctor"), only="the", plain=True
        )
        thing = replace(
            thing, english="the doctor",
            german=("der Arzt", "den Arzt", "dem Arzt", "des Arztes"), gender="m", person="er",
        )  # fmt: skip
        # Without a time: some dice give none.
        for seed in range(50):
            made = clause(random.Random(seed), subject=HE, verb=verb(english), tense=tense,
                          thing=thing, negated=given.get("negated", False))  # fmt: skip
            if made.rest == "the doctor":
                return made
        raise AssertionError("always with a time")

    def test_a_prefix_comes_off_in_the_second_place_only(self) -> None:
        made = self.made("present")
        assert made.german == "er ruft den Arzt an"
        assert made.german_inverted == "ruft er den Arzt an"
        assert made.german_side == "er den Arzt anruft"
        assert made.english == "he calls the doctor"
        assert made.english_question == "does he call the doctor"

    def test_participles_and_infinitives_stand_at_the_end(self) -> None:
        made = self.made("perfect")
        assert made.german == "er hat den Arzt angerufen"
        assert made.german_side == "er den Arzt angerufen hat"
        assert made.english_question == "has he called the doctor"
        assert self.made("future").german == "er wird den Arzt anrufen"
        assert self.made("can").german_side == "er den Arzt anrufen kann"

    def test_nicht_stands_after_a_definite_object(self) -> None:
        made = self.made("present", negated=True)
        assert made.german == "er ruft den Arzt nicht an"
        assert made.english.split(" the ")[0] in ("he doesn't call", "he does not call")

    def test_must_not_is_no_müssen(self) -> None:
        assert self.made("must", negated=True).german == "er darf den Arzt nicht anrufen"
        assert self.made("have to", negated=True).german == "er muss den Arzt nicht anrufen"

    def test_some_verbs_have_an_object_in_the_dative(self) -> None:
        assert self.made("present", "help").german == "er hilft dem Arzt"


def test_kein_stands_for_not_a() -> None:
    cat = noun_phrase(random.Random(1), "animal", noun=_noun("animal", "cat"), only="a", plain=True)
    made = clause(random.Random(1), subject=HE, verb=verb("see"), tense="present", thing=cat,
                  negated=True)  # fmt: skip
    assert "keine Katze" in made.german
    assert "nicht" not in made.german


@pytest.mark.parametrize("person", PRONOUNS, ids=lambda person: person.english)
def test_subjects_agree_in_every_tense(person: Phrase) -> None:
    haben = {"ich": "habe", "du": "hast", "er": "hat", "wir": "haben"}
    have = "has" if person.english in ("he", "she") else "have"
    made = clause(random.Random(1), subject=person, verb=verb("sleep"), tense="perfect",
                  negated=False)  # fmt: skip
    assert made.finite == haben[person.person]
    assert made.auxiliary == have
