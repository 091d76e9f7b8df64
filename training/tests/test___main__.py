"""`python -m training`: trains and judges as the command line says."""

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.weights import translator
from explorer.weights.translator import Translator
from training import __main__ as program
from training import judge, trainer
from training.corpus import Corpus, Pair
from training.judge import Judged
from training.recipe import Recipe


def test_a_translator_goes_on_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.txt"
    corpus.write_text("".join(f"Sentence {n}.\tSatz {n}.\n" for n in range(400)), encoding="utf-8")
    asked: dict[str, object] = {}

    def trained(found: Corpus, recipe: Recipe, state: Path, start: object) -> Translator:
        asked.update(written=found.written, recipe=recipe, start=start)
        state.write_bytes(b"")
        made = translator.load()
        return replace(made, about={"quality": {"greedy": {"bleu": 1.0, "chrf": 2.0}}})

    monkeypatch.setattr(trainer, "train_translator", trained)
    monkeypatch.setattr(program, "read_folder", lambda _: [Pair("Good day.", "Guten Tag.")])
    program.main(
        ["train", "--corpus", str(corpus), "--start", str(translator.FILE), "--out",
         str(tmp_path / "new.safetensors"), "--state", str(tmp_path / "kept.state"),
         "--passes", "2", "--lr", "0.5", "--agreeing", "0.25"]
    )  # fmt: skip
    assert asked["written"] == (Pair("Good day.", "Guten Tag."),)
    assert asked["recipe"] == Recipe(passes=2, lr=0.5, agreeing=0.25)
    assert isinstance(asked["start"], Translator)
    assert translator.load(tmp_path / "new.safetensors").about["quality"]
    assert not (tmp_path / "kept.state").exists()


def test_a_corpus_that_cannot_be_read_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        program.main(["train", "--corpus", str(tmp_path / "no.txt")])
    assert "no.txt" in capsys.readouterr().err


def test_the_translator_is_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[object] = []

    def answered(translator: object) -> list[Judged]:
        asked.append(translator)
        return [Judged("a", "b", "c", "c", "right"), Judged("a", "d", "e", "f", "")]

    monkeypatch.setattr(judge, "judge", answered)
    monkeypatch.setattr(translator, "load", lambda path: path)
    program.main(["judge", "--weights", str(tmp_path / "new.safetensors")])
    assert asked == [tmp_path / "new.safetensors"]
    assert "| all | 1 | 0 | 0 | 1 |" in capsys.readouterr().out
