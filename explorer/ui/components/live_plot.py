"""A plotly chart that stays on screen while its numbers change."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import plotly
import plotly.graph_objects as go
import streamlit as st

from explorer.export.tables import picture_rows
from explorer.ui import internals
from explorer.ui.components.component import as_json, component
from explorer.ui.components.noted import note

# Serves plotly.js from the installed package, as a plain file.
_FOLDER: Final = internals.serve("plotly_js", Path(plotly.__file__).parent / "package_data")
_PLOTLY_URL: Final = f"{_FOLDER}plotly.min.js?v={plotly.__version__}"

_component = component(
    "live_plot",
    f'<figure class="live-plot" data-plotly="{_PLOTLY_URL}"><div class="scroll">'
    '<div class="plot" role="group"></div>'
    '<div class="cells" role="application" tabindex="0" hidden><div class="ring"></div></div></div>'
    '<p class="spoken" aria-live="polite"></p><figcaption></figcaption></figure>',
)
CAPTION: Final = 28  # pixels of one line


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

    `alt` describes the picture in words and numbers; `caption` is shown below it. Both are plain
    text.
    `on_pick` is called before the next run with the clicked cell and the name of its trace:
    {"x", "y", "name"}.
    """
    # (The figure's own to_json would write every "/" of its base64 as six characters.)
    data = as_json(
        {
            "spec": figure.to_dict(),
            "alt": alt,
            "caption": caption,
            "minWidth": figure.layout.meta["min_width"],
            "fileName": file_name,
            "pickable": on_pick is not None,
        }
    )

    def picked() -> None:
        if on_pick is not None:
            on_pick(st.session_state[key].picked)

    # Until the picture is there, its place is kept. (Its style then lets the height follow it.)
    room = int(figure.layout.height) + bool(caption) * CAPTION
    _component(key=key, data=data, on_picked_change=picked, height=room)
    note(key, file_name, lambda: picture_rows(figure.to_dict()))
