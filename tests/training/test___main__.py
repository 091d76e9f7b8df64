"""`python -m explorer.training`: trains what is named, and writes it to where it is shipped."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.tasks.tasks import TASKS
from explorer.training import __main__ as program
from explorer.training.recipes import RECIPES, config_for
from explorer.training.translator import judge, training
from explorer.training.translator.corpus import Corpus, Pair
from explorer.training.translator.judge import Judged
from explorer.training.translator.recipe import Recipe
from explorer.transformer import Transformer
from explorer.weights import translator
from explorer.weights.checkpoints import Checkpoint, load
from explorer.weights.translator import Translator


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, int]]:
    """The orders to train, none of which is carried out. Files go to a folder of the test's."""
    asked: list[tuple[str, int]] = []

    def untrained(name: str, seed: int) -> Checkpoint:
        asked.append((name, seed))
        task = TASKS[name]
        model = Transformer(config_for(task), seed=seed)
        return Checkpoint(task=task, model=model, training=RECIPES[name], steps=0, accuracy=0.0)

    monkeypatch.setattr(program, "train_shipped", untrained)
    monkeypatch.setattr(program, "SHIPPED", tmp_path / "weights")
    return asked


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["explorer.training", *arguments])
    program.main()


def test_named_checkpoints_are_trained(
    trained: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    call(monkeypatch, "copy", "quotes", "--seed", "7")
    assert trained == [("copy", 7), ("quotes", 7)]
    for name in ("copy", "quotes"):
        content = (tmp_path / "weights" / f"{name}.safetensors").read_bytes()
        assert load(content).task == TASKS[name]


def test_by_default_all_are_trained(
    trained: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    call(monkeypatch)
    assert trained == [(name, 0) for name in TASKS]


def test_an_unknown_name_is_refused(
    trained: list[tuple[str, int]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        call(monkeypatch, "copy", "poetry")
    assert "got poetry" in capsys.readouterr().err
    assert trained == []


def test_the_translator_is_trained_by_the_recipe_of_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Recipe] = []

    def noted(corpus: Corpus, recipe: Recipe, *_: object) -> None:
        asked.append(recipe)
        raise ValueError("enough")

    monkeypatch.setattr(program, "_read", lambda *_: Corpus((), ()))
    monkeypatch.setattr(training, "train_translator", noted)
    with pytest.raises(SystemExit):
        call(
            monkeypatch, "translate", "--corpus", "x", "--passes", "2", "--lr", "0.5",
            "--agreeing", "0.25", "--seed", "9", "--state", str(tmp_path / "state"),
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
    call(monkeypatch, "judge", "--weights", str(tmp_path / "new.safetensors"))
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

    monkeypatch.setattr(training, "train_translator", trained)
    call(monkeypatch, "translate", "--corpus", str(corpus), "--written", str(tmp_path / "written"),
         "--start", str(translator.FILE), "--out", str(tmp_path / "new.safetensors"),
         "--state", str(tmp_path / "kept.state"))  # fmt: skip
    assert asked["written"] == (Pair("Good day.", "Guten Tag."),)
    assert isinstance(asked["start"], Translator)
    assert translator.load(tmp_path / "new.safetensors").about["quality"]
    assert not (tmp_path / "kept.state").exists()
