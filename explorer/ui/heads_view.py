"""All heads of one attention: a thumbnail each, and one layer as lines between its tokens."""

import json
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import streamlit as st
from jaxtyping import Float

from explorer.figures.labels import elide
from explorer.figures.positional import LINES
from explorer.figures.theme import Theme, evenly
from explorer.ui.live_plot import ASSETS

_component = st.components.v2.component(
    "heads_view",
    html='<div class="heads"><div class="model-view" role="group"></div>'
    '<div class="head-view"><h3></h3><span class="head-toggles" role="group" aria-label="heads">'
    '</span><div class="scroll"><div class="columns"><div class="tokens queries"></div>'
    '<div class="middle"><canvas class="lines" aria-hidden="true"></canvas></div>'
    '<div class="tokens keys"></div></div></div></div></div>',
    css=(ASSETS / "heads.css").read_text(),
    js=(ASSETS / "heads.js").read_text(),
    isolate_styles=False,
)
HUES: Final = (*LINES, "#8C6D31", "#7A7A7A")


def heads_view(
    weights: Sequence[Float[np.ndarray, "heads query key"]],
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    layer: int,
    head: int,
    theme: Theme,
    *,
    top: float,
    alt: str,
    on_pick: Callable[[int, int], None],
) -> None:
    """Draw one array of weights a layer; weights of `top` get the strongest colour.

    `on_pick` is called with the layer and head whose thumbnail was clicked.
    """
    about = {
        "layers": len(weights),
        "heads": len(weights[0]),
        "queries": _labels(query_labels),
        "keys": _labels(key_labels),
        "layer": layer,
        "head": head,
        "top": top,
        "alt": alt,
        "colors": [_rgb(theme.masked), *evenly(theme.weights, 255)],
        "hues": HUES,
    }
    header = json.dumps(about).encode()
    data = len(header).to_bytes(4, "little") + header + as_bytes(np.stack(weights), top).tobytes()

    def picked() -> None:
        place = st.session_state.heads_view.picked
        on_pick(int(place["layer"]), int(place["head"]))

    _component(key="heads_view", data=data, on_picked_change=picked)


def as_bytes(weights: np.ndarray, top: float) -> np.ndarray:
    """Weights in 255 steps up to `top`; only a weight of exactly 0 is 0."""
    shares = np.minimum(weights / top, 1.0)
    steps: np.ndarray = np.where(weights > 0, np.rint(1 + 254 * shares), 0).astype(np.uint8)
    return steps


def _labels(tokens: Sequence[str]) -> list[str]:
    return [elide(token, 14) for token in tokens]


def _rgb(color: str) -> list[int]:
    return [int(color[n : n + 2], 16) for n in (1, 3, 5)]
