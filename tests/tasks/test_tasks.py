"""Tasks: the right answer by hand, and never a held-out sentence in training."""

import random
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.names import SPECIALS, USUAL_IDS
from explorer.tasks.tasks import (
    COPY,
    GERMAN,
    NUMBERS,
    QUOTES,
    REVERSE,
    SORT,
    TASKS,
    Memorise,
    Pair,
    Rearrange,
    Task,
    Translate,
    is_held_out,
    pairs,
)
from explorer.text import Batch
from tests.properties.strategies import seeds

EACH_TASK = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
REARRANGING = pytest.mark.parametrize("task", [COPY, REVERSE, SORT], ids=lambda task: task.name)
word_lists = st.lists(st.text(min_size=1, max_size=4), max_size=8)


def answer(task: Task, text: str) -> str | None:
    """The right answer to a typed sentence."""
    words = task.answer(tuple(task.split(text)))
    return None if words is None else " ".join(words)


def test_copy_reverse_and_sort_by_hand() -> None:
    text = "the cat saw the Dog"
    assert answer(COPY, text) == "the cat saw the Dog"
    assert answer(REVERSE, text) == "Dog the saw cat the"
    assert answer(SORT, text) == "cat Dog saw the the"


def test_sorting_looks_at_capitals_only_between_equals() -> None:
    assert answer(SORT, "b A a B Zoo zoo äh 10 9") == "10 9 A a B b Zoo zoo äh"


@given(word_lists)
def test_the_order_says_where_each_word_of_the_answer_stood(words: list[str]) -> None:
    for task in (COPY, REVERSE, SORT):
        places = list(task.order(words))
        assert sorted(places) == list(range(len(words)))
        assert task.answer(words) == tuple(words[place] for place in places)
    assert [*REVERSE.answer(words)][::-1] == words
    folded = [word.casefold() for word in SORT.answer(words)]
    assert folded == sorted(folded)


@pytest.mark.parametrize("task", [COPY, REVERSE], ids=lambda task: task.name)
def test_typed_words_take_the_slots_in_the_order_in_which_they_appear(task: Rearrange) -> None:
    source = ("the", "cat", "saw", "the", "owl")
    src_vocab, tgt_vocab = task.read([source], [("an", "owl")])
    assert src_vocab is tgt_vocab
    assert src_vocab.encode(source) == [4, 5, 6, 4, 7]
    assert src_vocab.encode(["an", "never"]) == [8, USUAL_IDS.unk]
    assert src_vocab.size == task.vocabularies[0].size


def test_words_to_sort_take_the_slots_by_alphabet_whatever_their_order() -> None:
    for source in (("owl", "Ant", "cat", "ant"), ("cat", "ant", "owl", "owl", "Ant")):
        vocab, _ = SORT.read([source], [tuple(reversed(source))])
        assert vocab.decode([4, 5, 6, 7]) == ["Ant", "ant", "cat", "owl"]


def test_the_slots_of_training_sort_by_their_ids() -> None:
    """Otherwise what was learnt about ids would not hold for typed words."""
    vocab, _ = SORT.vocabularies
    assert list(SORT.answer(vocab.tokens[::-1])) == list(vocab.tokens)
    assert vocab.encode(vocab.tokens) == list(range(4, 64))


@REARRANGING
def test_every_pair_of_sentences_fits_into_the_slots_that_were_trained(task: Rearrange) -> None:
    source = tuple(f"w{n}" for n in range(task.slots + 1))
    vocab, _ = task.read([source], [source])
    ids = vocab.encode(source)
    assert max(ids) == vocab.size - 1 == len(SPECIALS) + 59
    assert ids.count(USUAL_IDS.unk) == 1


@REARRANGING
def test_every_length_is_drawn_as_often(task: Rearrange) -> None:
    dice = random.Random(0)
    lengths = Counter(len(task.draw(dice).source) for _ in range(2400))
    assert lengths.keys() == set(range(1, 25))
    assert all(55 < count < 150 for count in lengths.values())  # 100 of each, give or take


def test_drawn_sentences_use_few_slots_and_many() -> None:
    dice = random.Random(0)
    drawn = [REVERSE.draw(dice).source for _ in range(1500)]
    highest = [max(source) for source in drawn if 6 <= len(source) <= 8]
    assert sum(slot < "10" for slot in highest) > 1  # of all 60, one in 50,000 would be
    assert sum(slot > "40" for slot in highest) > 10


@EACH_TASK
def test_drawn_sentences_have_right_answers_and_ids(task: Task) -> None:
    dice = random.Random(3)
    src_vocab, tgt_vocab = task.vocabularies
    for _ in range(40):
        pair = task.draw(dice)
        assert task.answer(pair.source) == pair.target
        assert USUAL_IDS.unk not in src_vocab.encode(pair.source)
        assert USUAL_IDS.unk not in tgt_vocab.encode(pair.target)
        assert len(pair.source) <= task.longest


