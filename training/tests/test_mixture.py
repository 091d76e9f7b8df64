"""The training data: every pair of the corpus once a pass, and the others in their shares."""

import re
from dataclasses import replace

import pytest

from training import mixture as module
from training.corpus import Corpus, ExcludedSentences, Pair
from training.mixture import Mixture

TRAIN = tuple(Pair(f"It is {n}.", f"Es ist {n}.") for n in range(1000))
WRITTEN = tuple(Pair(f"Written {n}.", f"Geschrieben {n}.") for n in range(100))
PLAIN = Mixture(written=4.0, drawn=0.0, joined=0.0, typed=0.0)


@pytest.fixture(autouse=True)
def _small_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROUND", 250)


def test_a_pass_reads_the_corpus_once_and_written_pairs_more_often() -> None:
    corpus = Corpus(TRAIN, (), WRITTEN)
    assert PLAIN.rounds(corpus) == 4
    read = [pair for number in range(4) for pair in PLAIN.round(corpus, number)]
    assert sorted(pair.source for pair in read if pair in set(TRAIN)) == sorted(
        pair.source for pair in TRAIN
    )
    assert sum(pair in set(WRITTEN) for pair in read) == 400


def test_the_next_pass_has_another_order() -> None:
    corpus = Corpus(TRAIN, ())
    assert set(PLAIN.round(corpus, 0)) != set(PLAIN.round(corpus, 4))
    assert PLAIN.round(corpus, 0) == PLAIN.round(corpus, 0)


def test_the_share_of_drawn_pairs() -> None:
    found = replace(PLAIN, drawn=0.25).round(Corpus(TRAIN, ()), 0)
    assert sum(pair not in set(TRAIN) for pair in found) / len(found) == pytest.approx(
        0.25, abs=0.01
    )


def test_no_judged_sentence_is_drawn() -> None:
    found = replace(PLAIN, drawn=0.5).round(Corpus(TRAIN, ()), 0)
    drawn = next(pair for pair in found if pair not in set(TRAIN) and len(pair.source.split()) > 5)
    corpus = Corpus(TRAIN, (), excluded=ExcludedSentences(judged=[drawn.source.lower()]))
    assert drawn not in replace(PLAIN, drawn=0.5).round(corpus, 0)


def test_joined_sentences_bring_their_translations_and_have_up_to_40_words() -> None:
    found = replace(PLAIN, joined=1.0).round(Corpus(TRAIN, ()), 0)
    for pair in found:
        assert 2 <= pair.source.count("It is") == pair.target.count("Es ist") <= 4
    long = tuple(Pair(f"{n} " + "long " * 29, "lang") for n in range(1000))
    found = replace(PLAIN, joined=1.0).round(Corpus(long, ()), 0)
    assert max(len(pair.source.split()) for pair in found) == 30


def test_targets_are_written_as_they_should_be() -> None:
    found = replace(PLAIN, typed=1.0).round(Corpus(TRAIN, ()), 0)
    assert {pair.target for pair in found} <= {pair.target for pair in TRAIN}
    assert sum(pair.source in {p.source for p in TRAIN} for pair in found) < len(found) / 2


def test_somebody_else_is_spoken_of_by_the_same_name_in_both_languages() -> None:
    train = tuple(
        Pair(f"Tom saw Mary's {n} cats.", f"Tom sah Marys {n} Katzen.") for n in range(1000)
    )
    for named, changed in ((0.0, 0), (1.0, 1000)):
        mixture, corpus = replace(PLAIN, named=named), Corpus(train, ())
        found = [pair for number in range(4) for pair in mixture.round(corpus, number)]
        assert sum(not pair.source.startswith("Tom ") for pair in found) == changed
        for pair in found:
            names_in = re.fullmatch(r"(.+) saw (.+)'s \d+ cats\.", pair.source)
            assert names_in is not None
            he, she = names_in.groups()
            owned = she + ("'" if she[-1] in "sxzß" else "s")
            assert re.fullmatch(rf"{he} sah {owned} \d+ Katzen\.", pair.target)


def test_nobody_is_named_so_that_a_judged_sentence_is_read() -> None:
    train = tuple(Pair(f"Tom has {n}.", f"Tom hat {n}.") for n in range(1000))
    renamed = replace(PLAIN, named=1.0).round(Corpus(train, ()), 0)[0]
    corpus = Corpus(train, (), excluded=ExcludedSentences(judged=[renamed.source.lower()]))
    assert renamed not in replace(PLAIN, named=1.0).round(corpus, 0)


@pytest.mark.parametrize("written", ["Er hat", "Tomaso hat", "Der Tomm hat"])
def test_a_name_that_the_translation_leaves_out_stays(written: str) -> None:
    train = tuple(Pair(f"Tom has {n}.", f"{written} {n}.") for n in range(1000))
    found = replace(PLAIN, named=1.0).round(Corpus(train, ()), 0)
    assert all(pair in set(train) for pair in found)
