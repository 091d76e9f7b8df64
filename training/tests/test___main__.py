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


def test_the_translator_is_trained_by_the_recipe_of_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Recipe] = []

    def noted(corpus: Corpus, recipe: Recipe, *_: object) -> None:
        asked.append(recipe)
        raise ValueError("enough")

    monkeypatch.setattr(program, "_read", lambda *_: Corpus((), ()))
    monkeypatch.setattr(trainer, "train_translator", noted)
    with pytest.raises(SystemExit):
        program.main(
            ["train", "--corpus", "x", "--passes", "2", "--lr", "0.5", "--agreeing", "0.25",
             "--seed", "9", "--state", str(tmp_path / "state")]
        )  # fmt: skip
    assert asked == [Recipe(passes=2, lr=0.5, agreeing=0.25, seed=9)]


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
    assert "right: 1\n" in (printed := capsys.readouterr().out)
    assert "not judged yet: 1\n" in printed


def test_a_translator_goes_on_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.txt"
    corpus.write_text("".join(f"Sentence {n}.\tSatz {n}.\n" for n in range(400)), encoding="utf-8")
    (tmp_path / "written").mkdir()
    (tmp_path / "written" / "a.tsv").write_text("Good day.\tGuten Tag.\n", encoding="utf-8")
    asked: dict[str, object] = {}

    def trained(found: Corpus, recipe: object, state: Path, start: object) -> Translator:
        asked.update(written=found.written, start=start)
        state.write_bytes(b"")
        made = translator.load()
        return replace(made, about={"quality": {"greedy": {"bleu": 1.0, "chrf": 2.0}}})

    monkeypatch.setattr(trainer, "train_translator", trained)
    program.main(
        ["train", "--corpus", str(corpus), "--written", str(tmp_path / "written"),
         "--start", str(translator.FILE), "--out", str(tmp_path / "new.safetensors"),
         "--state", str(tmp_path / "kept.state")]
    )  # fmt: skip
    assert asked["written"] == (Pair("Good day.", "Guten Tag."),)
    assert isinstance(asked["start"], Translator)
    assert translator.load(tmp_path / "new.safetensors").about["quality"]
    assert not (tmp_path / "kept.state").exists()
