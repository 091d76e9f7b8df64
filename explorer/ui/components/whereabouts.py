"""A small map of the model beside a page's question: the part that the page is about."""

from collections.abc import Iterator
from html import escape
from typing import Final, Literal

import streamlit as st

from explorer.config import ModelConfig
from explorer.languages import mark, tr
from explorer.names import ATTENTION_KINDS

Part = Literal["tokens", "positions", "encoder", "decoder", "cross", "layers", "output"]
NAMES: Final[dict[Part, str]] = {
    "tokens": mark("Tokens"),
    "positions": mark("Positions"),
    "encoder": mark("Self-attention"),
    "decoder": mark("Masked self-attention"),
    "cross": mark("Cross-attention"),
    "layers": mark("All layers"),
    "output": mark("Output"),
}
_IN_LAYERS: Final = (*ATTENTION_KINDS, "feed_forward")


def show_whereabouts(config: ModelConfig, part: Part) -> None:
    """Draw the map with a part filled."""
    name = tr(NAMES[part])
    # Translators: what a small map of the model shows
    label = escape(tr("Where in the model: {part}", part=name))
    lanes = "".join(_lane(names, part) for names in _lanes(config))
    # Streamlit lets no SVG into HTML.
    st.html(
        f'<div class="whereabouts"><div role="img" aria-label="{label}">{lanes}</div>'
        f'<span aria-hidden="true">{escape(name)}</span></div>'
    )


def _lanes(config: ModelConfig) -> Iterator[list[str]]:
    """The blocks of the encoder, and of the decoder; where one is empty, a line goes on."""
    encoder = ["tokens", "positions", "encoder", "feed_forward"]
    decoder = ["tokens", "positions", "decoder", "feed_forward", "output"]
    if config.has_encoder and config.has_decoder:
        decoder[3:3] = ["", "cross"]
        encoder.append("memory")
    elif config.has_encoder and config.n_logits:
        encoder.append("output")
    if config.has_encoder:
        yield encoder
    if config.has_decoder:
        yield decoder


def _lane(names: list[str], part: Part) -> str:
    blocks = ""
    for name in names:
        is_here = name == part or (part == "layers" and name in _IN_LAYERS)
        blocks += f'<i class="{name}{" here" * is_here}"></i>'
    return f"<div>{blocks}</div>"
