"""Causes of a run: asked once, kept for all, and each question by itself."""

from typing import Any

import numpy as np
import pytest

from explorer.analysis.causes import attribution, heads_off
from explorer.exploration import explore
from explorer.runtime import causes as module
from explorer.runtime.causes import Causes


def test_each_question_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = explore("three one two", model="reverse").run()
    asked: list[Any] = []

    def noting(*given: Any) -> Any:
        asked.append(given[1])
        return attribution.attribute(*given)

    monkeypatch.setattr(module, "attribute", noting)
    first = Causes.of(ran, 1).attributed("occlusion")
    assert Causes.of(ran, 1).attributed("occlusion") is first
    assert len(asked) == 1
    others = [Causes.of(ran, 2), Causes.of(ran, 1, rival="three"), Causes.of(ran, 1, token="two")]
    for other in others:
        assert other.attributed("occlusion") is not first
    Causes.of(ran, 1).attributed("rollout")
    assert len(asked) == 5


def test_heads_by_layer_and_what_a_patch_of_one_head_gives() -> None:
    ran = explore("three one two", model="reverse").run()
    causes = Causes.of(ran, 1)
    effects = causes.without_heads()
    for kind, layer, found in heads_off.without_heads(causes.question):
        np.testing.assert_array_equal(effects[kind][layer], found)
    same = causes.patched(ran, "cross", 0, 0)
    np.testing.assert_array_equal(same, ran.trace.logits[0, 1])


def test_progress_is_reported() -> None:
    seen = explore(["three one two", "three one four"], model="reverse")
    causes, other = Causes.of(seen.run(), 0, rival="four"), seen.pair(2).run()
    reported: list[float] = []
    assert sum(map(len, causes.restored(other, reported.append).values())) == 6
    assert reported == [n / 6 for n in range(1, 7)]
    reported.clear()
    found = causes.restored_positions(other, reported.append)
    layers = sum(map(len, found.values()))
    assert reported == [n / layers for n in range(1, layers + 1)]
    reported.clear()
    causes.attributed("occlusion", reported.append)
    assert reported[-1] == 1.0
