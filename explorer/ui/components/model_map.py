"""A map of the current model's architecture, with the real shapes for the typed sentences."""

from collections.abc import Callable
from typing import Any, Final, get_args

import streamlit as st
from torch import Tensor

from explorer.analysis.stops import stops
from explorer.attention import AttentionTrace
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.figures.theme import DARK, LIGHT
from explorer.layers import DecoderLayerTrace, EncoderLayerTrace, ResidualTrace
from explorer.names import AttentionKind
from explorer.transformer import Transformer, TransformerTrace
from explorer.ui.components.component import as_json, component

_component = component(
    "model_map",
    '<div class="map"></div>',
)
Block = dict[str, Any]
KINDS: Final = get_args(AttentionKind)


def model_map(
    model: Transformer, trace: TransformerTrace, n_sentences: int, on_open: Callable[[str], None]
) -> None:
    """Draw the map. `on_open` is called with the name of the clicked block's page.

    `trace` is of one sentence pair. For the whole batch, only the first dimension differs; it is
    shown as `n_sentences`.
    """

    def opened() -> None:
        on_open(st.session_state.model_map.opened)

    hues = {kind: f"light-dark({LIGHT.hue(kind)}, {DARK.hue(kind)})" for kind in KINDS}
    data = as_json({"lanes": lanes(model, trace, n_sentences), "hues": hues})
    _component(key="model_map", data=data, on_opened_change=opened)


def lanes(model: Transformer, trace: TransformerTrace, n_sentences: int) -> list[Block]:
    """The map's lanes, one for each stack, with the output shape of every block."""
    config = model.config
    way = enumerate(stops(model, trace))
    pages = {(stop.part, stop.name, stop.sublayer): f"stack {n}" for n, stop in way}

    def shape(tensor: Tensor) -> str:
        return f"({', '.join(map(str, (n_sentences, *tensor.shape[1:])))})"

    def sublayer(
        part: str, name: str, block: Block, residual: ResidualTrace, page: str | None = None
    ) -> list[Block]:
        """A sub-layer and its Add & Norm; a pre-norm one has its norm inside."""
        added = "add" if config.norm_first else "add & norm"
        block |= {"page": page or pages[part, name, ""]}
        if config.norm_first:
            block["name"] = f"Norm, {block['name']}"
        norm = "Add" if config.norm_first else "Add & Norm"
        shown = {"name": norm, "shape": shape(residual.out), "slim": True}
        return [block, {**shown, "page": pages[part, added, name]}]

    def fed_forward(part: str, layer: EncoderLayerTrace | DecoderLayerTrace) -> list[Block]:
        trace = layer.feed_forward
        block = {
            "name": "Feed-forward",
            "inside": f"hidden {shape(trace.hidden)}",
            "shape": shape(trace.out),
        }
        return sublayer(part, "feed-forward", block, layer.feed_forward_residual)

    def attended(
        part: str, name: str, kind: AttentionKind, attention: AttentionTrace, at: ResidualTrace
    ) -> list[Block]:
        block = {
            "name": name.capitalize(),
            "inside": f"weights {shape(attention.weights)}",
            "shape": shape(attention.out),
            "kind": kind,
        }
        return sublayer(part, name, block, at, page=kind)

    def ends() -> list[Block]:
        if not config.n_logits:
            return []
        head = []
        if trace.head is not None:
            page = pages["output", "head", ""]
            head = [{"name": "Dense, norm", "shape": shape(trace.head), "page": page}]
        note = "one prediction per position"
        names = (("Linear", "logits", "logits"), ("Softmax", "probabilities", note))
        return head + [
            {"name": name, "shape": shape(trace.logits), "note": note,
             "page": pages["output", stop, ""]}
            for name, stop, note in names
        ]  # fmt: skip

    found: list[Block] = []
    if config.has_encoder:
        part, layer = "encoder 1", trace.encoder[0]
        blocks = attended(
            part, "self-attention", "encoder", layer.attention, layer.attention_residual
        )
        memory = {
            "name": "Memory" if config.has_decoder else "Output",
            "shape": shape(trace.memory),
            "kind": "cross" if config.has_decoder else "encoder",
            "page": pages["memory", "memory", ""],
        }
        if config.ends_with_norm:
            memory["note"] = "after a final Norm"
        parts = [
            _ids("src", trace.src_embedding.embedded, n_sentences),
            _embedding(config, shape(trace.src_embedding.out)),
            {"times": f"{len(trace.encoder)} ×", "blocks": blocks + fed_forward(part, layer)},
            memory,
        ]
        lane = {"title": "Encoder", "kind": "encoder", "parts": parts}
        if config.has_decoder:
            lane["bridge"] = (
                "▼ keys and values of every cross-attention come from memory, "
                "queries from the decoder ▼"
            )
        else:
            parts += ends()
        found.append(lane)
    if config.has_decoder:
        part, crossed = "decoder 1", trace.decoder[0]
        blocks = attended(
            part, "masked self-attention", "decoder", crossed.attention, crossed.attention_residual
        )
        if crossed.cross is not None and crossed.cross_residual is not None:
            blocks += attended(
                part, "cross-attention", "cross", crossed.cross, crossed.cross_residual
            )
        times = f"{len(trace.decoder)} ×"
        parts = [
            _ids("tgt_in", trace.tgt_embedding.embedded, n_sentences),
            _embedding(config, shape(trace.tgt_embedding.out)),
            {"times": times, "blocks": blocks + fed_forward(part, crossed)},
            *ends(),
        ]
        found.append({"title": "Decoder", "kind": "decoder", "parts": parts})
    return found


def _ids(name: str, embedded: Tensor, n_sentences: int) -> Block:
    return {"name": name, "shape": f"({n_sentences}, {embedded.shape[1]})", "page": "tokens"}


def _embedding(config: ModelConfig, shape: str) -> Block:
    adds = config.positions in ADDED_POSITIONS
    name = "Embedding + position" if adds else "Embedding"
    if config.norm_embedding:
        name += ", norm"
    return {"name": name, "shape": shape, "page": "positions"}
