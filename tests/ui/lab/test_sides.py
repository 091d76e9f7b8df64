"""The two runs of the lab: what is forced on both, so that a mistake shows, and what is not."""

from dataclasses import replace

import pytest

from explorer.choices.settings import Settings
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import PAD
from explorer.tokenizer import TextTokenizer
from explorer.ui.lab.choices import Choice
from explorer.ui.lab.sides import DROPOUT, MORE_PAD, Pair, both
from explorer.weights.catalogue import UNTRAINED, request
from tests.small_model import CONFIG

SETTINGS = Settings(
    sources=("a b c", "d"),
    targets=("x y", "z"),
    tokenizer=TextTokenizer(),
    side="right",
    length=None,
    hide_pad=False,
    row=0,
    request=request(UNTRAINED, replace(CONFIG, max_len=20, src_vocab_size=99, tgt_vocab_size=99)),
    learnt=None,
    dropout_seed=None,
)


def pair(mistake: str, settings: Settings = SETTINGS) -> Pair:
    return both(settings, Choice(differs="mistake", mistake=MISTAKES[mistake]))


def test_a_mistake_about_pad_has_pad_on_the_left_of_every_row() -> None:
    found = pair("pad_queries")
    for side in (found.a, found.b):
        labels = side.batch.src_labels
        assert [row[0] for row in labels] == [PAD, PAD]
        assert labels[0] == (PAD,) * MORE_PAD + ("a", "b", "c")
    longest = replace(SETTINGS, request=replace(SETTINGS.request, config=replace(
        SETTINGS.config, max_len=4)))  # fmt: skip
    assert pair("pad_queries", longest).a.batch.src_labels[0] == (PAD, "a", "b", "c")
    assert PAD not in pair("unscaled_scores").a.batch.src_labels[0]


@pytest.mark.parametrize("mistake", ["dropout_after_norm", "unscaled_scores"])
@pytest.mark.parametrize("seed", [None, 7])
def test_dropout_is_forced_where_a_mistake_needs_it_and_nobody_has_chosen_one(
    mistake: str, seed: int | None
) -> None:
    config = replace(SETTINGS.config, dropout=0.0 if seed is None else 0.3)
    settings = replace(
        SETTINGS, request=replace(SETTINGS.request, config=config), dropout_seed=seed
    )
    found = pair(mistake, settings).a.settings
    forced = mistake == "dropout_after_norm" and seed is None
    assert found.config.dropout == (DROPOUT if forced else config.dropout)
    assert found.dropout_seed == (0 if forced else seed)


def test_sentences_that_would_mix_are_asked_for_only_where_there_are_none() -> None:
    one = replace(SETTINGS, sources=("a b c",), targets=("x y",))
    notes = [len(pair(mistake, settings).notes) for mistake, settings in (
        ("sequence_first", one), ("sequence_first", SETTINGS), ("unscaled_scores", one),
    )]  # fmt: skip
    forced = bool(MISTAKES["sequence_first"].forced)
    assert notes == [1 + forced, forced, bool(MISTAKES["unscaled_scores"].forced)]
