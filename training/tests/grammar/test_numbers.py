"""Numbers, prices, dates and times in both languages."""

import random
import re

import pytest

from explorer.tasks.german import number_words
from training.grammar.numbers import (
    clock,
    date,
    english_ordinal,
    german_ordinal,
    in_digits,
    in_words,
    price,
)


def test_number_words_are_those_of_the_other_grammar() -> None:
    """`explorer.tasks.german` writes them in pieces, and no "and", "ein" or hyphen."""
    known = {in_words(n)[1]: in_words(n)[0] for n in range(1000)}
    for german, english in number_words().sentences():
        whole = "".join(german)
        if re.match("hundert", whole) or whole not in known:
            continue
        assert known[whole].replace(" and ", " ").replace("-", " ") == " ".join(english)


@pytest.mark.parametrize(
    ("n", "english", "german"),
    [
        (1, "one", "eins"), (21, "twenty-one", "einundzwanzig"), (17, "seventeen", "siebzehn"),
        (101, "one hundred and one", "einhunderteins"),
        (342, "three hundred and forty-two", "dreihundertzweiundvierzig"),
        (2_005, "two thousand and five", "zweitausendfünf"),
    ],
)  # fmt: skip
def test_in_words(n: int, english: str, german: str) -> None:
    assert in_words(n) == (english, german)


def test_commas_and_points_change_places() -> None:
    assert in_digits(1234567) == ("1,234,567", "1.234.567")
    assert in_digits(3.14159, 2) == ("3.14", "3,14")


@pytest.mark.parametrize(
    ("n", "english", "german"),
    [(1, "first", "erst"), (3, "third", "dritt"), (7, "seventh", "siebt"), (8, "eighth", "acht"),
     (12, "twelfth", "zwölft"), (20, "twentieth", "zwanzigst"),
     (31, "thirty-first", "einunddreißigst")],
)  # fmt: skip
def test_ordinals(n: int, english: str, german: str) -> None:
    assert (english_ordinal(n), german_ordinal(n)) == (english, german)


def minutes(english: str) -> int | None:
    """A time of the day as minutes after midnight, or after noon if it does not say."""
    if found := re.fullmatch(r"(\d+):(\d\d)( [ap]\.m\.)?", english):
        hour = int(found[1])
        if found[3]:
            hour = hour % 12 + 12 * (found[3] == " p.m.")
        return 60 * hour + int(found[2])
    return None


def test_times_mean_the_same() -> None:
    dice = random.Random(2)
    words = {in_words(n): n for n in range(31)}
    english_of = {english: n for (english, _), n in words.items()}
    german_of = {german: n for (_, german), n in words.items()} | {"ein": 1}
    seen = set()
    for _ in range(2000):
        english, german = clock(dice)
        if (wanted := minutes(english)) is not None:
            assert minutes(german.removesuffix(" Uhr")) == wanted
            seen.add("digits")
        elif english.startswith("half past "):
            hour = english_of[english.removeprefix("half past ")]
            assert german_of[german.removeprefix("halb ")] == hour % 12 + 1
            seen.add("half")
        elif " to " in english:
            assert english_of[english.split(" to ")[1]] == german_of[german.split(" vor ")[1]]
            seen.add("to")
        elif " past " in english:
            (a, b), (c, d) = english.split(" past "), german.split(" nach ")
            assert english_of[b] == german_of[d]
            assert (a == "a quarter" and c == "Viertel") or english_of[a] == german_of[c]
            seen.add("past")
        else:
            assert english_of[english.removesuffix(" o'clock")] == german_of[
                german.removesuffix(" Uhr")]  # fmt: skip
            seen.add("full")
    assert len(seen) == 5


def test_dates_and_prices_have_the_same_digits() -> None:
    dice = random.Random(3)
    for make in (date, price):
        for _ in range(500):
            english, german = make(dice)
            if re.search(r"\d", english):
                assert re.findall(r"\d", english) == re.findall(r"\d", german) or sorted(
                    re.findall(r"\d+", re.sub(r"[.,]", "", english))
                ) == sorted(re.findall(r"\d+", re.sub(r"[.,]", "", german)))
