"""A picture in a large window, as a chart of plotly's: it is zoomed into, and saved from there."""

from typing import Final

import streamlit as st

from explorer.ui.components.component import theme_here
from explorer.ui.frame.session import memory, once
from explorer.views.picture import Picture

_ENLARGED: Final = "enlarged"
_HEIGHT: Final = 600  # pixels at least
_BAR: Final = 32  # pixels for the bar of buttons


def enlarge(key: str) -> None:
    """Enlarge the picture with this key in the run that follows."""
    memory()[_ENLARGED] = key


def note_enlarged(picture: Picture) -> None:
    """Keep a picture of the page if it is to be enlarged."""
    if memory().get(_ENLARGED) == picture.key:
        memory()[_ENLARGED] = picture


def show_enlarged() -> None:
    """Show the picture that somebody has enlarged, once. Call it outside of all other elements."""
    picture = once(_ENLARGED)
    if isinstance(picture, Picture):
        st.dialog(picture.title, width="large")(_show)(picture)


def _show(picture: Picture) -> None:
    from explorer.drawing.plotly import figure  # plotly is loaded when it is needed: 10 MB

    chart = figure(picture.drawing, theme_here())
    height, top = int(chart.layout.height), int(chart.layout.margin.t)
    chart.update_layout(height=max(_HEIGHT, height + _BAR), margin_t=top + _BAR, dragmode="zoom")
    st.plotly_chart(
        chart,
        theme=None,
        key="enlarged",
        alt=picture.alt,
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "scrollZoom": True,
            "toImageButtonOptions": {"filename": picture.name, "scale": 2},
        },
    )
