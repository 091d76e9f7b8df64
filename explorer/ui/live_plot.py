"""A plotly chart that stays on screen while its numbers change."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import plotly
import plotly.graph_objects as go
import streamlit as st
from streamlit.components.v1 import declare_component

ASSETS: Final = Path(__file__).parents[2] / "assets"

# Serves plotly.js from the installed package, as a plain file that the browser caches.
declare_component("plotly_js", path=Path(plotly.__file__).parent / "package_data")
_PLOTLY_URL: Final = f"component/{__name__}.plotly_js/plotly.min.js?v={plotly.__version__}"

_component = st.components.v2.component(
    "live_plot",
    html='<figure class="live-plot"><div class="scroll"><div class="plot" role="img"></div></div>'
    "<figcaption></figcaption></figure>",
    css=(ASSETS / "live_plot.css").read_text(),
    js=(ASSETS / "live_plot.js").read_text().replace("__PLOTLY_URL__", _PLOTLY_URL),
    isolate_styles=False,
)


def as_json(data: object) -> bytes:
    """What a component is given, ready to send.

    (Streamlit would import pandas to look for data frames in a dict: 80 MB in every process.)
    """
    return json.dumps(data).encode()


def live_plot(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    caption: str = "",
    file_name: str = "transformer",
    on_pick: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Draw `figure`, or redraw it in place.

    `alt` says what the picture shows, in words and numbers; `caption` stands below it. Both are
    shown as plain text.
    `on_pick` is called before the next run with what was clicked: {"x", "y", "name"}, the cell
    and the name of its trace.
    """
    rest = as_json(
        {
            "alt": alt,
            "caption": caption,
            "minWidth": figure.layout.meta["min_width"],
            "fileName": file_name,
            "pickable": on_pick is not None,
        }
    )
    # Put together by hand around plotly's own JSON, which is long and needs no second pass.
    data = b'{"spec":' + figure.to_json(validate=False).encode() + b"," + rest[1:]

    def picked() -> None:
        if on_pick is not None:
            on_pick(st.session_state[key].picked)

    _component(key=key, data=data, on_picked_change=picked)
