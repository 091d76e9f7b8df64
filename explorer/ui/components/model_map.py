"""A map of the current model's architecture, with the real shapes for the typed sentences.

Each block holds a small picture of what it has computed for them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_args

import streamlit as st
from torch import Tensor

from explorer.analysis.stops import stops
from explorer.attention import AttentionTrace
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.figures.labels import elide
from explorer.figures.theme import DARK, LIGHT, Theme
from explorer.languages import mark, tr
from explorer.layers import (
    DecoderLayerTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    ResidualTrace,
)
from explorer.names import AttentionKind, Side
from explorer.transformer import Transformer, TransformerTrace
from explorer.ui.components.block_pictures import heads, numbers, ways
from explorer.ui.components.component import as_json, component

_component = component(
    "model_map",
    '<div class="map"><p class="says" aria-live="polite"></p></div>',
)
Block = dict[str, Any]
WORDS: Final = 10  # shown of a sentence
KINDS: Final = get_args(AttentionKind)
_ATTENDS: Final[dict[AttentionKind, str]] = {
    "encoder": mark(
        "Every source word looks at every source word. One small picture for each head."
    ),
    "decoder": mark(
        "Every target word looks at itself and at the words before it; later ones are masked."
    ),
    "cross": mark("Every target word looks at the source: this is where the two meet."),
}
_ATTENTIONS: Final[dict[AttentionKind, str]] = {
    "encoder": mark("Self-attention"),
    "decoder": mark("Masked self-attention"),
    "cross": mark("Cross-attention"),
}


def model_map(
    model: Transformer,
    trace: TransformerTrace,
    n_sentences: int,
    words: Mapping[Side, Sequence[str]],
    theme: Theme,
    *,
    layers: Mapping[Side, int],
    on_open: Callable[[str], None],
) -> None:
    """Draw the map. `on_open` is called with the name of the clicked block's page.

    `trace` is of one sentence pair. For the whole batch, only the first dimension differs; it is
    shown as `n_sentences`. Of each stack, the layer in `layers` is drawn, counted from 0.
    """

    def opened() -> None:
        on_open(st.session_state.model_map.opened)

    hues = {kind: f"light-dark({LIGHT.hue(kind)}, {DARK.hue(kind)})" for kind in KINDS}
    data = as_json(
        {
            "lanes": lanes(model, trace, n_sentences, words, layers),
            "hues": hues,
            "scales": {
                "signed": theme.signed,
                "amounts": theme.amounts,
                **{kind: theme.weights(kind) for kind in KINDS},
            },
            "hatch": theme.hatch,
            "texts": {
                "hint": tr("Point at a block to read what it does; click it to look inside."),
                # Translators: the name of a block of the map, and what it does.
                "told": tr("{block}: {does}"),
            },
        }
    )
    _component(key="model_map", data=data, on_opened_change=opened)


def lanes(
    model: Transformer,
    trace: TransformerTrace,
    n_sentences: int,
    words: Mapping[Side, Sequence[str]],
    layers: Mapping[Side, int],
) -> list[Block]:
    """The map's lanes, one for each stack, with the output shape of every block."""
    drawn = _Lanes(model, trace, n_sentences)
    found = []
    if model.config.has_encoder:
        found.append(drawn.encoder(words["src"], layers["src"]))
    if model.config.has_decoder:
        found.append(drawn.decoder(words["tgt"], layers["tgt"]))
    return found


