"""Numbers of a source that its translation says otherwise, or does not say."""

from itertools import pairwise

import pytest

from explorer.weights.doubts.quantities import lost_number

RIGHT = [
    ("It costs $3.50.", "Es kostet 3,50 €."),
    ("It costs $3.50.", "Es kostet 3.50 Dollar."),
    ("More than 2,000 people came.", "Mehr als 2.000 Menschen kamen."),
    ("More than 2,000 people came.", "Mehr als 2\u202f000 Menschen kamen."),
    ("He has 3 dogs.", "Er hat drei Hunde."),
    ("He has three dogs.", "Er hat 3 Hunde."),
    ("We open at 8 pm.", "Wir öffnen um 20 Uhr."),
    ("It is 7:48.", "Es ist 7.48\xa0Uhr."),
    ("It begins at half past ten.", "Es beginnt um halb elf."),
    ("It begins at 2:30.", "Es beginnt um halb drei."),
    ("We leave at 6:00.", "Wir gehen um sechs."),
    ("One never knows.", "Man weiß nie."),
    ("In the 17th century.", "Im siebzehnten Jahrhundert."),
    ("It is the twenty-second of June.", "Es ist der 22. Juni."),
    ("I need two of them.", "Ich brauche beide."),
    ("I agree 100 percent.", "Ich stimme hundertprozentig zu."),
    ("I like you.", "Ich mag dich."),
]
WRONG = [
    ("It costs $3.50.", "Es kostet 0,25 €.", "3.50"),
    ("It costs $3.50.", "Es kostet 30,50 Dollar.", "3.50"),
    ("2,000 people came.", "2,000 Menschen kamen.", "2,000"),  # in German that is two
    ("He has 13 dogs.", "Er hat drei Hunde.", "13"),
    ("He has 3 dogs.", "Er hat dreizehn Hunde.", "3"),
    ("That makes forty-two.", "Das macht vierundvierzig.", "forty-two"),
    ("There are 365 days and 24 hours.", "Es sind 36 Tage und 24 Stunden.", "365"),
    ("He has six or seven.", "Er hat sechs.", "seven"),
    ("Wait 5 minutes.", "Warte.", "5"),
]


@pytest.mark.parametrize(("source", "translation"), RIGHT)
def test_numbers_written_in_another_way_are_right(source: str, translation: str) -> None:
    assert lost_number(source, translation) == ""


@pytest.mark.parametrize(("source", "translation", "lost"), WRONG)
def test_the_first_that_is_lost_is_named(source: str, translation: str, lost: str) -> None:
    assert lost_number(source, translation) == lost


NUMBERS = [  # in English words and digits, and in German
    ("two", "2", "zwei", "2"),
    ("twelve", "12", "zwölf", "12"),
    ("twenty-one", "21", "einundzwanzig", "21"),
    ("seventy-six", "76", "sechsundsiebzig", "76"),
    ("one hundred", "100", "einhundert", "100"),
    ("three hundred and seventeen", "317", "dreihundertsiebzehn", "317"),
    ("one thousand and one", "1,001", "eintausendeins", "1.001"),
    ("seventeen thousand", "17,000", "siebzehntausend", "17.000"),
    ("two hundred and forty-one thousand and thirty", "241,030",
     "zweihunderteinundvierzigtausenddreißig", "241.030"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "digits", "wörter", "ziffern"), NUMBERS)
def test_words_and_digits_of_both_languages_are_alike(
    words: str, digits: str, wörter: str, ziffern: str
) -> None:
    for english in (words, digits):
        for german in (wörter, ziffern):
            assert lost_number(f"He has {english} here.", f"Er hat {german} hier.") == ""


@pytest.mark.parametrize(
    ("number", "next_one"), [(a, b) for (a, *_), (*_, b, _) in pairwise(NUMBERS)]
)
def test_another_number_in_words_is_none(number: str, next_one: str) -> None:
    assert lost_number(f"He has {number}.", f"Er hat {next_one}.") == number
