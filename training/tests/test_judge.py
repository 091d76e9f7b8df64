"""The hundred judged sentences: the model answers them again; a person judges the answers."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from explorer.paths import ROOT
from explorer.weights.translator import Translator
from training.corpus import PAIRS, ExcludedSentences, read_folder
from training.judge import (
    BEYOND_FILE,
    HUNDRED,
    WITHIN_FILE,
    judge,
    judged_sentences,
    read_judged,
    table,
)


class FixedTranslator(Translator):
    """A translator with fixed answers."""

    def __init__(self, answers: dict[str, str]) -> None:
        object.__setattr__(self, "about", answers)  # a translator is frozen

    def answer(self, sentences: Sequence[str]) -> list[str]:
        return [self.about[sentence] for sentence in sentences]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three sentences, of which two were judged."""
    path = tmp_path / "judged.tsv"
    path.write_text(
        "home\tA dog.\tEin Hund.\nhome\tA cat.\tEine Katze.\tEin Kater.\tnearly\n"
        "sea\tA ship.\tEin Schiff.\tEin Schaf.\twrong\n",
        encoding="utf-8",
    )
    return path


def test_a_judgement_holds_for_its_own_answer_only(file: Path) -> None:
    answers = {"A dog.": "Ein Hund.", "A cat.": "Ein Kater.", "A ship.": "Ein Boot."}
    found = judge(FixedTranslator(answers), file)
    assert [one.judgement for one in found] == ["right", "nearly", ""]
    assert read_judged(file) == found
    # A person judges the last one; the next run keeps that.
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("Ein Boot.\t", "Ein Boot.\tnearly"), encoding="utf-8")
    assert [one.judgement for one in judge(FixedTranslator(answers), file)] == [
        "right",
        "nearly",
        "nearly",
    ]


def test_the_table_counts_by_group(file: Path) -> None:
    found = table(read_judged(file)).splitlines()
    assert found[2:] == [
        "| home | 0 | 1 | 0 | 1 |",
        "| sea | 0 | 0 | 1 | 0 |",
        "| all | 0 | 1 | 1 | 1 |",
    ]


def test_the_document_has_the_table() -> None:
    document = ROOT / "docs" / "translator.md"
    assert table(read_judged(HUNDRED)) in document.read_text(encoding="utf-8")


def test_there_are_ten_groups_of_ten() -> None:
    judged = read_judged(HUNDRED)
    groups = [one.group for one in judged]
    assert len(set(groups)) == 10
    assert all(groups.count(name) == 10 for name in groups)
    assert len({one.english for one in judged}) == 100
    assert {one.judgement for one in judged} <= {"right", "nearly", "wrong", ""}


def test_half_of_the_300_sentences_are_beyond_what_the_model_learnt() -> None:
    within, beyond = (
        set(file.read_text(encoding="utf-8").splitlines()) for file in (WITHIN_FILE, BEYOND_FILE)
    )
    assert (len(within), len(beyond)) == (150, 150)
    assert not within & beyond
    assert len(judged_sentences()) == 400


def test_few_written_pairs_are_similar_to_judged_sentences() -> None:
    pairs = read_folder(PAIRS)
    assert len(pairs) > 5000
    excluded = ExcludedSentences(judged=judged_sentences())
    assert all(sentence in excluded for sentence in judged_sentences())
    assert sum(pair.source in excluded for pair in pairs) < len(pairs) / 50
