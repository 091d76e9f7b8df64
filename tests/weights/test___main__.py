"""`python -m explorer.weights`: what it prints, and how it ends."""

import sys
from pathlib import Path

import pytest

from explorer.weights.__main__ import main
from tests.weights.huggingface.tiny_files import write


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def run(monkeypatch: pytest.MonkeyPatch, *given: str) -> object:
    """The status with which it ends: a text is printed to stderr and counts as 1."""
    monkeypatch.setattr(sys, "argv", ["weights", *given])
    try:
        main()
    except SystemExit as left:
        return left.code
    return 0


def test_add(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "tiny")
    assert run(monkeypatch, "add", "tiny", "--as", "me/first") == 0
    line, where = capsys.readouterr().out.splitlines()
    assert line.startswith("me/first: BART, 1 + 1 layers, d_model 8, 2 heads, d_ff 12, ")
    assert where.startswith("It is in the menu “Weights” under your models")


def test_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "tiny")
    other = str(tmp_path / "other")
    assert run(monkeypatch, "add", "tiny", "--folder", other) == 0
    assert (tmp_path / "other" / "tiny" / "model.safetensors").is_file()


def test_replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "tiny")
    assert run(monkeypatch, "add", "tiny") == 0
    assert "--replace" in str(run(monkeypatch, "add", "tiny"))
    assert run(monkeypatch, "add", "tiny", "--replace") == 0


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorer.weights.__main__.add", interrupt)
    assert run(monkeypatch, "add", "tiny") == "Interrupted: no model was added."


@pytest.mark.parametrize("given", [(), ("add",), ("list",), ("remove", "x"), ("add", "a", "b")])
def test_another_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    assert run(monkeypatch, *given) == 2
    assert "usage: python -m explorer.weights" in capsys.readouterr().err
