"""A thumbnail of every head of every attention, and one layer as lines between its tokens."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer.analysis.attention import ATTENTION_NAMES
from explorer.figures.theme import Theme
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.ui.components.component import as_json, component
from explorer.ui.components.heads_bytes import Stack, heads_bytes
from explorer.ui.components.noted import note

_component = component(
    "heads",
    '<div class="heads"><div class="model-view"></div>'
    '<p class="cell-in-words" aria-live="polite"></p><div class="head-view"><h3></h3>'
    '<span class="head-toggles" role="group"></span>'
    '<div class="scroll"><div class="columns"><div class="tokens queries"></div>'
    '<div><canvas class="lines" aria-hidden="true"></canvas></div>'
    '<div class="tokens keys"></div></div></div></div></div>',
)
_focus = component("heads_focus", '<span class="heads-focus" hidden></span>')


def heads_view(
    stacks: Mapping[str, Stack],
    focus: tuple[str, int, int],
    theme: Theme,
    *,
    own_range: bool,
    on_pick: Callable[[AttentionKind, int, int], None],
) -> None:
    """Draw the stacks, named by kind of attention.

    A weight of 1 gets the strongest colour; with `own_range`, the largest weight of a stack does.

    `focus` is the kind, layer and head in the line view; `on_pick` is called with the kind, layer
    and head of a clicked thumbnail.
    """

    def picked() -> None:
        place: dict[str, Any] = st.session_state.heads_view.picked
        on_pick(place["kind"], int(place["layer"]), int(place["head"]))

    _focus(
        key="heads_focus",
        data=as_json(dict(zip(("kind", "layer", "head"), focus, strict=True))),
    )
    _component(
        key="heads_view",
        data=heads_bytes(stacks, theme, own_range=own_range),
        on_picked_change=picked,
    )
    note("heads_view", "all-heads", lambda: _rows(stacks))


def _rows(stacks: Mapping[str, Stack]) -> list[list[object]]:
    """A row for each query of each head, a block for each attention."""
    rows: list[list[object]] = []
    for kind, stack in stacks.items():
        corner = tr("{attention}: query", attention=tr(ATTENTION_NAMES[kind]))
        rows.append([corner, tr("layer"), tr("head"), *stack.key_labels])
        for layer, heads in enumerate(stack.weights, start=1):
            for head, weights in enumerate(heads, start=1):
                rows += [
                    [query, layer, head, *line]
                    for query, line in zip(stack.query_labels, weights.tolist(), strict=True)
                ]
    return rows
