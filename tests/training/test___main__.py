"""`python -m explorer.training`: trains what is named, and writes it to where it is shipped."""

import sys
from pathlib import Path

import pytest

from explorer.tasks.tasks import TASKS
from explorer.training import __main__ as program
from explorer.training.recipes import RECIPES, config_for
from explorer.transformer import Transformer
from explorer.weights.checkpoints import Checkpoint, load


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
