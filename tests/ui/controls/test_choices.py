"""Choices of a session, made by clicks."""

from typing import Any

from explorer.choices.parameters import Frame, Look
from explorer.ui.controls.choices import choices, choose, choose_by_click, keys_shown_before
from explorer.ui.frame.session import draw_begins, draw_ends, session
from explorer.views.picture import Click


def test_a_click_reaches_every_head_of_the_weights_on_show(said: dict[str, Any]) -> None:
    choose(Frame.weights, "translator")
    choose(Look.attention, "encoder")
    choose_by_click(Click(row="layer", column="head"), {"y": 4, "x": 8})
    assert choices() == {"weights": "translator", "attention": "encoder", "layer": 4, "head": 8}
    choose_by_click(Click(row="layer", column="head"), {"y": 5, "x": 9})  # there is none
    assert (choices()["layer"], choices()["head"]) == (4, 8)


def test_back_restores_all_of_a_page_even_if_its_last_run_was_cut_short(
    said: dict[str, Any],
) -> None:
    here = session()
    draw_begins()
    here.on_show |= {"layer": 2, "head": 1}
    draw_ends()
    draw_begins()
    here.on_show |= {"layer": 2}  # and here it ends
    assert keys_shown_before() == {"layer", "head"}
    draw_begins()
    draw_ends()
    assert keys_shown_before() == set()
