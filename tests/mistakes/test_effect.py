"""The shipped counts fit the present weights and mistakes; some of them are counted again."""

import pytest

from explorer.mistakes.catalogue import MISTAKES
from explorer.mistakes.effect import measured
from explorer.training.trainer import Examples, accuracy, held_out
from explorer.weights.catalogue import Shipped, checkpoint, shipped_translator
from explorer.weights.needed import fingerprint
from tests.mistakes import counting
from tests.mistakes.counting import (
    AT_ONCE,
    SENTENCES,
    TRANSLATED,
    next_words_there,
    still_right,
    translations,
)
from tests.support.marks import rest

AGAIN = "count again: python -m tests.mistakes.counting"
SLACK = 1  # sentences that other rounding may turn


def first_sentences() -> Examples:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    whole = held_out(found.task)
    src, tgt_in, tgt_out = (ids[:AT_ONCE] for ids in (whole.src, whole.tgt_in, whole.tgt_out))
    return Examples(src, tgt_in, tgt_out)


def apart(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def test_it_was_counted_on_the_weights_that_are_shipped() -> None:
    found = measured()
    assert found.reverse == fingerprint("reverse"), AGAIN
    assert found.translator == fingerprint("translator"), AGAIN
    assert list(found.effects) == list(MISTAKES), AGAIN
    assert found.sentences == len(SENTENCES), AGAIN
    for name, counted in found.effects.items():
        assert len(counted.right) == len(found.right) == 256
        assert len(counted.same) == len(SENTENCES)
        assert (counted.there is None) == (MISTAKES[name].shows == "always")


AMONG_THEM = ("", "unscaled_scores", "base_1000", "pad_queries")


@pytest.mark.parametrize(
    "mistake", [*AMONG_THEM, *rest(*(name for name in MISTAKES if name not in AMONG_THEM))]
)
def test_the_first_held_out_sentences_are_still_right_or_wrong(mistake: str) -> None:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    model = MISTAKES[mistake].applied_to(found.model) if mistake else found.model
    counted = measured().effects[mistake].right if mistake else measured().right
    assert apart(still_right(model, first_sentences()), counted[:AT_ONCE]) <= SLACK, AGAIN


def test_an_answer_counts_as_the_trainer_counts_it() -> None:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    model, examples = MISTAKES["base_1000"].applied_to(found.model), first_sentences()
    right = still_right(model, examples)
    assert 0 < right.count("1") < AT_ONCE
    assert right.count("1") / AT_ONCE == pytest.approx(accuracy(model, examples))


@pytest.mark.parametrize("mistake", ["unscaled_scores", *rest("sequence_first")])
def test_some_translations_still_change_or_not(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "SENTENCES", SENTENCES[:TRANSLATED])
    translator = shipped_translator()
    usual, wrong = (
        translations(model, translator)
        for model in (translator.model, MISTAKES[mistake].applied_to(translator.model))
    )
    same = "".join(str(int(a == b)) for a, b in zip(usual, wrong, strict=True))
    assert apart(same, measured().effects[mistake].same[:TRANSLATED]) <= SLACK, AGAIN


@pytest.mark.all
def test_where_a_mistake_shows_is_counted_again() -> None:
    translator = shipped_translator()
    answers = translations(translator.model, translator)
    for name in ("pad_queries", "dropout_after_norm"):
        there = measured().effects[name].there
        assert there is not None
        without, of = next_words_there(translator, answers, MISTAKES[name], wrong=False)
        with_it, _ = next_words_there(translator, answers, MISTAKES[name], wrong=True)
        assert of == there[2]
        assert abs(without - there[0]) <= 3, AGAIN
        assert abs(with_it - there[1]) <= 3, AGAIN
