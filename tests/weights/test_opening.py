"""The weights that the app opens on: the host's model if it is available, or else ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.weights.opening import ENVIRONMENT, fetch, opening_weights
from tests.weights.huggingface.tiny_files import write


@pytest.fixture(autouse=True)
def _models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    opening_weights.cache_clear()
    yield
    opening_weights.cache_clear()


def test_by_default_the_app_opens_on_our_translator(tmp_path: Path) -> None:
    fetch()
    assert opening_weights() == "translator"
    assert not (tmp_path / "models").exists()


def test_the_hosts_model_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = write(tmp_path / "theirs")
    monkeypatch.setenv(ENVIRONMENT, str(here))
    fetch()
    (here / "config.json").unlink()  # the second fetch does not read it
    fetch()
    assert opening_weights() == "theirs"
    assert (tmp_path / "models/theirs/model.safetensors").is_file()


@pytest.mark.parametrize("name", ["owner/gone", "broken"])
def test_a_model_that_cannot_be_fetched_is_reported_and_ours_is_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (write(tmp_path / "broken") / "config.json").write_text("{}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv(ENVIRONMENT, name)
    monkeypatch.chdir(tmp_path)
    fetch()
    assert opening_weights() == "translator"
    printed = capsys.readouterr().err
    assert f"fetching {name} …" in printed
    assert "The app opens on its own translator." in printed


def test_shipped_weights_need_no_fetching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, "reverse")
    fetch()
    assert opening_weights() == "reverse"


def test_the_opening_weights_stay_the_same_until_the_server_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, "late")
    assert opening_weights() == "translator"
    write(tmp_path / "models/late")
    assert opening_weights() == "translator"


def test_a_missing_folder_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv(ENVIRONMENT, "../gone")
    with pytest.raises(SystemExit, match=r"There is no folder '\.\./gone'"):
        fetch()
