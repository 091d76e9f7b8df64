"""Rounds as batches of ids."""

import pickle
from dataclasses import replace

from training.rounds import Rounds
from training.tests.small_translator import RECIPE, SMALL, small_corpus
from training.trainer import Training


def test_some_merges_are_left_out_of_sources_also_by_a_worker() -> None:
    corpus = small_corpus()
    tokenizer = Training(corpus, RECIPE, SMALL).tokenizer
    whole, cut = (
        Rounds(corpus, replace(RECIPE, merges_left_out=share), tokenizer) for share in (0.0, 0.5)
    )
    sent = pickle.loads(pickle.dumps(cut))
    pieces, more, as_many = (
        sum(int((src != 0).sum()) for src, _ in rounds[0]) for rounds in (whole, cut, sent)
    )
    assert more > pieces
    assert as_many > pieces
