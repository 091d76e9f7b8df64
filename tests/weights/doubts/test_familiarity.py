"""Sentences of the kind that was learnt, and others."""

import json
import math

import pytest
from tokenizers import Tokenizer

from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.subwords import train_subwords

ENGLISH = [
    "the small dog sees the old cat",
    "the old man sleeps in the house",
    "a cat sleeps and the dog sees it",
    "the man sees a small house",
] * 30
GERMAN = ["der kleine Hund sieht die alte Katze", "der alte Mann schläft in dem Haus"] * 60


@pytest.fixture(scope="module")
def subwords() -> Tokenizer:
    return train_subwords([*ENGLISH, *GERMAN], size=420)


@pytest.fixture(scope="module")
def familiar(subwords: Tokenizer) -> Familiarity:
    return Familiarity.measured(subwords, ENGLISH, set(ENGLISH))


def test_its_own_kind_is_inside(subwords: Tokenizer, familiar: Familiarity) -> None:
    for sentence in ("the dog sleeps", "the old cat sees a man", "the man sees Bo", "42"):
        assert familiar.outside(subwords, sentence) == "", sentence


def test_other_languages_are_outside_also_the_one_it_writes(
    subwords: Tokenizer, familiar: Familiarity
) -> None:
    for sentence in (*GERMAN[:2], "wqx jvy", "не"):
        assert "everyday English" in familiar.outside(subwords, sentence), sentence


def test_a_single_word_is_outside_if_it_was_only_copied(
    subwords: Tokenizer, familiar: Familiarity
) -> None:
    assert "only copied" in familiar.outside(subwords, "Hund!", "Der Hund!")
    assert "everyday English" in familiar.outside(subwords, "Hund!")
    assert familiar.outside(subwords, "Hund!", "Hündin!") == ""
    assert "everyday English" in familiar.outside(subwords, "kleine Hund", "Hündin!")


def test_a_sure_answer_speaks_for_rare_pieces_but_for_nothing_else(
    subwords: Tokenizer, familiar: Familiarity
) -> None:
    assert "everyday" in familiar.outside(subwords, "wqx jvy", "so ist es")
    assert familiar.outside(subwords, "wqx jvy", "so ist es", sure=True) == ""
    assert "only copied" in familiar.outside(subwords, "Hund!", "Der Hund!", sure=True)
    assert "pieces" in familiar.outside(subwords, "the " * 99, "der", sure=True)


def test_much_longer_sentences_are_outside(subwords: Tokenizer, familiar: Familiarity) -> None:
    longest = max(len(subwords.encode(sentence).ids) for sentence in ENGLISH)
    assert familiar.longest == longest
    one_more = " ".join(["the"] * (longest + 1))
    assert f"up to {longest} pieces, and this has" in familiar.outside(subwords, one_more)


@pytest.mark.parametrize("sentence", ["החתול יושב על המחצלת", " ".join(GERMAN[:2]), "wqx jvy" * 9])
def test_another_language_is_named_before_its_length(
    sentence: str, subwords: Tokenizer, familiar: Familiarity
) -> None:
    assert len(subwords.encode(sentence).ids) > familiar.longest
    for sure in (False, True):
        assert "everyday English" in familiar.outside(subwords, sentence, "so", sure=sure)


def test_surprise_is_the_information_of_the_pieces(subwords: Tokenizer) -> None:
    the, dog = (subwords.encode(word).ids for word in ("the", "dog"))
    assert len(the) == len(dog) == 1
    counts = [0] * subwords.get_vocab_size()
    counts[the[0]], counts[dog[0]] = 6, 2
    known = Familiarity(tuple(counts), 9, math.inf, math.inf)
    total = 8 + len(counts) / 2
    bits = -math.log2(6.5 / total) - math.log2(2.5 / total)
    assert known.surprise(subwords, "the dog") == pytest.approx((bits / 2, bits / 8))
    assert known.surprise(subwords, "the dog Xy 7!") == pytest.approx((bits / 2, bits / 8))


def test_it_comes_back_from_json(familiar: Familiarity) -> None:
    assert Familiarity.read(json.loads(json.dumps(familiar.written()))) == familiar
