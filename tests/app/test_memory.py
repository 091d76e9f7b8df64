"""A session keeps no large objects alive between two runs."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.runtime import engine
from explorer.transformer import Transformer

APP = Path(__file__).parents[2] / "app.py"


@pytest.mark.parametrize(
    "page",
    ["home", "positions", "attention", "heads", "steps", "stack", "training", "decoding"],
)
def test_a_session_does_not_keep_a_model_that_the_cache_has_dropped(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A callback that closes over a trace would keep its model alive as long as the session."""
    built: list[weakref.ref[Any]] = []

    def build(*args: Any, **kwargs: Any) -> Any:
        model = Transformer(*args, **kwargs)
        built.append(weakref.ref(model))
        return model

    monkeypatch.setattr(engine, "Transformer", build)
    engine.engine.cache_clear()
    session = AppTest.from_file(APP, default_timeout=30).run()
    session.switch_page(f"pages/{page}.py").run()
    session.run()
    assert not session.exception
    assert built

    kept = engine.engine()
    for cache in (kept.models, kept.traces, kept.encoded, kept.results):
        cache.clear()
    gc.collect()
    assert [model() for model in built] == [None] * len(built)
    assert session.title
