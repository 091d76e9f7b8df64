"""Step by step, what if: a change is computed as by hand, and its effect as by another run."""

import math
from typing import Any

import numpy as np
import pytest

from explorer.names import AttentionKind
from tests.app.driving import components
from tests.app.stepping import (
    D_K,
    Matrices,
    close,
    drawn,
    filled,
    go_to,
    hidden_cells,
    small,
    softmax,
    text_of,
    usual,
)
from tests.figures.test_arithmetic import (
    read_number,
    read_softmax,
    read_sum,
)

pytestmark = pytest.mark.usefixtures("with_biases")


CHANGES: dict[str, dict[str, Any]] = {
    "unscaled": {"unscaled": True},
    "unmasked": {"unmasked": True},
    "other head off": {"off_head": 1},
    "this head off": {"off_head": 2},
    "all at once": {"unscaled": True, "unmasked": True, "off_head": 1},
}


def by_hand(
    seen: dict[str, Matrices], kind: AttentionKind, change: dict[str, Any], head: int = 2
) -> Matrices:
    """The steps of a head with a change, from Q, K, V and the parameters as they are drawn."""
    scale = 1.0 if change.get("unscaled") else math.sqrt(D_K)
    scores = seen["q"]["q"] @ seen["k"]["k"].T / scale
    hidden = hidden_cells(kind) & (not change.get("unmasked"))
    masked = np.where(hidden, np.nan, scores)
    weights = softmax(masked)
    kept = 0.0 if change.get("off_head") == head else 1.0
    return {
        "scores": scores,
        "masked": masked,
        "weights": weights,
        "context": weights @ seen["v"]["v"] * kept,
    }


@pytest.mark.parametrize(
    ("kind", "name"), [("encoder", "unscaled"), ("decoder", "all at once"), ("cross", "unscaled")]
)
def test_the_table_has_the_what_if_beside_the_real_numbers(kind: AttentionKind, name: str) -> None:
    plain = usual(kind)
    for query in (1, 4):
        at = small(kind, "vector", query=query, key=0, **CHANGES[name])
        table = components(at)["step_table"]
        assert table["header"] == ["key", "q·k", "÷ √d_k", "mask", "softmax",
                                   "what if: score", "what if: weight"]  # fmt: skip
        wanted = by_hand(plain, kind, CHANGES[name])
        for key, (_, dot, score, _, weight, new_score, new_weight) in enumerate(table["rows"]):
            assert read_number(dot["text"]).says(plain["dots"]["dots"][query, key])
            assert read_number(score["text"]).says(plain["scores"]["scores"][query, key])
            if weight["text"] != "< 0.0001":
                assert read_number(weight["text"]).says(
                    filled(plain["softmax"]["weights"])[query, key]
                )
            assert read_number(new_score["text"]).says(wanted["scores"][query, key])
            if new_weight["text"] != "< 0.0001":
                assert read_number(new_weight["text"]).says(wanted["weights"][query, key])
        assert read_number(table["total"][6]["text"]).says(1.0)


@pytest.mark.parametrize("name", ["unscaled", "all at once"])
def test_the_divisor_of_a_what_if_is_the_one_it_divides_by(name: str) -> None:
    change = CHANGES[name]
    plain = usual("decoder")
    at = small("decoder", "vector", step="scores", query=2, key=1, **change)
    numbers = text_of(at, 1).partition(" (what if")[0]
    *_, before, after = numbers.rpartition(" = ")[0].split(" = ")[-1].split(" ÷ ")
    assert read_number(before).says(plain["dots"]["dots"][2, 1])
    assert read_number(after).says(1.0)
    score = read_number(numbers.rpartition(" = ")[2])
    assert score.says(by_hand(plain, "decoder", change)["scores"][2, 1])


@pytest.mark.parametrize(("name", "off"), [("this head off", True), ("all at once", False)])
def test_the_sums_of_a_what_if_are_those_of_the_change(name: str, off: bool) -> None:
    wanted = by_hand(usual("decoder"), "decoder", CHANGES[name])
    at = small("decoder", "matrix", step="softmax", query=1, key=3, **CHANGES[name])
    if not off:
        assert read_softmax(text_of(at, 1)).weight == pytest.approx(
            wanted["weights"][1, 3], abs=6e-5
        )
        close(filled(drawn(at, "step_what_if")["weights"]), wanted["weights"])
    sums, _, instead = text_of(go_to(at, "context"), 1).partition("\n")
    close(drawn(at, "step_what_if")["context"], wanted["context"])
    written = read_sum(sums)
    assert written.adds_up(), sums
    assert ("switched off" in instead) == off
    context = read_number(instead.rpartition(" ")[2].rstrip(".")) if instead else written.result
    assert context.says(wanted["context"][1, 0])
    written = read_sum(text_of(go_to(at, "out"), 1))
    assert written.adds_up()
    assert written.result.says(drawn(at, "step_what_if")["out"][1, 0])


def test_with_dropout_the_sums_still_add_up() -> None:
    at = small("encoder", "vector", dropout=0.5, dropout_seed=1, query=1, key=0)
    weights = filled(drawn(go_to(at, "softmax"))["weights"])
    for step in ("qkv", "dots", "context", "out"):
        go_to(at, step)
        sums, _, instead = text_of(at).partition("\n")
        written = read_sum(sums)
        assert written.adds_up(), sums
        assert bool(instead) == (step == "context")
        if instead:  # the sum is that of what dropout has left, and it is the context
            assert instead.startswith("Dropout set some of the weights to 0")
            seen = drawn(at)
            kept = filled(seen["weights"])
            close(kept[kept > 0], 2 * weights[kept > 0])  # raised by 1/(1 − 0.5)
            assert ((kept == 0) & (weights > 0)).any()
            close(seen["shares"], kept * seen["v"])
            close(seen["context"][0], seen["shares"].sum(axis=0))
            assert written.result.says(seen["context"][0, 0])
