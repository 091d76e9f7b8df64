"""The tour: its stops in order, and where to begin."""

from functools import partial

import streamlit as st

from explorer.choices.pages import PAGES
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.tour.drawings import drawing
from explorer.tour.stops import TOUR_STOPS
from explorer.ui.components.tour_stops import tour_stops
from explorer.ui.controls.buttons import button, page_button
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading
from explorer.ui.frame.session import memory
from explorer.ui.tour.panel import FINISHED, LEFT_AT, open_stop


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("From words to a translation, in thirteen stops"),
        tr(
            "The tour takes about twenty minutes. It uses your own sentence: change it whenever "
            "you like (only stop 10 brings one along). Each stop has one question, one picture and "
            "something to try."
        ),
    )
    finished = bool(memory().get(FINISHED))
    if finished:
        st.success(
            tr("You have been to all the stops. The answers stand below. And now?"),
            icon=":material/flag:",
        )
    left = memory().get(LEFT_AT)
    with st.container(horizontal=True):
        if finished:
            label, icon = tr("Predict: ten questions about your sentence"), ":material/quiz:"
            page_button(label, "predict", icon=icon)
            page_button(tr("Lab: change one thing"), "lab", icon=":material/science:")
        if left:
            button(
                tr("Go on at stop {stop}", stop=left),
                icon=":material/play_arrow:",
                type="primary",
                on_click=open_stop,
                args=(settings, left),
            )
        button(
            tr("Start the tour"),
            icon=":material/flag:",
            type="secondary" if left or finished else "primary",
            on_click=open_stop,
            args=(settings, 1),
        )
    tour_stops(
        [
            {
                "drawing": drawing(stop.says.__name__),
                "question": tr(stop.question),
                "page": tr(PAGES[stop.page][1]),
                "answer": tr(stop.answer) if finished else "",
            }
            for stop in TOUR_STOPS
        ],
        on_pick=partial(open_stop, settings),
    )


show(show_page)
