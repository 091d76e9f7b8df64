"""Invented words and copied names."""

from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from explorer.weights.translator import Translator
from training import measures
from training.corpus import Corpus, Pair
from training.grammar.lexicon import names
from training.judge import NAMES
from training.measures import copied, known_words, unseen_names
from training.quality import Quality

CORPUS = Corpus((Pair("a", "Der Hund schläft."),), (Pair("b", "Die Katze."),),
                (Pair("c", "Attention!"),))  # fmt: skip


def test_words_of_the_corpus_the_written_pairs_and_the_lexicon_are_known() -> None:
    assert {"hund", "katze", "attention", "eichhörnchen", "angerufen"} <= known_words(CORPUS)


def test_two_hundred_names_of_which_none_is_in_the_lexicon() -> None:
    sentences = unseen_names()
    assert len(sentences) == 200 == len({name for _, name in sentences})
    assert all(name in sentence for sentence, name in sentences)
    parts = {part for _, name in sentences for part in name.split()}
    used = {name.english for kind in ("he", "she", "last") for name in names(kind)}
    assert not parts & used
    assert NAMES.exists()


def test_a_name_is_copied_letter_by_letter() -> None:
    assert copied(["Kofi", "Ana Ruiz"], ["Ich heiße Kofi.", "Ich heiße Ana Ruis."]) == 1


def test_all_figures_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Echo:
        def answer(self, sources: Sequence[str]) -> list[str]:
            return [f"{source.replace('Where', 'Wohuu')} Hund" for source in sources]

    def of_long(_: object, known: Mapping[str, object]) -> Quality:
        return Quality(bleu=float(len(known)), chrf=0.0, sentences=len(known))

    monkeypatch.setattr(measures, "quality", of_long)
    long = "one two three four five six seven eight nine ten"
    held_out = (Pair("Where are you?", "Wo bist du?"), Pair(long, "Hund"), Pair(long, "Hunde"))
    corpus = Corpus((Pair("a", "Der Hund schläft."),), held_out)
    assert list(measures.further_figures(cast(Translator, Echo()), corpus)) == [
        "1 held-out sentences of 10 words and more: BLEU 1.0",
        "2 held-out sentences: 1 invented words",
        "200 unseen names: 200 copied",
    ]
