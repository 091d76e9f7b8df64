"""The page of the stack: its links from stop to stop, and to the steps of an attention."""

import pytest

from tests.app.driving import button, open_page, pictures, press, state_of, texts
from tests.app.stops import go_to
from tests.app.untrained import PAIRS, stops_of


def test_back_and_next_end_at_the_ends() -> None:
    last = 18
    at = open_page("stack", **state_of(PAIRS), stack_shows="stop", enc=1, dec=1)
    assert at.selectbox(key="stop").value == 0
    assert button(at, "Back").disabled
    assert not button(at, "Next").disabled
    for wanted in range(1, last + 1):
        press(at, "Next")
        assert at.selectbox(key="stop").value == wanted
        assert not button(at, "Back").disabled
    assert button(at, "Next").disabled
    assert "**Output: probabilities**" in texts(at)
    press(at, "Back")
    assert at.selectbox(key="stop").value == last - 1
    at.selectbox(key="stop").select(f"7 · {at.selectbox(key='stop').options[7][4:]}").run()
    press(at, "Next")
    assert at.selectbox(key="stop").value == 8


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
