"""Step by step with numbers to do on paper: toy numbers, two heads by hand, 0 to 99 masked."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from explorer.views.steps.step_views import BARE_STEPS
from tests.app.driving import choose, new_session, open_page, pictures
from tests.app.stepping import (
    close,
    drawn,
    filled,
    go_to,
    named,
    same,
    softmax,
    text_of,
    walk,
)
from tests.figures.reading import hatched, heatmaps
from tests.figures.test_arithmetic import (
    read_softmax,
)

pytestmark = pytest.mark.usefixtures("with_biases")


TOY_Q = [[0, 10, 0], [0, 0, 10], [10, 10, 0]]
TOY_K = [[10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]]
TOY_V = [[1, 0, 1], [10, 0, 2], [100, 5, 0], [1000, 6, 0]]


def test_the_toy_numbers_give_the_published_weights_and_outputs() -> None:
    at = open_page("steps", case="toy", form="matrix")
    seen = {step: drawn(go_to(at, step)) for step in BARE_STEPS}
    same(seen["dots"]["q"], TOY_Q)
    same(seen["dots"]["k_t"], np.array(TOY_K).T)
    same(seen["context"]["v"], TOY_V)
    same(seen["dots"]["dots"], [[0, 100, 0, 0], [0, 0, 100, 100], [100, 100, 0, 0]])
    close(seen["scores"]["scores"], np.array(seen["dots"]["dots"]) / math.sqrt(3))
    assert not np.isnan(seen["mask"]["masked"]).any()
    weights = np.array([[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]])
    np.testing.assert_allclose(seen["softmax"]["weights"], weights, atol=1e-6)
    outputs = np.array([[10, 0, 2], [550, 5.5, 0], [5.5, 0, 1.5]])
    np.testing.assert_allclose(seen["context"]["context"], outputs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("place", ["state", "address"])
def test_an_edited_cell_changes_the_result(place: str) -> None:
    values = "1 0 1;10 0 2;100 5 0;-2.5 6 0"
    keys = "10 0 0;0 10 0;0 0 10;0 0 9.5"
    at = open_page("steps", case="toy", form="matrix", step="context")
    if place == "state":
        choose(at, toy_v=values, toy_k=keys)
    else:
        at = new_session(toy_v=values, toy_k=keys).run()
        choose(at, case="toy", form="matrix", step="context")
        at.switch_page("pages/steps.py").run()
    at.run()
    k, v = np.array(TOY_K, float), np.array(TOY_V, float)
    k[3, 2], v[3, 0] = 9.5, -2.5
    weights = softmax(np.array(TOY_Q) @ k.T / math.sqrt(3))
    assert 0.9 < weights[1, 2] < 0.99  # no longer a half
    close(drawn(at)["weights"], weights)
    close(drawn(at)["context"], weights @ v)
    assert at.query_params["toy_v"] == values


def test_two_heads_by_hand_are_torchs() -> None:
    at = open_page("steps", case="two_heads", form="matrix", seed=5)
    x = np.array([[0, 0.1, 0.2, 0.3], [1, 1.1, 1.2, 1.3], [2, 2.1, 2.2, 2.3]])
    found = {}
    for number in (1, 2):
        choose(at, head=number)
        found[number] = walk(at)
        for which in "qkv":
            close(found[number][which][f"x_{which}"], x)
    parts = [np.hstack([found[n][w][f"w_{w}"] for n in (1, 2)]).T for w in "qkv"]
    twin = nn.MultiheadAttention(4, 2, batch_first=True).double()
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.from_numpy(np.vstack(parts)))
        twin.in_proj_bias.zero_()
        twin.out_proj.weight.copy_(torch.from_numpy(found[1]["out"]["w_o"].T))
        twin.out_proj.bias.zero_()
        inputs = torch.from_numpy(x)[None]
        out, weights = twin(inputs, inputs, inputs, average_attn_weights=False)
    together = np.hstack([found[n]["context"]["context"] for n in (1, 2)])
    for head in (1, 2):
        close(found[head]["softmax"]["weights"], weights[0, head - 1].numpy())
        close(found[head]["out"]["out"], out[0].numpy())
        same(found[head]["concat"]["concat"], together)


def test_0_to_99_are_masked_above_the_diagonal() -> None:
    at = open_page("steps", case="masked_hundred", form="matrix", step="mask")
    future = np.triu(np.ones((10, 10), dtype=bool), 1)
    counted = np.arange(100.0).reshape(10, 10)
    np.testing.assert_allclose(drawn(at)["scores"], counted, atol=1e-4)
    masked = drawn(at)["masked"]
    same(np.isnan(masked), future)
    cells = heatmaps(pictures(at)["step_picture"]["spec"])
    same(next(hatched(one) for one in cells if one["name"] == "masked"), future)
    np.testing.assert_allclose(masked[~future], counted[~future], atol=1e-4)
    go_to(at, "softmax")
    close(filled(drawn(at)["weights"]), softmax(np.where(future, np.nan, counted)))
    go_to(at, "mask", query=4, key=7)
    assert text_of(at) == f"{named('4', 4)} → {named('7', 7)}: 47.000 + (−∞) = −∞ (future)"
    go_to(at, "softmax", query=9, key=9)
    written = read_softmax(text_of(at))
    assert written.shift == pytest.approx(99, abs=0.001)
    assert written.adds_up()
