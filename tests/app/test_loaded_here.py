"""A visitor loads weights, or a pretrained model, from files: they are on every page, theirs."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from explorer.runtime.cache import SplitCache
from explorer.runtime.engine import Engine
from explorer.ui.controls import loading
from explorer.web.files import Box, TakenFile, box
from explorer.weights import loaded_here, trained_here
from explorer.weights.checkpoints import LARGEST, shipped
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.known import ModelFolder
from tests.app.driving import (
    components,
    open_drawer,
    open_page,
    texts,
)
from tests.weights.test_loaded_here import bert, files

Files = Mapping[str, bytes]
BERT_FILES: Files = bert()
BART_FILES: Files = files()
GONE = "model that was loaded here is gone"


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> SplitCache[ModelFolder]:
    """The server's models, which no other test has put there."""
    split_cache: SplitCache[ModelFolder] = SplitCache(loaded_here.ROOM)
    monkeypatch.setattr(loaded_here, "_cache", lambda: split_cache)
    return split_cache


def opened(page: str = "attention", **choices: Any) -> AppTest:
    """A page with the field for files, beside the menu of weights."""
    return open_page(page, **{"load": True, **choices})


def fields(at: AppTest) -> list[Box]:
    """The boxes of the fields for files on the page."""
    sent = (found for key, found in components(at).items() if key.endswith("_files"))
    return [box(name, LARGEST) for found in sent for name in found["headers"].values()]


def give(at: AppTest, files: Files) -> AppTest:
    """Choose these files, all at once, as if they had been sent."""
    (field,) = fields(at)
    field.given += [TakenFile(name, content) for name, content in files.items()]
    at.run()
    return at


def test_it_stays_in_the_menu_while_others_are_chosen() -> None:
    at = give(opened(), BERT_FILES)
    menu = at.selectbox(key="weights")
    assert "loaded here · your model" in menu.options
    menu.select("copy").run()
    assert at.query_params.get("model") is None
    assert "loaded here · your model" in at.selectbox(key="weights").options
    at.selectbox(key="weights").select("loaded").run()
    assert re.search(r"This model, BERT: [\d,]+ weights", texts(open_drawer(at, "code").run()))


def test_only_its_link_opens_it_for_others() -> None:
    at = give(opened(), BERT_FILES)
    link = dict(at.query_params)
    assert link["weights"] == "loaded"
    assert len(link["model"]) >= 12
    shared = open_page("attention", **link)
    assert shared.selectbox(key="weights").value == "loaded"
    stranger = open_page("attention")
    assert not any("loaded" in option for option in stranger.selectbox(key="weights").options)
    for model in (None, "never-was-here", link["model"][:-1]):
        guessed = open_page("attention", weights="loaded", model=model)
        assert guessed.selectbox(key="weights").value == "translator"
        assert GONE in texts(guessed)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"config.json": BERT_FILES["config.json"]}, "also needs model.safetensors"),
        ({"cut.safetensors": shipped("copy")[:5000]}, "its beginning is damaged"),
        ({"<b>.doc": b""}, "<b>.doc is not a name"),
    ],
)
def test_a_refused_file_is_explained_and_the_model_on_show_stays(files: Files, why: str) -> None:
    at = give(opened(weights="copy"), files)
    (error,) = at.error
    assert why in error.value.replace("\\", "").replace("\u2060", "")
    assert at.selectbox(key="weights").value == "copy"
    assert "loaded" not in at.selectbox(key="weights").options
    at.run()
    assert len(at.error) == 1  # it stays, although the files are gone
    give(at, BERT_FILES)
    assert not at.error
    assert at.selectbox(key="weights").value == "loaded"


@pytest.mark.parametrize("files", [BERT_FILES, {**BERT_FILES, "weights.pkl": b""}])
def test_files_that_were_read_or_refused_are_freed(files: Files) -> None:
    at = give(opened(), files)
    assert len(at.error) == ("weights.pkl" in files)
    (field,) = fields(at)
    assert field.sizes == []


def test_a_click_that_ends_the_reading_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "load", lambda _: st.rerun())  # as a click does
    at = give(opened(), {"copy.safetensors": shipped("copy")})
    (error,) = at.error
    assert "Load them again" in error.value
    assert at.selectbox(key="weights").value == "untrained"


class Unread:
    """A file whose content nobody may look at."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size = name, size

    @property
    def content(self) -> bytes:
        pytest.fail(f"{self.name} was read")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ([Unread("vocab.txt", 1)] * 1000, "up to 17 files, and these are 1,000"),
        (
            [Unread("config.json", 1), *[Unread("model.safetensors", LARGEST // 2)] * 3],
            "up to 256 MB together, and these have 384 MB",
        ),
    ],
)
def test_names_and_sizes_are_checked_before_a_file_is_read(files: Any, why: str) -> None:
    with pytest.raises(PretrainedError, match=why):
        loading._read(files)


def test_a_second_model_takes_the_place_of_the_first_in_the_menu() -> None:
    at = give(opened(), BERT_FILES)
    first = at.query_params["model"]
    give(at, BART_FILES)
    assert at.query_params["model"] != first
    options = at.selectbox(key="weights").options
    assert [option for option in options if "loaded" in option] == ["loaded here · your model"]
    assert "BART: " in texts(at)


def test_without_enough_memory_it_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large model asks the engine for room, a small one does not."""
    monkeypatch.setattr(Engine, "room_for", lambda self, need: _no(self, need))
    at = give(opened(weights="copy"), BERT_FILES)
    assert not at.error
    monkeypatch.setattr(loading, "BIG", 100)
    at = give(opened(weights="copy"), BERT_FILES)
    assert "no memory for this model" in at.error[0].value
    assert at.selectbox(key="weights").value == "copy"


def _no(engine: Engine, need: int) -> Any:
    from contextlib import nullcontext

    return nullcontext(False)


class TestWeights:
    """The same field takes a file that was saved here."""

    @pytest.mark.parametrize(
        "files",
        [
            {"numbers-d64.safetensors": shipped("numbers")},
            {"model.safetensors": shipped("numbers")},  # whatever its name is
            # Of several the last one counts.
            {"cut.safetensors": shipped("copy")[:5000], "whole.safetensors": shipped("numbers")},
        ],
    )
    def test_a_file_that_was_saved_here(self, files: Files) -> None:
        at = give(opened(), files)
        assert not at.error
        assert at.selectbox(key="weights").value == "here"
        trained_here.drop(at.query_params["run"])
