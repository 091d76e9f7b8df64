"""The German grammar against sentences translated by hand, and numbers against spelling rules."""

import pytest

from explorer.tasks.german import german_to_english, number_words
from explorer.tasks.grammar import Words


def english(german: str) -> str | None:
    target = german_to_english().translate(tuple(german.split()))
    return None if target is None else " ".join(target)


@pytest.mark.parametrize(
    ("german", "translation"),
    [
        ("der Hund schläft", "the dog sleeps"),
        ("der Hund schläft .", "the dog sleeps ."),
        ("der Hund hat die Katze gesehen", "the dog has seen the cat"),
        ("die Katze hat den Hund gesehen", "the cat has seen the dog"),
        ("das Kind kann den Ball finden", "the child can find the ball"),
        ("eine alte Frau sucht einen roten Hut", "a old woman seeks a red hat"),
        ("ein kleiner Vogel singt", "a small bird sings"),
        ("ein kleines Mädchen liebt ein schnelles Pferd", "a small girl loves a fast horse"),
        ("der kleine Fuchs kennt die kluge Eule", "the small fox knows the clever owl"),
        ("er sieht den alten Mann nicht", "he does not see the old man"),
        ("er hat ihn nicht gesehen", "he has not seen him"),
        ("sie sieht sie", "she sees her"),
        ("es wird es bringen", "it will bring it"),
        ("der Dieb lügt nicht", "the thief does not lie"),
        ("der Dieb hat nicht gelogen", "the thief has not lied"),
        # the verb stays second, whatever comes first
        ("heute sieht der Hund die Katze", "today the dog sees the cat"),
        ("gestern sieht der Hund die Katze", None),
        ("oft hat sie den König besucht", "often she has visited the king"),
        ("leider sieht er ihn nicht", "sadly he does not see him"),
        ("endlich muss die Hexe lachen", "finally the witch must laugh"),
        # and goes last in a subordinate clause
        (
            "die Katze schläft , weil der Vogel nicht singt",
            "the cat sleeps because the bird does not sing",
        ),
        (
            "er weint , obwohl die Mutter ihn gesehen hat .",
            "he cries although the mother has seen him .",
        ),
        (
            "der Arzt glaubt , dass sie das Buch lesen kann",
            None,  # no such verb
        ),
        (
            "der Arzt glaubt , dass sie das Buch finden kann",
            "the doctor believes that she can find the book",
        ),
        ("sie weiß , dass es einen Apfel sucht", "she knows that it seeks a apple"),
    ],
)
def test_translated_by_hand(german: str, translation: str | None) -> None:
    assert english(german) == translation


@pytest.mark.parametrize(
    "wrong",
    [
        "den Hund schläft",  # case of the subject
        "der Hund sieht der Ball",  # case of the object
        "die Hund schläft",  # gender
        "das Katze schläft",
        "ein Katze schläft",
        "der Hund sieht ein Ball",
        "er sieht er",
        "der kleiner Vogel singt",  # the article decides the ending
        "ein kleine Vogel singt",
        "er sieht den alte Mann",
        "heute der Hund schläft",  # the verb is not second
        "der Hund gesehen hat die Katze",
        "der Hund hat gesehen die Katze",
        "die Katze schläft , weil der Vogel singt nicht",  # the verb is not last
        "die Katze schläft , weil der Vogel hat gesungen",
        "die Katze schläft weil der Vogel singt",  # no comma
        "er sieht einen Mann nicht",  # that would be "keinen"
        "der Ball schläft",  # things do nothing
        "er schläft ihn",
        "er sieht",
        "er hat sehen",
        "er kann gesehen",
        "der hund schläft",
        "",
    ],
)
def test_other_german_has_no_answer(wrong: str) -> None:
    assert english(wrong) is None


def test_a_noun_is_understood_with_the_article_of_its_gender_only() -> None:
    nouns = {
        gender: [
            rule.source[0]
            for kind in ("being", "thing")
            for rule in german_to_english().rules[f"{kind} {gender}"]
        ]
        for gender in "mfn"
    }
    definite = {"m": "den", "f": "die", "n": "das"}
    for gender, own in nouns.items():
        assert len(own) > 20
        for noun in own[::4]:
            for article in definite.values():
                text = english(f"er sieht {article} {noun}")
                assert (text is not None) == (article == definite[gender]), f"{article} {noun}"


def test_no_english_word_is_left_german() -> None:
    german, translation = german_to_english().words()
    same_in_both = {"hat", ".", ",", "will", "Ball"}
    for word in set(german) & set(translation):
        assert word in same_in_both, word
    assert not set("äöüßÄÖÜ") & set("".join(translation))


def test_numbers_are_spelt_in_both_languages() -> None:
    """A thousand of them; these have what is irregular."""
    made = {"".join(source): " ".join(target) for source, target in number_words().sentences()}
    assert len(made) == 1000
    assert made.items() >= {
        "null": "zero", "eins": "one", "zwölf": "twelve", "dreizehn": "thirteen",
        "sechzehn": "sixteen", "siebzehn": "seventeen", "zwanzig": "twenty",
        "einundzwanzig": "twenty one", "dreißig": "thirty", "vierzig": "forty",
        "sechsundsechzig": "sixty six", "siebenundsiebzig": "seventy seven",
        "einhundert": "one hundred", "einhunderteins": "one hundred one",
        "siebenhundertdreiundvierzig": "seven hundred forty three",
        "neunhundertneunundneunzig": "nine hundred ninety nine",
    }.items()  # fmt: skip


def pieces(text: str) -> Words:
    return tuple(text.split())


@pytest.mark.parametrize(
    "wrong",
    ["eins hundert", "zwanzig und ein", "eins und zwanzig", "ein und zehn", "sechs zehn",
     "null hundert", "hundert", "ein", "zwei hundert null", "zwei und null", ""],
)  # fmt: skip
def test_words_that_are_no_number_have_no_answer(wrong: str) -> None:
    assert number_words().translate(pieces(wrong)) is None
