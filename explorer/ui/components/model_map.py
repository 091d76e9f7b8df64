"""A map of the current model's architecture, with the real shapes for the typed sentences."""

from collections.abc import Callable
from typing import Any, Final, get_args

import streamlit as st
from torch import Tensor

from explorer.attention import AttentionTrace
from explorer.figures.theme import DARK, LIGHT
from explorer.layers import FeedForwardTrace
from explorer.names import AttentionKind
from explorer.transformer import TransformerTrace
from explorer.ui.components.component import as_json, component

_component = component(
    "model_map",
    '<div class="map"></div>',
)
Block = dict[str, Any]
KINDS: Final = get_args(AttentionKind)
ADD_NORM: Final = "Add & Norm"


def model_map(
    trace: TransformerTrace,
    n_sentences: int,
    on_open: Callable[[str], None],
    *,
    norm_first: bool = False,
) -> None:
    """Draw the map. `on_open` is called with the name of the clicked block's page.

    `trace` is of one sentence pair. For the whole batch, only the first dimension differs; it is
    shown as `n_sentences`.
    """

    def opened() -> None:
        on_open(st.session_state.model_map.opened)

    hues = {kind: f"light-dark({LIGHT.hue(kind)}, {DARK.hue(kind)})" for kind in KINDS}
    data = as_json({"lanes": lanes(trace, n_sentences, norm_first=norm_first), "hues": hues})
    _component(key="model_map", data=data, on_opened_change=opened)


def lanes(trace: TransformerTrace, n_sentences: int, *, norm_first: bool = False) -> list[Block]:
    """Both lanes of the map, with the output shape of every block."""

    def shape(tensor: Tensor) -> str:
        return f"({', '.join(map(str, (n_sentences, *tensor.shape[1:])))})"

    encoder, decoder = trace.encoder[0], trace.decoder[0]
    # Indices in `explorer.analysis.stops.stops`: three per embedding, then two per sub-layer.
    memory = 3 + 4 * len(trace.encoder)
    target = memory + 1 + 3
    output = target + 6 * len(trace.decoder) + int(norm_first)
    src, tgt = trace.src_embedding, trace.tgt_embedding
    probabilities = {
        "name": "Softmax",
        "shape": shape(trace.logits),
        "note": "one prediction per position",
        "page": f"stack {output + 1}",
    }
    final_norm = {"note": "after a final Norm"} if norm_first else {}
    both: list[Block] = [
        {
            "title": "Encoder",
            "kind": "encoder",
            "parts": [
                _ids("src", src.embedded, n_sentences),
                _embedding(shape(src.out)),
                {
                    "times": f"{len(trace.encoder)} ×",
                    "blocks": [
                        _attention("Self-attention", encoder.attention, "encoder", shape),
                        _add_norm(encoder.attention_residual.out, shape, 4),
                        _feed_forward(encoder.feed_forward, shape, 5),
                        _add_norm(encoder.feed_forward_residual.out, shape, 6),
                    ],
                },
                {
                    "name": "Memory",
                    "shape": shape(trace.memory),
                    "kind": "cross",
                    "page": f"stack {memory}",
                    **final_norm,
                },
            ],
            "bridge": "▼ keys and values of every cross-attention come from memory, "
            "queries from the decoder ▼",
        },
        {
            "title": "Decoder",
            "kind": "decoder",
            "parts": [
                _ids("tgt_in", tgt.embedded, n_sentences),
                _embedding(shape(tgt.out)),
                {
                    "times": f"{len(trace.decoder)} ×",
                    "blocks": [
                        _attention("Masked self-attention", decoder.attention, "decoder", shape),
                        _add_norm(decoder.attention_residual.out, shape, target + 1),
                        _attention("Cross-attention", decoder.cross, "cross", shape),
                        _add_norm(decoder.cross_residual.out, shape, target + 3),
                        _feed_forward(decoder.feed_forward, shape, target + 4),
                        _add_norm(decoder.feed_forward_residual.out, shape, target + 5),
                    ],
                },
                {
                    "name": "Linear",
                    "shape": shape(trace.logits),
                    "note": "logits",
                    "page": f"stack {output}",
                },
                probabilities,
            ],
        },
    ]
    if norm_first:
        _move_norms(
            [block for lane in both for part in lane["parts"] for block in part.get("blocks", [])]
        )
    return both


def _move_norms(blocks: list[Block]) -> None:
    """A pre-norm layer computes x + Sublayer(Norm(x)): the norm goes into the sub-layer's block."""
    for block in blocks:
        if block["name"] == ADD_NORM:
            block["name"] = "Add"
        else:
            block["name"] = f"Norm, {block['name']}"


def _ids(name: str, embedded: Tensor, n_sentences: int) -> Block:
    return {"name": name, "shape": f"({n_sentences}, {embedded.shape[1]})", "page": "tokens"}


def _embedding(shape: str) -> Block:
    return {"name": "Embedding + position", "shape": shape, "page": "positions"}


def _attention(
    name: str, trace: AttentionTrace, kind: str, shape: Callable[[Tensor], str]
) -> Block:
    return {
        "name": name,
        "inside": f"weights {shape(trace.weights)}",
        "shape": shape(trace.out),
        "kind": kind,
        "page": kind,
    }


def _feed_forward(trace: FeedForwardTrace, shape: Callable[[Tensor], str], stop: int) -> Block:
    return {
        "name": "Feed-forward",
        "inside": f"hidden {shape(trace.hidden)}",
        "shape": shape(trace.out),
        "page": f"stack {stop}",
    }


def _add_norm(out: Tensor, shape: Callable[[Tensor], str], stop: int) -> Block:
    return {"name": ADD_NORM, "shape": shape(out), "slim": True, "page": f"stack {stop}"}
