"""The folder of models: what is found in it, and that no name leads out of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.weights.huggingface.shelf import (
    folder_name,
    folder_of,
    model_names,
    models_folder,
    shown_name,
)
from tests.weights.huggingface.tiny_files import write_config

NAMES = ["gpt2", "t5-small", "Helsinki-NLP/opus-mt-en-de", "a.b/c_d", "0/1", "a--b"]
BAD_NAMES = [
    "", ".", "..", "../x", "x/../y", "a/..", "/etc", "/etc/passwd", "a/b/c", ".hidden", "_x", "-x",
    "a b", "a\\b", "a\0b", "a\nb", "gpt2\n", "ä", "x" * 97, "a..b", "~", "$HOME", "a:b", "/a",
]  # fmt: skip


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models, with two; what lies in and beside it is none."""
    folder = tmp_path / "models"
    monkeypatch.setenv("EXPLORER_MODELS", str(folder))
    for name in ("owner--model", "gpt2"):
        write_config(folder / name)
    for name in (".adding-1234", ".hidden", "_x", "a b", "ä", "x" * 97):
        write_config(folder / name)
    (folder / "empty").mkdir()
    (folder / "config-is-a-folder" / "config.json").mkdir(parents=True)
    (folder / "file").write_text("{}")
    write_config(tmp_path / "outside")
    write_config(folder / "gpt2" / "inner")
    return folder


class TestWhere:
    def test_beside_the_app(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("EXPLORER_MODELS", raising=False)
        assert (models_folder().parent / "app.py").is_file()
        assert models_folder().name == "models"


class TestModels:
    def test_their_names(self, models: Path) -> None:
        assert model_names() == ["gpt2", "owner--model"]

    def test_a_link_to_a_folder_is_one(self, models: Path) -> None:
        (models / "linked").symlink_to(models.parent / "outside")
        assert "linked" in model_names()

    @pytest.mark.parametrize("name", ["gone", "outside/config.json"])
    def test_no_folder_has_none(
        self, models: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        monkeypatch.setenv("EXPLORER_MODELS", str(models.parent / name))
        assert model_names() == []

    def test_their_folders(self, models: Path) -> None:
        assert folder_of("gpt2") == models / "gpt2"
        assert folder_of("owner--model") == models / "owner--model"

    @pytest.mark.parametrize(
        "name",
        [
            *BAD_NAMES, "empty", "file", ".hidden", "../outside", "gpt2/../../outside",
            "gpt2/inner", "gpt2/", "a/", "./gpt2", "owner/model", "config-is-a-folder", "a b",
        ],
        ids=ascii,
    )  # fmt: skip
    def test_no_other_name_leads_anywhere(self, models: Path, name: str) -> None:
        with pytest.raises(LookupError, match="no model"):
            folder_of(name)


class TestNames:
    @pytest.mark.parametrize("name", NAMES)
    def test_names_and_folder_names_convert_both_ways(self, name: str) -> None:
        made = folder_name(name)
        assert "/" not in made
        assert folder_name(shown_name(made)) == made
        if "--" not in name:
            assert shown_name(made) == name

    @given(st.text(st.sampled_from("ab./\\-_~ \0\n0"), max_size=12))
    def test_whatever_is_accepted_stays_in_its_folder(self, name: str) -> None:
        try:
            made = folder_name(name)
        except ValueError:
            return
        assert (Path("/models") / made).resolve().parent == Path("/models")
        assert not made.startswith(".")
