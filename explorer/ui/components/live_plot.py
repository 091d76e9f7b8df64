"""A picture that stays on screen while its numbers change."""

import re
from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.analysis.attention import KIND_NAMES
from explorer.export.tables import picture_rows
from explorer.figures.drawing import Drawing
from explorer.languages import mark, tr
from explorer.render.hover import hover
from explorer.render.svg import svg
from explorer.ui.components.component import as_json, component
from explorer.ui.components.noted import Shown, note

_component = component(
    "live_plot",
    '<figure class="live-plot"><div class="scroll" tabindex="0">'
    '<div class="plot" role="group"></div>'
    '<div class="cells" role="application" tabindex="0" hidden><div class="ring"></div></div></div>'
    '<p class="spoken" aria-live="polite"></p><figcaption></figcaption></figure>',
)
CAPTION: Final = 28  # pixels of one line
WIDTH: Final = 700  # pixels, until the script knows how many there are
_HEAD: Final = re.compile(r"(encoder|decoder|cross)-layer(\d+)-(?:head(\d+)|all-heads)")
_STEP: Final = re.compile(r"step-(\d+)(-what-if)?")
_TITLES: Final = {
    "additive-mask": mark("Additive mask"),
    "alignment": mark("Alignment"),
    "beam-search": mark("Beam search"),
    # Translators: the board on which a room sees everybody's answers.
    "board": mark("Board"),
    "comparison": mark("Comparison"),
    "cross-attention-mask": mark("Cross attention mask"),
    "decoding-cross": mark("Decoding cross"),
    "decoding-decoder": mark("Decoding decoder"),
    "embedding-of-man": mark("Embedding of man"),
    "head_weights": mark("Head weights"),
    "hidden": mark("Hidden"),
    "input-and-position": mark("Input and position"),
    "lab-a": mark("Lab a"),
    "lab-b": mark("Lab b"),
    "lab-difference": mark("Lab difference"),
    "layer-norm": mark("Layer norm"),
    "learning-head": mark("Learning head"),
    "learning-heads": mark("Learning heads"),
    "logit-lens": mark("Logit lens"),
    "mask": mark("Mask"),
    "mask-mistake": mark("Mask mistake"),
    "next-word": mark("Next word"),
    "positional-encoding": mark("Positional encoding"),
    "positional-similarity": mark("Positional similarity"),
    "positional-waves": mark("Positional waves"),
    "residual-stream": mark("Residual stream"),
    "room": mark("Room"),
    "scores-to-weights": mark("Scores to weights"),
    "shift": mark("Shift"),
    "source-batch": mark("Source batch"),
    "source-mask": mark("Source mask"),
    "src_ids": mark("Source ids"),
    "stop": mark("Stop on the way"),
    "target-mask": mark("Target mask"),
    "target-masks": mark("Target masks"),
    "tgt_in_ids": mark("Target ids, input"),
    "tgt_out_ids": mark("Target ids, output"),
    "training": mark("Training"),
    "what_if_weights": mark("What if weights"),
    "why-order-matters": mark("Why order matters"),
}


def live_plot(
    drawing: Drawing,
    *,
    key: str,
    alt: str,
    caption: str = "",
    file_name: str = "transformer",
    on_pick: Callable[[dict[str, Any]], None] | None = None,
) -> None:
    """Draw a picture, or redraw it in place.

    `alt` describes the picture in words and numbers; `caption` is shown below it. Both are plain
    text.
    `on_pick` is called before the next run with the clicked cell and the name of its trace:
    {"x", "y", "name"}.
    """
    shown = Shown(drawing=drawing, title=title_of(file_name), alt=alt, caption=caption)
    data = as_json(payload(shown, key, file_name) | {"pickable": on_pick is not None})

    def picked() -> None:
        if on_pick is not None:
            on_pick(st.session_state[key].picked)

    # Until the picture is there, its place is kept. (Its style then lets the height follow it.)
    room = int(drawing.layout["height"]) + bool(caption) * CAPTION
    _component(key=key, data=data, on_picked_change=picked, height=room)
    note(key, file_name, lambda: picture_rows(drawing.spec), shown)


def payload(shown: Shown, key: str, file_name: str) -> dict[str, Any]:
    """What the script needs of a picture."""
    layout = shown.drawing.layout
    least = int(layout["meta"]["min_width"])
    return {
        "svg": svg(shown.drawing, max(WIDTH, least)),
        "hover": hover(shown.drawing),
        "height": layout["height"],
        "minWidth": least,
        "kind": layout.get("uirevision"),
        "key": key,
        "fileName": file_name,
        "title": shown.title,
        "alt": shown.alt,
        "caption": shown.caption,
    }


def title_of(file_name: str) -> str:
    """What the file of a picture is called where it is offered."""
    if found := _HEAD.fullmatch(file_name):
        kind, layer, head = found.groups()
        attention = tr(KIND_NAMES[kind])
        if head is None:
            return tr("{attention} layer {layer} all heads", attention=attention, layer=layer)
        return tr(
            "{attention} layer {layer} head {head}", attention=attention, layer=layer, head=head
        )
    if found := _STEP.fullmatch(file_name):
        step, what_if = found.groups()
        return tr("Step {step} what if", step=step) if what_if else tr("Step {step}", step=step)
    title = _TITLES.get(file_name)
    return file_name.replace("-", " ").capitalize() if title is None else tr(title)