@pytest.mark.parametrize(
    "task", [t for t in TASKS.values() if t is not QUOTES], ids=lambda t: t.name
)
def test_training_and_held_out_never_share_a_source(task: Task) -> None:
    training, held = (
        {pair.source for pair in islice(pairs(task, random.Random(seed), held_out=out), 400)}
        for seed, out in ((0, False), (0, True))
    )
    assert training
    assert held
    assert not training & held


def test_one_number_in_eight_is_held_out() -> None:
    numbers = [source for source, _ in NUMBERS.grammar().sentences()]
    assert 100 < sum(map(is_held_out, numbers)) < 150  # 125 of 1000, give or take


def test_learning_by_heart_holds_nothing_out() -> None:
    for held_out in (False, True):
        drawn = set(islice(pairs(QUOTES, random.Random(0), held_out=held_out), 200))
        assert drawn == set(QUOTES.given)


def test_numbers_are_drawn_alike() -> None:
    dice = random.Random(0)
    sources = [NUMBERS.draw(dice).source for _ in range(2000)]
    # By rules alone, "null" would come in one of four.
    assert sources.count(("null",)) < 12
    assert len(set(sources)) > 800


def test_pairs_learnt_by_heart() -> None:
    own = Memorise((Pair(("a", "b"), ("x",)), Pair(("c",), ("y", "z")), Pair(("c",), ("w",))))
    assert own.longest == 2
    assert own.answer(["a", "b"]) == ("x",)
    assert own.answer(["c"]) == ("y", "z")  # the first
    assert own.answer(["b", "a"]) is None
    src_vocab, tgt_vocab = own.vocabularies
    assert (src_vocab.tokens, tgt_vocab.tokens) == (("a", "b", "c"), ("x", "y", "z", "w"))
    assert (src_vocab.size, tgt_vocab.size) == (7, 8)
    assert own.read([("unseen",)], [()]) == own.vocabularies


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("siebenhundertdreiundvierzig", "sieben hundert drei und vierzig"),
        ("siebzehn", "sieb zehn"),
        ("Sechsundsechzig", "sechs und sechzig"),
        ("einhunderteins", "ein hundert eins"),
        ("sieben hundert  drei", "sieben hundert drei"),
        ("EINUNDZWANZIG", "ein und zwanzig"),
        ("zweihundertfoo", "zwei hundert foo"),
        ("foozwei", "foozwei"),
        ("", ""),
    ],
)
def test_a_number_in_pieces(text: str, pieces: str) -> None:
    assert NUMBERS.split(text) == pieces.split()


def test_a_number_word_is_translated() -> None:
    assert answer(NUMBERS, "siebenhundertdreiundvierzig") == "seven hundred forty three"
    assert answer(NUMBERS, "Null") == "zero"
    assert answer(NUMBERS, "zweizwei") is None


def test_german_as_it_is_spelt_and_as_it_is_typed() -> None:
    assert GERMAN.split("Der Hund hat die katze gesehen.") == [
        "der", "Hund", "hat", "die", "Katze", "gesehen", ".",
    ]  # fmt: skip
    assert answer(GERMAN, "Der Hund hat die katze gesehen.") == "the dog has seen the cat ."
    assert answer(GERMAN, "SIE sieht sie") == "she sees her"


def test_an_before_a_vowel() -> None:
    text = answer(GERMAN, "ein alter Mann sucht einen Apfel, weil ein Igel eine alte Uhr hasst")
    assert text == "an old man seeks an apple because a hedgehog hates an old clock"
    assert answer(GERMAN, "eine Ente kennt eine Eule") == "a duck knows an owl"
    assert answer(GERMAN, "ein Onkel hat ein Ei verloren") == "an uncle has lost an egg"


@given(seeds)
def test_a_and_an_stand_where_they_should(seed: int) -> None:
    target = GERMAN.draw(random.Random(seed)).target
    for word, following in pairwise(target):
        if word in ("a", "an"):
            assert (word == "an") == (following[0] in "aeiou"), target
    assert target[-1] not in ("a", "an")


def test_unknown_words_stay_and_are_marked() -> None:
    source = tuple(GERMAN.split("Der Computer schläft"))
    assert source == ("der", "Computer", "schläft")
    assert GERMAN.answer(source) is None
    batch = Batch.from_words([source], [("the", "Computer")], *GERMAN.read([source], []))
    assert batch.src_labels == (("der", "UNK: Computer", "schläft"),)
    assert batch.src[0, 1] == USUAL_IDS.unk
    assert batch.tgt_labels == (("BOS", "the", "UNK: Computer", "EOS"),)


@pytest.mark.parametrize("task", [NUMBERS, GERMAN], ids=lambda task: task.name)
def test_a_grammars_vocabulary_has_its_words_and_no_room_left(task: Translate) -> None:
    for vocab in task.vocabularies:
        assert len(set(vocab.tokens)) == len(vocab.tokens) == vocab.size - len(SPECIALS)


def test_a_longer_task_draws_longer_sentences() -> None:
    dice = random.Random(0)
    assert {len(replace(COPY, longest=3).draw(dice).source) for _ in range(100)} == {1, 2, 3}
    few = replace(COPY, slots=2, longest=6)
    assert {word for _ in range(100) for word in few.draw(dice).source} == {"00", "01"}
