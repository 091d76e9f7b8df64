"""The tour: its stops in order, and where to begin."""

import streamlit as st

from explorer.languages import tr
from explorer.ui.components.tour_stops import tour_stops
from explorer.ui.frame import show
from explorer.ui.page import heading
from explorer.ui.registry import PAGES, open_page
from explorer.ui.settings import Settings
from explorer.ui.tour.drawings import drawing
from explorer.ui.tour.panel import (
    FINISHED,
    LEFT_AT,
    open_stop,
    request_tour_stop,
    requested_tour_stop,
)
from explorer.ui.tour.stops import TOUR_STOPS


def show_page(settings: Settings) -> None:
    """The whole page."""
    if (chosen := requested_tour_stop()) is not None:
        open_stop(settings, chosen)
    heading(
        tr("From words to a translation, in twelve stops"),
        tr(
            "The tour takes about twenty minutes. It uses your own sentence: change it whenever "
            "you like. Each stop has one question, one picture and something to try."
        ),
    )
    finished = bool(st.session_state.get(FINISHED))
    if finished:
        st.success(
            tr("You have been to all the stops. The answers stand below. And now?"),
            icon=":material/flag:",
        )
    left = st.session_state.get(LEFT_AT)
    with st.container(horizontal=True):
        if finished:
            if st.button(tr("Predict: ten questions about your sentence"), icon=":material/quiz:"):
                open_page("practice")
            if st.button(tr("Lab: change one thing"), icon=":material/science:"):
                open_page("lab")
        if left and st.button(
            tr("Go on at stop {stop}", stop=left), icon=":material/play_arrow:", type="primary"
        ):
            open_stop(settings, left)
        if st.button(
            tr("Start from the beginning") if left or finished else tr("Start the tour"),
            icon=":material/flag:",
            type="secondary" if left or finished else "primary",
        ):
            open_stop(settings, 1)
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
        on_pick=request_tour_stop,
    )


show(show_page)
