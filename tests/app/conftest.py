"""Shared by tests of the app. Explorer is imported late: jaxtyping must hook its imports first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    """Opening a page takes long; that every page can be opened is worth it."""
    if item.path.name != "test_every_page.py" or "pretrained" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def garbage_can_wait() -> Iterator[None]:
    """That of so few sessions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorer.runtime.garbage.PAUSE", 3.0)
        yield


@pytest.fixture(scope="session")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small model of each kind."""
    from tests.app.pretrained import write_models

    folder = tmp_path_factory.mktemp("models")
    write_models(folder)
    return folder


@pytest.fixture
def models(pretrained: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, which the app offers."""
    monkeypatch.setenv("EXPLORER_MODELS", str(pretrained))
    return pretrained


@pytest.fixture
def with_biases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of one seed get biases and norms other than 0 and 1, on the page and made here."""
    from explorer.runtime import engine
    from explorer.transformer import Transformer
    from tests.app import untrained
    from tests.app.stepping import SHAKEN
    from tests.properties.strategies import perturbed

    def model(config: Any, *, seed: int = 0, **more: Any) -> Transformer:
        made = Transformer(config, seed=seed, **more)
        return perturbed(made) if seed == SHAKEN else made

    monkeypatch.setattr(engine, "Transformer", model)
    monkeypatch.setattr(untrained, "Transformer", model)


@pytest.fixture
def no_other_rooms() -> Iterator[None]:
    """Rooms of this test only; it runs each page itself."""
    from explorer.rooms.hub import hub

    hub.cache_clear()
    yield
    hub.cache_clear()
