"""What the app opens on: the host's model where it can be had, and ours everywhere else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.weights.opening import ENVIRONMENT, fetch, opens_on
from tests.weights.huggingface.tiny_files import write


@pytest.fixture(autouse=True)
def _models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    opens_on.cache_clear()
    yield
    opens_on.cache_clear()


def test_without_a_word_from_the_host_it_is_our_translator(tmp_path: Path) -> None:
    fetch()
    assert opens_on() == "translator"
    assert not (tmp_path / "models").exists()


def test_the_hosts_model_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = write(tmp_path / "theirs")
    monkeypatch.setenv(ENVIRONMENT, str(here))
    fetch()
    (here / "config.json").unlink()  # a second time it is not read
    fetch()
    assert opens_on() == "theirs"
    assert (tmp_path / "models/theirs/model.safetensors").is_file()


@pytest.mark.parametrize("name", ["owner/gone", "broken"])
def test_what_cannot_be_fetched_leaves_ours_and_is_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (write(tmp_path / "broken") / "config.json").write_text("{}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv(ENVIRONMENT, name)
    monkeypatch.chdir(tmp_path)
    fetch()
    assert opens_on() == "translator"
    said = capsys.readouterr().err
    assert f"fetching {name} …" in said
    assert "The app opens on its own translator." in said


def test_shipped_weights_need_no_fetching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, "reverse")
    fetch()
    assert opens_on() == "reverse"


def test_it_stays_the_same_until_the_server_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, "late")
    assert opens_on() == "translator"
    write(tmp_path / "models/late")
    assert opens_on() == "translator"


def test_a_folder_that_is_not_there_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, "../gone")
    with pytest.raises(SystemExit, match=r"There is no folder '\.\./gone'"):
        fetch()
