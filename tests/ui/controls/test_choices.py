"""Choices of a session, made by clicks."""

from streamlit.testing.v1 import AppTest


def _click_on_the_last_head_of_the_translator() -> None:
    from explorer.ui.controls.choices import choices, choose, choose_by_click
    from explorer.ui.parameters import Frame, Look
    from explorer.views.picture import Click

    choose(Frame.weights, "translator")
    choose(Look.attention, "encoder")
    choose_by_click(Click(row="layer", column="head"), {"y": 4, "x": 8})
    assert {**choices()} == {"weights": "translator", "attention": "encoder", "layer": 4, "head": 8}
    choose_by_click(Click(row="layer", column="head"), {"y": 5, "x": 9})  # there is none
    assert (choices()["layer"], choices()["head"]) == (4, 8)


def test_a_click_reaches_every_head_of_the_weights_on_show() -> None:
    at = AppTest.from_function(_click_on_the_last_head_of_the_translator, default_timeout=60)
    assert not at.run().exception


def _name_the_weights_that_are_on_show() -> None:
    from explorer.ui.controls.choices import choose, keys_around
    from explorer.ui.parameters import Frame

    before = keys_around()
    choose(Frame.weights, "translator")  # as the address of a room does
    assert keys_around() == before
    choose(Frame.weights, "reverse")
    assert keys_around() != before


def test_usual_weights_that_are_named_change_nothing_around_the_page() -> None:
    """Or the first word of a teacher would draw the whole page anew, for each follower."""
    at = AppTest.from_function(_name_the_weights_that_are_on_show, default_timeout=60)
    assert not at.run().exception


def _hear_what_is_on_show_again() -> None:
    import streamlit as st

    from explorer.ui.controls.choices import choices, choose, domain_of
    from explorer.ui.controls.widgets import _store, _store_number
    from explorer.ui.parameters import Frame

    heard: list[str] = []
    choose(Frame.weights, "reverse")
    before = {**choices()}
    st.session_state.update({"weights": "reverse", "d_model": "64", "enc": 2})  # as these weights
    _store(Frame.weights, lambda: heard.append("weights"))
    _store_number(Frame.d_model, domain_of(Frame.d_model), 64, lambda: heard.append("d_model"))
    _store(Frame.enc, lambda: heard.append("enc"))
    assert (heard, {**choices()}) == ([], before)
    st.session_state.update({"weights": "copy", "d_model": "32", "enc": 3})
    _store(Frame.weights, lambda: heard.append("weights"))
    _store_number(Frame.d_model, domain_of(Frame.d_model), 64, lambda: heard.append("d_model"))
    _store(Frame.enc, lambda: heard.append("enc"))
    assert heard == ["weights", "d_model", "enc"]


def test_a_repeated_value_is_no_new_choice() -> None:
    """Streamlit takes it for one after the widget was folded away, and weights would be left."""
    at = AppTest.from_function(_hear_what_is_on_show_again, default_timeout=60)
    assert not at.run().exception


def _go_back_from_a_run_that_was_cut_short() -> None:
    from explorer.ui.controls.choices import (
        begin_page,
        keys_shown_before,
        on_show,
        page_is_drawn,
    )

    begin_page()
    on_show().update(layer=2, head=1)
    page_is_drawn()
    on_show().update(scale="own")  # by a part of it that is drawn again
    begin_page()
    on_show().update(layer=2)  # and here it ends
    assert keys_shown_before() == {"layer", "head", "scale"}
    begin_page()
    page_is_drawn()
    assert keys_shown_before() == set()


def test_back_restores_all_of_a_page_even_if_its_last_run_was_cut_short() -> None:
    at = AppTest.from_function(_go_back_from_a_run_that_was_cut_short, default_timeout=60)
    assert not at.run().exception
