"""A map of the current model's architecture, with the real shapes for the typed sentences.

Each block holds a small picture of what it has computed for them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from torch import Tensor

from explorer.analysis.attention import ATTENDS
from explorer.analysis.stops import stops
from explorer.attention import AttentionTrace
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.drawing.labels import elide
from explorer.drawing.theme import DARK, LIGHT
from explorer.languages import mark, sentences, tr
from explorer.layers import (
    DecoderLayerTrace,
    EmbeddingTrace,
    EncoderLayerTrace,
    ResidualTrace,
)
from explorer.names import AttentionKind, Side
from explorer.transformer import Transformer, TransformerTrace
from explorer.ui.components.block_pictures import Picture, heads, numbers, probabilities
from explorer.ui.components.component import component, theme_here
from explorer.ui.taking.noted import note
from explorer.views.home import map_picture

_component = component(
    "model_map",
    '<div class="map"><p class="says" aria-live="polite"></p></div>',
    together=True,
)
Block = dict[str, Any]
Stack = Literal["encoder", "decoder"]
WORDS: Final = 10  # shown of a sentence
KINDS: Final = get_args(AttentionKind)
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
    *,
    layers: Mapping[Side, int],
    on_open: Callable[[str], None],
) -> None:
    """Draw the map. `on_open` is called with the name of the clicked block's page.

    `trace` is of one sentence pair. For the whole batch, only the first dimension differs; it is
    shown as `n_sentences`. Of each stack, the layer in `layers` is drawn, counted from 0.
    """

    theme = theme_here()
    hues = {kind: f"light-dark({LIGHT.hue(kind)}, {DARK.hue(kind)})" for kind in KINDS}
    shown = lanes(model, trace, n_sentences, words, layers)
    note(lambda: map_picture(shown))
    data = {
        "lanes": shown,
        "hues": hues,
        "scales": {
            "signed": theme.signed,
            "amounts": theme.amounts,
            **{kind: theme.weights(kind) for kind in KINDS},
        },
        "texts": {
            "point": tr("Click a block to look inside. Gold is above 0, violet below."),
            # Translators: the name of a block of the map, and what it does.
            "told": tr("{block}: {does}"),
        },
    }
    _component(key="model_map", data=data, on={"opened": on_open})


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
        numbered = enumerate(stops(model, trace))
        self._pages = {(stop.part, stop.name, stop.sublayer): f"stack {n}" for n, stop in numbered}

    def encoder(self, words: Sequence[str], at: int) -> Block:
        """The encoder's lane, with the blocks of one layer."""
        parts = self._begin("src", words, self._trace.src_embedding, "encoder", at)
        parts.append(self._memory())
        lane: Block = {"title": tr("Encoder"), "kind": "encoder", "parts": parts}
        if self._config.has_decoder:
            lane["bridge"] = tr(
                "▼ keys and values of every cross-attention come from memory, "
                "queries from the decoder ▼"
            )
        else:
            parts += self._output()
        return lane

    def decoder(self, words: Sequence[str], at: int) -> Block:
        """The decoder's lane, with the blocks of one layer."""
        parts = self._begin("tgt_in", words, self._trace.tgt_embedding, "decoder", at)
        return {"title": tr("Decoder"), "kind": "decoder", "parts": parts + self._output()}

    def _begin(
        self, ids: str, words: Sequence[str], embedded: EmbeddingTrace, kind: Stack, at: int
    ) -> list[Block]:
        """The parts of a lane up to its layers."""
        layers = self._trace.encoder if kind == "encoder" else self._trace.decoder
        part, layer = f"{kind} {at + 1}", layers[at]
        blocks = self._attention(part, kind, layer.attention, layer.attention_residual)
        if isinstance(layer, DecoderLayerTrace) and layer.cross and layer.cross_residual:
            blocks += self._attention(part, "cross", layer.cross, layer.cross_residual)
        return [
            _ids(ids, words, self._n_sentences),
            _embedding(self._config, embedded, self._n_sentences),
            {
                "times": _times(len(layers), at),
                "blocks": blocks + self._feed_forward(part, layer),
            },
        ]

    def _attention(
        self, part: str, kind: AttentionKind, attention: AttentionTrace, residual: ResidualTrace
    ) -> list[Block]:
        name = _ATTENTIONS[kind]
        block = self._block(
            tr(name),
            attention.out,
            heads(attention, kind),
            tr(ATTENDS[kind]),
            inside=tr("weights {shape}", shape=self._shape(attention.weights)),
            kind=kind,
        )
        return self._sublayer(part, name.lower(), block, residual, page=kind)

    def _feed_forward(self, part: str, layer: EncoderLayerTrace | DecoderLayerTrace) -> list[Block]:
        name, trace = "feed-forward", layer.feed_forward
        block = self._block(
            tr("Feed-forward"),
            trace.out,
            numbers(trace.hidden[0]),
            tr("Works on each word by itself: a hidden layer, then back to d_model."),
            inside=tr("hidden {shape}", shape=self._shape(trace.hidden)),
        )
        page = self._pages[part, name, ""]
        return self._sublayer(part, name, block, layer.feed_forward_residual, page)

    def _sublayer(
        self, part: str, name: str, block: Block, residual: ResidualTrace, page: str
    ) -> list[Block]:
        """A sub-layer and its Add & Norm; a pre-norm one has its norm inside."""
        block["page"] = page
        norm_first = self._config.norm_first
        if norm_first:
            block["name"] = tr("Norm, {block}", block=block["name"])
        does = tr("Adds what the sub-layer found to what was there.")
        # Translators: blocks of the map: the residual sum, with or without the norm after it.
        added = tr("Add") if norm_first else tr("Add & Norm")
        page = self._pages[part, "add" if norm_first else "add & norm", name]
        picture = numbers(residual.out[0])
        return [block, self._block(added, residual.out, picture, does, slim=True, page=page)]

    def _memory(self) -> Block:
        config, memory = self._config, self._trace.memory
        if config.has_decoder:
            name, kind = tr("Memory"), "cross"
            does = tr(
                "What the encoder has made of every source word; it stays the same while the "
                "decoder writes."
            )
        else:
            name, kind = tr("Output"), "encoder"
            does = tr("What the model has made of every word.")
        page = self._pages["memory", "memory", ""]
        block = self._block(name, memory, numbers(memory[0]), does, kind=kind, page=page)
        if config.ends_with_norm:
            block["note"] = tr("after a final Norm")
        return block

    def _output(self) -> list[Block]:
        """The blocks after the last layer, if the model predicts anything."""
        if not self._config.n_logits:
            return []
        trace = self._trace
        logits = trace.logits[0]
        likely = logits.topk(min(24, logits.shape[1]), dim=-1).values
        shares = (likely - logits.logsumexp(dim=-1, keepdim=True)).exp()
        linear = self._block(
            tr("Linear"),
            trace.logits,
            numbers(likely),
            tr("Gives every word of the vocabulary a score. Drawn: the largest at each position."),
            note=tr("logits"),
            page=self._pages["output", "logits", ""],
        )
        softmax = self._block(
            tr("Softmax"),
            trace.logits,
            probabilities(shares),
            tr("Turns the scores into probabilities. Drawn: the largest at each position."),
            note=tr("one prediction per position"),
            page=self._pages["output", "probabilities", ""],
        )
        if trace.head is None:
            return [linear, softmax]
        does = tr("One more layer, made to guess words that were hidden.")
        page, picture = self._pages["output", "output head", ""], numbers(trace.head[0])
        head = self._block(tr("Dense, norm"), trace.head, picture, does, page=page)
        return [head, linear, softmax]

    def _block(
        self, name: str, out: Tensor, picture: Picture, does: str, **more: str | bool
    ) -> Block:
        """A block with the output `out`, and `more` about it."""
        shape, rest = self._shape(out), {"pictures": [picture], "does": does}
        block = {"name": name, "note": "", "inside": "", "shape": shape, "kind": "", "slim": False}
        return {key: part for key, part in (block | rest | more).items() if part}

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
    if adds:
        where = tr("To tell where the word stands, its position adds numbers of its own.")
        does = sentences(does, where)
    tokens, width = found.out.shape[1:]
    return {
        "name": name,
        "shape": f"({n_sentences}, {tokens}, {width})",
        "page": "positions",
        "pictures": [numbers(found.embedded[0])]
        + ([numbers(found.position_of(0))] if adds else []),
        "does": does,
    }
