"""The data that is sent for a picture: the same for all who see the same one."""

import json
from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.positional import similarity_heatmap
from explorer.ui.components import live_plot
from explorer.views.picture import Click, Picture


def picture(last: float) -> Picture:
    values = np.array([[0.25, -0.5], [1.0, last]])
    return Picture(
        key="one", name="one", title="One", drawing=similarity_heatmap(values), alt="Four"
    )


def test_a_picture_is_drawn_once_for_all_who_look_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = live_plot.payload(picture(0.75))
    assert json.loads(sent)["alt"] == "Four"

    def draw(*_: object, **__: object) -> str:
        pytest.fail("it was drawn again")

    monkeypatch.setattr(live_plot, "svg", draw)
    assert live_plot.payload(picture(0.75)) == sent


@pytest.mark.parametrize(
    "other",
    [
        picture(0.25),
        replace(picture(0.5), alt="Other words"),
        replace(picture(0.5), caption="A caption"),
        replace(picture(0.5), click=Click(row="query")),
    ],
    ids=["number", "words", "caption", "click"],
)
def test_every_difference_is_sent(other: Picture) -> None:
    assert live_plot.payload(other) != live_plot.payload(picture(0.5))
