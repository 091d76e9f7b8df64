"""The hundred judged sentences: the model answers them again; a person judges the answers."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from explorer.training.needed import HUNDRED
from explorer.weights.translator import Translator
from training import judge as module
from training.corpus import PAIRS, ExcludedSentences, read_folder
from training.judge import (
    BEYOND_FILE,
    WITHIN_FILE,
    Judged,
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
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Three sentences, of which two were judged, and a document."""
    path, document = tmp_path / "judged.tsv", tmp_path / "doc.md"
    path.write_text(
        "home\tA dog.\tEin Hund.\nhome\tA cat.\tEine Katze.\tEin Kater.\tnearly\n"
        "sea\tA | ship.\tEin Schiff.\tEin Schaf.\twrong\n",
        encoding="utf-8",
    )
    document.write_text(f"Above.\n{module._BEGIN}\nold\n{module._END}\nBelow.\n", encoding="utf-8")
    return path, document


def test_a_judgement_holds_for_its_own_answer_only(files: tuple[Path, Path]) -> None:
    answers = {"A dog.": "Ein Hund.", "A cat.": "Ein Kater.", "A | ship.": "Ein Boot."}
    found = judge(FixedTranslator(answers), *files)
    assert [one.judgement for one in found] == ["right", "nearly", ""]
    assert read_judged(files[0]) == found
    # A person judges the last one; the next run keeps that.
    text = files[0].read_text(encoding="utf-8")
    files[0].write_text(text.replace("Ein Boot.\t", "Ein Boot.\tnearly"), encoding="utf-8")
    assert [one.judgement for one in judge(FixedTranslator(answers), *files)] == [
        "right",
        "nearly",
        "nearly",
    ]


def test_the_table_is_rewritten_and_the_rest_of_the_document_stays(
    files: tuple[Path, Path],
) -> None:
    answers = {"A dog.": "Ein Hund.", "A cat.": "Ein Kater.", "A | ship.": "Ein Schaf."}
    judge(FixedTranslator(answers), *files)
    text = files[1].read_text(encoding="utf-8")
    assert text.startswith("Above.\n")
    assert text.endswith("\nBelow.\n")
    assert "old" not in text
    assert "| home | 1 | 1 | 0 | 0 |" in text
    assert "| all | 1 | 1 | 1 | 0 |" in text
    assert "| A \\| ship. | Ein Schaf. | wrong |" in text


def test_a_document_without_markers_is_left_unchanged(files: tuple[Path, Path]) -> None:
    files[1].write_text("Nothing.", encoding="utf-8")
    answers = {"A dog.": "", "A cat.": "", "A | ship.": ""}
    with pytest.raises(ValueError, match=r"doc\.md must have the lines"):
        judge(FixedTranslator(answers), *files)
    assert files[1].read_text(encoding="utf-8") == "Nothing."


def test_an_unknown_judgement_is_an_error(files: tuple[Path, Path]) -> None:
    files[0].write_text("a\tb\tc\td\tgreat\n", encoding="utf-8")
    with pytest.raises(ValueError, match="see line 1"):
        read_judged(files[0])


def test_there_are_ten_groups_of_ten() -> None:
    judged = read_judged(HUNDRED)
    groups = [one.group for one in judged]
    assert len(set(groups)) == 10
    assert all(groups.count(name) == 10 for name in groups)
    assert len({one.english for one in judged}) == 100
    assert "right" in table([Judged("a", "b", "c", "c", "right")])


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