class _Lanes:
    """The blocks of one run's lanes."""

    def __init__(self, model: Transformer, trace: TransformerTrace, n_sentences: int) -> None:
        self._config = model.config
        self._trace = trace
        self._n_sentences = n_sentences
        way = enumerate(stops(model, trace))
        self._pages = {(stop.part, stop.name, stop.sublayer): f"stack {n}" for n, stop in way}

    def encoder(self, words: Sequence[str], at: int) -> Block:
        """The encoder's lane, with the blocks of one layer."""
        config, trace = self._config, self._trace
        part, layer = f"encoder {at + 1}", trace.encoder[at]
        blocks = self._attention(
            part, "self-attention", "encoder", layer.attention, layer.attention_residual
        )
        parts = [
            _ids("src", words, self._n_sentences),
            _embedding(config, trace.src_embedding, self._n_sentences),
            {
                "times": _times(len(trace.encoder), at),
                "blocks": blocks + self._feed_forward(part, layer),
            },
            self._memory(),
        ]
        lane: Block = {"title": tr("Encoder"), "kind": "encoder", "parts": parts}
        if config.has_decoder:
            lane["bridge"] = tr(
                "▼ keys and values of every cross-attention come from memory, "
                "queries from the decoder ▼"
            )
        else:
            parts += self._output()
        return lane

    def decoder(self, words: Sequence[str], at: int) -> Block:
        """The decoder's lane, with the blocks of one layer."""
        trace = self._trace
        part, layer = f"decoder {at + 1}", trace.decoder[at]
        blocks = self._attention(
            part, "masked self-attention", "decoder", layer.attention, layer.attention_residual
        )
        if layer.cross is not None and layer.cross_residual is not None:
            blocks += self._attention(
                part, "cross-attention", "cross", layer.cross, layer.cross_residual
            )
        parts = [
            _ids("tgt_in", words, self._n_sentences),
            _embedding(self._config, trace.tgt_embedding, self._n_sentences),
            {
                "times": _times(len(trace.decoder), at),
                "blocks": blocks + self._feed_forward(part, layer),
            },
            *self._output(),
        ]
        return {"title": tr("Decoder"), "kind": "decoder", "parts": parts}

    def _attention(
        self,
        part: str,
        name: str,
        kind: AttentionKind,
        attention: AttentionTrace,
        residual: ResidualTrace,
    ) -> list[Block]:
        block = {
            "name": tr(_ATTENTIONS[kind]),
            "inside": tr("weights {shape}", shape=self._shape(attention.weights)),
            "shape": self._shape(attention.out),
            "kind": kind,
            "pictures": [heads(attention, kind)],
            "does": tr(_ATTENDS[kind]),
        }
        return self._sublayer(part, name, block, residual, page=kind)

    def _feed_forward(self, part: str, layer: EncoderLayerTrace | DecoderLayerTrace) -> list[Block]:
        trace = layer.feed_forward
        block = {
            "name": tr("Feed-forward"),
            "inside": tr("hidden {shape}", shape=self._shape(trace.hidden)),
            "shape": self._shape(trace.out),
            "pictures": [numbers(trace.hidden[0])],
            "does": tr("Works on each word by itself: a hidden layer, then back to d_model."),
        }
        page = self._pages[part, "feed-forward", ""]
        return self._sublayer(part, "feed-forward", block, layer.feed_forward_residual, page)

    def _sublayer(
        self, part: str, name: str, block: Block, residual: ResidualTrace, page: str
    ) -> list[Block]:
        """A sub-layer and its Add & Norm; a pre-norm one has its norm inside."""
        norm_first = self._config.norm_first
        block["page"] = page
        if norm_first:
            block["name"] = tr("Norm, {block}", block=block["name"])
        added = {
            # Translators: blocks of the map: the residual sum, with or without the norm after it.
            "name": tr("Add") if norm_first else tr("Add & Norm"),
            "shape": self._shape(residual.out),
            "slim": True,
            "page": self._pages[part, "add" if norm_first else "add & norm", name],
            "pictures": [numbers(residual.out[0])],
            "does": tr("Adds what the sub-layer found to what was there.")
            if norm_first
            else tr(
                "Adds what the sub-layer found to what was there, then evens out the size of the "
                "numbers."
            ),
        }
        return [block, added]

    def _memory(self) -> Block:
        config, memory = self._config, self._trace.memory
        block = {
            "name": tr("Memory") if config.has_decoder else tr("Output"),
            "shape": self._shape(memory),
            "kind": "cross" if config.has_decoder else "encoder",
            "page": self._pages["memory", "memory", ""],
            "pictures": [numbers(memory[0])],
            "does": tr(
                "What the encoder has made of every source word; it stays the same while the "
                "decoder writes."
            )
            if config.has_decoder
            else tr("What the model has made of every word."),
        }
        if config.ends_with_norm:
            block["note"] = tr("after a final Norm")
        return block

    def _output(self) -> list[Block]:
        """What comes after the last layer, if the model predicts anything."""
        if not self._config.n_logits:
            return []
        trace = self._trace
        logits = trace.logits[0]
        likely = logits.topk(min(24, logits.shape[1]), dim=-1).values
        shares = (likely - logits.logsumexp(dim=-1, keepdim=True)).exp()
        blocks: list[Block] = [
            {
                "name": tr("Linear"),
                "note": tr("logits"),
                "shape": self._shape(trace.logits),
                "page": self._pages["output", "logits", ""],
                "pictures": [numbers(likely)],
                "does": tr(
                    "Gives every word of the vocabulary a score. Drawn: the largest at each "
                    "position."
                ),
            },
            {
                "name": tr("Softmax"),
                "note": tr("one prediction per position"),
                "shape": self._shape(trace.logits),
                "page": self._pages["output", "probabilities", ""],
                "pictures": [ways(shares)],
                "does": tr(
                    "Turns the scores into probabilities. Drawn: the largest at each position."
                ),
            },
        ]
        return blocks if trace.head is None else [self._head(trace.head), *blocks]

    def _head(self, head: Tensor) -> Block:
        return {
            "name": tr("Dense, norm"),
            "shape": self._shape(head),
            "page": self._pages["output", "output head", ""],
            "pictures": [numbers(head[0])],
            "does": tr("One more layer, made to guess words that were hidden."),
        }

    def _shape(self, tensor: Tensor) -> str:
        return f"({', '.join(map(str, (self._n_sentences, *tensor.shape[1:])))})"


def _times(layers: int, shown: int) -> str:
    if layers == 1:
        return f"{layers} ×"
    return tr("{layers} × (shown: layer {shown})", layers=layers, shown=shown + 1)


def _ids(name: str, words: Sequence[str], n_sentences: int) -> Block:
    first = [elide(word, 12) for word in words[:WORDS]]
    return {
        "name": name,
        "words": first + ["…"] * (len(words) > WORDS),
        "shape": f"({n_sentences}, {len(words)})",
        "page": "tokens",
        "does": tr("The sentence as numbers: each word has an id."),
    }


def _embedding(config: ModelConfig, found: EmbeddingTrace, n_sentences: int) -> Block:
    adds = config.positions in ADDED_POSITIONS
    name = tr("Embedding + position") if adds else tr("Embedding")
    if config.norm_embedding:
        name = tr("{block}, norm", block=name)
    does = tr("Each id picks its row of a table of numbers.")
    if adds and config.positions == "learned":
        learnt = tr("To tell where the word stands, its position adds what was learnt for it.")
        does = f"{does} {learnt}"
    elif adds:
        waves = tr("To tell where the word stands, its position adds waves.")
        does = f"{does} {waves}"
    tokens, width = found.out.shape[1:]
    return {
        "name": name,
        "shape": f"({n_sentences}, {tokens}, {width})",
        "page": "positions",
        "pictures": [numbers(found.embedded[0])]
        + ([numbers(found.position)] if adds and found.position is not None else []),
        "does": does,
    }
