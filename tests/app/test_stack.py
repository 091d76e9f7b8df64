"""The page of the stack: every stop shows the numbers of the trace; the ways from it."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.analysis.stops import Stop
from explorer.figures.arithmetic import layer_norm_written_out
from tests.app.driving import (
    button,
    numbers,
    open_page,
    pictures,
    press,
    state_of,
    texts,
)
from tests.app.stops import SHOWN, go_to
from tests.app.untrained import MODELS, PAIRS, stops_of
from tests.support.marks import rest


def drawn_columns(stop: Stop, values: np.ndarray) -> np.ndarray:
    """The drawn columns of a stop: of the vocabulary, only the ids that are words by now."""
    words = len({word for _, sentence in PAIRS for word in sentence.split()})
    return values[:, : min(SHOWN, 4 + words) if stop.name in ("logits", "probabilities") else SHOWN]


def check_norm(at: AppTest, stop: Stop, word: int, name: str) -> None:
    """Check the layer norm of a word, worked out: there is one where the stop has one."""
    shown = [code.value for code in at.code if "\nμ = " in code.value]
    assert (stop.norm is None) == (not shown) == ("norm_picture" not in pictures(at)), stop.title
    if stop.norm is None:
        return
    before, after = (half[word].numpy() for half in (stop.norm.x, stop.norm.out))
    gain, bias = (part.detach().numpy() for part in stop.norm.norm.parameters())
    assert shown == [f"“{name}”:\n{layer_norm_written_out(before, gain, bias, 1e-5, after)}"]
    drawn = numbers(pictures(at)["norm_picture"])
    np.testing.assert_allclose(drawn, np.stack([before, after])[:, :SHOWN], atol=2e-5)


def check_feed_forward(at: AppTest, stop: Stop) -> None:
    """Check what is inside a feed-forward, if the stop is one."""
    drawn = pictures(at)
    assert (stop.feed_forward is None) == ("hidden_picture" not in drawn)
    if stop.feed_forward is None:
        return
    hidden = stop.feed_forward.hidden.numpy()
    np.testing.assert_allclose(numbers(drawn["hidden_picture"]), hidden[:, :SHOWN], atol=2e-5)
    caption = drawn["hidden_picture"]["caption"]
    assert caption.startswith(f"Shape ({hidden.shape[0]}, {hidden.shape[1]})")
    share = int(re.search(r"(\d+)% of the hidden units are 0", caption)[1])
    assert share == pytest.approx(100 * (hidden <= 0).mean(), abs=0.51)
    assert 0 < share < 100
    (badge,) = re.findall(r"\S*badge\[[^\n]*comes out the same[^\n]*", texts(at))
    assert ":material/check:" in badge
    assert float(re.search(r"the same \((\S+)\)", badge)[1].replace("−", "-")) < 1e-4


@pytest.mark.parametrize(("name", "row"), [("pre-norm", 1), *rest(("usual", 0))])
def test_every_stop_is_shown_with_all_that_stands_beside_it(name: str, row: int) -> None:
    all_stops, chosen = stops_of(MODELS[name], row), 2
    link = {"stack_shows": "stop", "word": chosen, **MODELS[name]}
    at = open_page("stack", **state_of(PAIRS, pair=row + 1), **link)
    assert at.selectbox(key="stop").options == [
        f"{n} · {stop.title}" for n, stop in enumerate(all_stops)
    ]
    pad = ["PAD"] * row
    words = {
        "src": [*PAIRS[row][0].split(), *3 * pad],
        "tgt": ["BOS", *PAIRS[row][1].split(), *(["EOS", *2 * pad] if row else [])],
    }
    for number, stop in enumerate(all_stops):
        go_to(at, number)
        picture, values = pictures(at)["stop_picture"], stop.values.numpy()
        drawn = drawn_columns(stop, values)
        np.testing.assert_allclose(numbers(picture), drawn, atol=2e-5, err_msg=stop.title)
        shape = "({}, {})".format(*values.shape)
        assert f"Shape {shape}" in picture["caption"]
        assert f"{shape}. Largest number {np.abs(drawn).max():.3f}" in picture["alt"]
        zeros = (values == 0).mean()
        assert picture["caption"].endswith(f"{zeros:.1%} of the numbers are exactly 0.")
        assert f"**{stop.part.capitalize()}: {stop.name}**" in texts(at)
        named = [f"{n} · {word}" for n, word in enumerate(words[stop.side])]
        assert at.selectbox(key="word").options == named
        check_norm(at, stop, chosen, words[stop.side][chosen])
        check_feed_forward(at, stop)


def test_change_is_the_difference_from_the_input_of_a_stop() -> None:
    model = {"enc": 1, "dec": 1}
    at = open_page("stack", **state_of(PAIRS, pair=1), **model)
    for number, stop in enumerate(stops_of(model, 0)):
        picture = pictures(go_to(at, number, stop_shows="change"))["stop_picture"]
        shown = stop.values if stop.before is None else stop.values - stop.before
        drawn = drawn_columns(stop, shown.numpy())
        np.testing.assert_allclose(numbers(picture), drawn, atol=4e-5, err_msg=stop.title)
        assert ("Change from its input." in picture["caption"]) == (stop.before is not None)
        controls = [control.key for control in at.segmented_control]
        assert ("stop_shows" in controls) == (stop.before is not None)


@pytest.mark.parametrize(("rate", "kept"), [(0.5, "50%"), (0.1, "90%")])
def test_dropout_sets_numbers_to_zero_and_the_page_says_so(rate: float, kept: str) -> None:
    all_stops = stops_of({}, 0)
    at = open_page("stack", **state_of(PAIRS, pair=1), dropout=rate, dropout_seed=4)
    for number in (2, 14):
        assert all_stops[number].name == "+ position"
        picture = pictures(go_to(at, number))["stop_picture"]
        drawn = numbers(picture)
        dropped = drawn == 0
        assert dropped.mean() == pytest.approx(rate, abs=0.08)
        undropped = all_stops[number].values.numpy() / (1 - rate)
        np.testing.assert_allclose(drawn[~dropped], undropped[~dropped], rtol=1e-4, atol=1e-5)
        assert f"{100 * dropped.mean():.1f}% of the numbers are exactly 0" in picture["caption"]
        why = next(line for line in texts(at).splitlines() if line.startswith("Why are some"))
        assert f"kept with probability {kept} and scaled up by 1/{1 - rate}" in why
    before = numbers(pictures(go_to(at, 2))["stop_picture"])
    go_to(at, 2, dropout_seed=5)
    assert ((numbers(pictures(at)["stop_picture"]) == 0) != (before == 0)).any()
    go_to(at, 2, dropout=0.0)
    assert (numbers(pictures(at)["stop_picture"]) != 0).all()
    assert "Why are some" not in texts(at)


def test_a_wide_model_sends_64_columns_and_computes_with_all() -> None:
    settings = {"d_model": 512, "heads": 8, "enc": 1, "dec": 1}
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for number, stop in [*enumerate(stops_of(settings, 0))][::3]:
        go_to(at, number)
        for key, picture in pictures(at).items():
            assert numbers(picture).shape[1] <= 64, (stop.title, key)
        picture, values = pictures(at)["stop_picture"], stop.values.numpy()
        if values.shape[1] == 512:
            assert "dimensions 0 to 63 of 512" in picture["caption"]
            np.testing.assert_allclose(numbers(picture), values[:, :64], atol=1e-4)


def test_a_missing_stop_is_replaced_by_the_last() -> None:
    at = open_page("stack", **state_of(PAIRS), enc=6, dec=6)
    go_to(at, 68)  # 3 + 6 × 4 + 1 + 3 + 6 × 6 + 2 stops
    assert "**Output: probabilities**" in texts(at)
    at.slider(key="enc").set_value(1)
    at.slider(key="dec").set_value(1).run()
    assert at.selectbox(key="stop").value == 18
    assert "**Output: probabilities**" in texts(at)
    assert button(at, "Next").disabled


@pytest.mark.parametrize(
    ("title", "kind", "layer"),
    [
        ("encoder 2: self-attention", "encoder", 2),
        ("decoder 1: masked self-attention", "decoder", 1),
        ("decoder 2: cross-attention", "cross", 2),
    ],
)
def test_an_attention_can_be_seen_step_by_step(title: str, kind: str, layer: int) -> None:
    titles = [stop.title for stop in stops_of({}, 0)]
    at = open_page("stack", **state_of(PAIRS))
    go_to(at, titles.index(title))
    press(at, "This attention, step by step")
    assert "step_picture" in pictures(at)
    assert at.segmented_control(key="attention").value == kind
    assert at.selectbox(key="layer").value == layer
