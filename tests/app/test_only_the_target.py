"""The encoder never sees the target: when only the target changes, it does not run again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from explorer.transformer import Transformer
from tests.app.driving import matrices, open_page, pictures, state_of


@pytest.fixture
def encoder_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with every run of an encoder."""
    runs: list[int] = []
    encode: Callable[..., Any] = Transformer.encode

    def counted(self: Transformer, *args: Any, **kwargs: Any) -> Any:
        runs.append(1)
        return encode(self, *args, **kwargs)

    monkeypatch.setattr(Transformer, "encode", counted)
    return runs


def test_only_another_source_runs_the_encoder_again(encoder_runs: list[int]) -> None:
    at = open_page("attention", **state_of([("purple cats juggle", "lila Katzen")], seed=812))
    before = len(encoder_runs)
    assert before
    at.text_input(key="tgt").set_value("lila Katzen jonglieren gern").run()
    assert len(encoder_runs) == before
    at.text_input(key="src").set_value("purple cats cats").run()
    assert len(encoder_runs) == before + 1


def test_what_is_drawn_is_the_same_as_from_the_beginning() -> None:
    def drawn(*targets: str) -> dict[str, np.ndarray]:
        pairs = [("zebras draw small maps", targets[0])]
        at = open_page("attention", **state_of(pairs, attention="cross", seed=813))
        for target in targets[1:]:
            at.text_input(key="tgt").set_value(target).run()
        return matrices(pictures(at)["one_head"])

    later, anew = drawn("a", "a b c"), drawn("a b c")
    assert later.keys() == anew.keys()
    assert all(np.array_equal(later[name], anew[name]) for name in anew)


def test_with_dropout_the_encoder_runs_too(encoder_runs: list[int]) -> None:
    """The decoder's dropout depends on how many random numbers the encoder has drawn."""
    pairs = [("purple cats juggle", "lila Katzen")]
    at = open_page("attention", **state_of(pairs, seed=814, dropout=0.3))
    before = len(encoder_runs)
    at.text_input(key="tgt").set_value("lila Katzen jonglieren").run()
    assert len(encoder_runs) == before + 1
