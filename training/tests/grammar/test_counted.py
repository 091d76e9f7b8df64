"""Sentences with numbers say the same number in both languages."""

import random
import re

from training.grammar.counted import costs, how_many, measured
from training.grammar.numbers import in_words

WORDS = {in_words(n)[0]: in_words(n)[1] for n in range(1000)}


def test_digits_are_the_same() -> None:
    dice = random.Random(1)
    for way in (costs, how_many, measured):
        for _ in range(400):
            english, german = way(dice)
            assert re.findall(r"\d", english) == re.findall(r"\d", german), (english, german)


def test_sums_are_right() -> None:
    dice, seen = random.Random(2), 0
    for _ in range(1500):
        english, _ = measured(dice)
        if found := re.fullmatch(r"(\d+) (plus|minus) (\d+) is (\d+)\.", english):
            a, b, c = int(found[1]), int(found[3]), int(found[4])
            assert c == (a + b if found[2] == "plus" else a - b)
            seen += 1
    assert seen > 10


def test_numbers_in_words_mean_the_same() -> None:
    dice, seen = random.Random(3), 0
    for _ in range(500):
        english, german = how_many(dice)
        found = re.match(r"I have ([a-z -]+?) \w+s\.$", english)
        if found and found[1] in WORDS:
            assert german.startswith(f"ich habe {WORDS[found[1]]} ")
            seen += 1
    assert seen
