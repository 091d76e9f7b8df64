"""The words of the grammar: their forms fit each other."""

import re

import pytest

from training.grammar.inflection import article
from training.grammar.lexicon import (
    Verb,
    adjectives,
    names,
    nouns,
    verbs,
)

CASES = ("nom", "acc", "dat", "gen")


def test_every_verb_has_forms_that_belong_together() -> None:
    for verb in verbs():
        assert isinstance(verb, Verb)
        assert verb.infinitive.endswith(("en", "ln", "rn")), verb.whole
        assert verb.participle.endswith(("t", "en")), verb.whole
        assert verb.participle.startswith(verb.prefix), verb.whole
        assert verb.present.endswith("t"), verb.whole
        # A weak past has a weak participle: machte, gemacht; but brachte, gebracht.
        assert verb.past.endswith("te") == verb.participle.endswith("t"), verb.whole


@pytest.mark.parametrize(
    ("kind", "english", "forms"),
    [
        ("animal", "lion", "der Löwe, den Löwen, dem Löwen, des Löwen; Löwen, Löwen"),
        ("person", "child", "das Kind, das Kind, dem Kind, des Kindes; Kinder, Kindern"),
        (
            "food",
            "pumpkin",
            "der Kürbis, den Kürbis, dem Kürbis, des Kürbisses; Kürbisse, Kürbissen",
        ),
        (
            "food",
            "zucchini",
            "die Zucchini, die Zucchini, der Zucchini, der Zucchini; Zucchini, Zucchini",
        ),
        ("vehicle", "bus", "der Bus, den Bus, dem Bus, des Busses; Busse, Bussen"),
        ("vehicle", "car", "das Auto, das Auto, dem Auto, des Autos; Autos, Autos"),
        (
            "tech",
            "algorithm",
            "der Algorithmus, den Algorithmus, dem Algorithmus, des Algorithmus; "
            "Algorithmen, Algorithmen",
        ),
        (
            "place",
            "prison",
            "das Gefängnis, das Gefängnis, dem Gefängnis, des Gefängnisses; "
            "Gefängnisse, Gefängnissen",
        ),
        ("thing", "lamp", "die Lampe, die Lampe, der Lampe, der Lampe; Lampen, Lampen"),
        ("place", "garden", "der Garten, den Garten, dem Garten, des Gartens; Gärten, Gärten"),
    ],
)
def test_nouns(kind: str, english: str, forms: str) -> None:
    noun = next(noun for noun in nouns(kind) if noun.english == english)
    singular, plural = forms.split("; ")
    for case, wanted in zip(CASES, singular.split(", "), strict=True):
        assert f"{article('der', noun.gender, case)} {noun.singular(case)}" == wanted
    assert f"{noun.plural('nom')}, {noun.plural('dat')}" == plural


def test_the_genders_that_endings_tell() -> None:
    """German nouns on these endings have one gender, whatever they mean."""
    gender_of = {"ung": "f", "heit": "f", "keit": "f", "schaft": "f", "tion": "f", "tät": "f",
                 "chen": "n", "ling": "m"}  # fmt: skip
    seen = set()
    for kind in ("person", "animal", "food", "thing", "clothes", "text", "place", "way", "nature",
                 "tech", "field", "abstract", "vehicle", "body"):  # fmt: skip
        for noun in nouns(kind):
            for ending, gender in gender_of.items():
                # Kuchen, Knochen, Drachen and Rechen have no -chen.
                if re.search(rf"(?<![uoa])(?<!\bRe){ending}$", noun.german):
                    assert noun.gender == gender, noun.german
                    seen.add(ending)
    assert len(seen) >= 6


def test_every_verb_has_something_to_be_done_to_and_someone_to_do_it() -> None:
    for verb in verbs():
        assert all(nouns(kind) for kind in (*verb.subjects, *verb.objects))


def test_a_name_may_have_another_form_in_german() -> None:
    cities = {name.english: name.german for name in names("city")}
    assert cities["Rome"] == "Rom"
    assert cities["Berlin"] == "Berlin"
    with pytest.raises(KeyError):
        names("planet")


def test_some_adjectives_have_another_stem() -> None:
    found = {word.english: word for word in adjectives("thing")}
    assert (found["expensive"].german, found["expensive"].stem) == ("teuer", "teur")
