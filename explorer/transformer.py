"""The encoder–decoder Transformer, and a trace of everything it computes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn

from explorer.attention import AttentionTrace, MultiHeadAttention
from explorer.config import ModelConfig, require_one_of, require_within
from explorer.initialisation import draw_weights
from explorer.intervention import NO_INTERVENTION, GivenAttention, Intervention
from explorer.layers import (
    ACTIVATIONS,
    DecoderLayer,
    DecoderLayerTrace,
    Embedding,
    EmbeddingTrace,
    EncoderLayer,
    EncoderLayerTrace,
    norm_of,
)
from explorer.linear import Linear
from explorer.masks import padding_mask, target_mask
from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.positional import RelativeBias, alibi

# The weights of positions, which a model of other positions does not have.
_OF_POSITIONS: Final = (
    "src_embedding.position.", "tgt_embedding.position.", "encoder_bias.", "decoder_bias.",
)  # fmt: skip


_MODULES: Final = {"encoder": "attention", "decoder": "attention", "cross": "cross"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderTrace:
    """Everything the encoder computed."""

    mask: Bool[Tensor, "batch 1 1 src"]
    embedding: EmbeddingTrace
    layers: tuple[EncoderLayerTrace, ...]
    memory: Float[Tensor, "batch src d_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderTrace:
    """Everything the decoder computed.

    The tokens seen are those of the target, after those whose keys and values it was given.
    """

    mask: Bool[Tensor, "batch 1 tgt seen"]
    embedding: EmbeddingTrace  # of all tokens that the decoder sees
    layers: tuple[DecoderLayerTrace, ...]
    out: Float[Tensor, "batch tgt d_model"]
    logits: Float[Tensor, "batch written tgt_vocab"]  # at every position, or at some


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerTrace:
    """Every intermediate result of one forward pass; the figures draw nothing else.

    An encoder alone has read a target of no tokens, a decoder alone a source of none: what belongs
    to them has a length of 0, and no layers.
    """

    src_mask: Bool[Tensor, "batch 1 1 src"]
    tgt_mask: Bool[Tensor, "batch 1 tgt tgt"]
    src_embedding: EmbeddingTrace
    tgt_embedding: EmbeddingTrace
    encoder: tuple[EncoderLayerTrace, ...]
    memory: Float[Tensor, "batch src d_model"]
    decoder: tuple[DecoderLayerTrace, ...]
    decoder_out: Float[Tensor, "batch tgt d_model"]
    head: Float[Tensor, "batch src d_model"] | None  # BERT's, between memory and logits
    logits: Float[Tensor, "batch written vocab"]  # of the target; of BERT's source

    def attention(self, kind: AttentionKind, layer: int) -> AttentionTrace:
        """The attention of one layer, counted from 0.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        found: AttentionTrace = getattr(_layer_with(self, kind, layer), _MODULES[kind])
        return found

    def attention_inputs(
        self, kind: AttentionKind, layer: int
    ) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch key d_model"]]:
        """The input of that attention's queries, and the input of its keys and values.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        residual = getattr(_layer_with(self, kind, layer), f"{_MODULES[kind]}_residual")
        x: Tensor = residual.sublayer_in
        return x, self.memory if kind == "cross" else x


class MaskedHead(nn.Module):
    """The layer between BERT's encoder and its logits (Devlin et al. 2019)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.dense = Linear(config.d_model, config.d_model)
        self.activate = ACTIVATIONS[config.activation]
        self.norm = norm_of(config)

    def forward(
        self, x: Float[Tensor, "batch length d_model"]
    ) -> Float[Tensor, "batch length d_model"]:
        """Norm(act(xW + b))."""
        out: Tensor = self.norm(self.activate(self.dense(x)))
        return out


class Transformer(nn.Module):
    """The model of "Attention Is All You Need", figure 1.

    `model(src, tgt)` takes ids and returns a `TransformerTrace`. It keeps nothing between calls,
    so one model can serve many threads.

    Weights are drawn uniformly (Xavier; embeddings with variance 1/d_model). Each parameter has its
    own random stream, seeded by `seed` and the parameter's name, so the same settings give the same
    numbers everywhere, and adding a layer does not change the layers below. With `weights`, those
    of such a model (`own_weights`, or its `state_dict`), those tensors are used and nothing is
    drawn.

    Raises:
        RuntimeError, KeyError: if `weights` do not fit the model.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        seed: int = 0,
        device: torch.device | str = "cpu",
        weights: Mapping[str, Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        with torch.device("meta"):  # shapes only; the weights are drawn below
            if config.has_encoder:
                self.src_embedding = Embedding(config.src_vocab_size, config)
            if config.has_decoder:
                self.tgt_embedding = Embedding(config.tgt_vocab_size, config)
            self.encoder = nn.ModuleList(
                EncoderLayer(config) for _ in range(config.n_encoder_layers)
            )
            self.decoder = nn.ModuleList(
                DecoderLayer(config) for _ in range(config.n_decoder_layers)
            )
            # Post-norm layers end with a norm; a pre-norm stack needs one at its end.
            self.encoder_norm = _final_norm(config) if config.has_encoder else nn.Identity()
            self.decoder_norm = _final_norm(config) if config.has_decoder else nn.Identity()
            if config.positions == "t5":
                for side, both_ways in (("encoder", True), ("decoder", False)):
                    if getattr(config, f"has_{side}"):
                        bias = RelativeBias(config.n_heads, both_ways=both_ways)
                        setattr(self, f"{side}_bias", bias)
            if config.output == "masked":
                self.masked_head = MaskedHead(config)
            if config.n_logits:
                self.to_logits = Linear(config.d_model, config.n_logits, config.logits_bias)
        if weights is None:
            draw_weights(self, seed)
        else:
            self.load_state_dict(_with_tied(weights, config), assign=True)
        if config.tying in ("all", "embeddings"):
            self.tgt_embedding.token.weight = self.src_embedding.token.weight
        if config.tying in ("all", "logits"):
            written = self.tgt_embedding if config.has_decoder else self.src_embedding
            self.to_logits.weight = written.token.weight
        self.to(device)

    def own_weights(self) -> dict[str, Tensor]:
        """The weights by name, without gradients; a tied matrix has only its first name.

        The order of names is: source embedding, target embedding, logits.
        """
        return {name: parameter.detach() for name, parameter in self.named_parameters()}

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def with_settings(self, **changes: Any) -> "Transformer":
        """A model on the same weights that computes with other settings.

        `positions="none"` leaves out positions of every kind: nothing is added to embeddings or
        scores, and nothing is rotated.
        """
        config, weights = replace(self.config, **changes), self.own_weights()
        if config.positions != self.config.positions:
            weights = {n: w for n, w in weights.items() if not n.startswith(_OF_POSITIONS)}
        return Transformer(config, device=self.device, weights=weights)

    def forward(
        self,
        src: Int[Tensor, "batch src"] | None,
        tgt: Int[Tensor, "batch tgt"] | None = None,
        generator: Generator | None = None,
        *,
        src_words: Bool[Tensor, "batch src"] | None = None,
        tgt_words: Bool[Tensor, "batch tgt"] | None = None,
        encoded: EncoderTrace | None = None,
        given: Intervention = NO_INTERVENTION,
    ) -> TransformerTrace:
        """Run the model on source ids and the decoder's input ids (`tgt_in`).

        An encoder alone takes no `tgt`, a decoder alone no `src`: None, or ids of length 0. A
        `generator` switches dropout on and decides what it drops. `src_words` and `tgt_words` say
        which tokens are not padding; without them, ids do, or there is none (see
        `ModelConfig.pad_by_id`). The encoder never sees the target, so pass `encoded`, the result
        of `encode` for the same `src`, if only the target has changed. `given` puts other numbers
        in the place of some that the model would compute.

        Raises:
            ValueError: if the ids do not fit the model or each other.
        """
        src, tgt = self._both_sides(src, tgt)
        if src.shape[:1] != tgt.shape[:1]:
            raise ValueError(
                "src and tgt must hold the same number of sentences, "
                f"got src {tuple(src.shape)} and tgt {tuple(tgt.shape)}"
            )
        if encoded is None:
            encoded = self.encode(src, generator, words=src_words, given=given)
        decoded = self.decode(
            tgt, encoded.memory, encoded.mask, generator, words=tgt_words, given=given
        )
        masked = self.config.output == "masked"
        head = self.masked_head(encoded.memory) if masked else None
        return TransformerTrace(
            src_mask=encoded.mask,
            tgt_mask=decoded.mask,
            src_embedding=encoded.embedding,
            tgt_embedding=decoded.embedding,
            encoder=encoded.layers,
            memory=encoded.memory,
            decoder=decoded.layers,
            decoder_out=decoded.out,
            head=head,
            logits=decoded.logits if head is None else self.logits(head),
        )

    def attention(self, kind: AttentionKind, layer: int) -> MultiHeadAttention:
        """The module behind `TransformerTrace.attention(kind, layer)`.

        Raises:
            ValueError: for a kind or a layer that the model does not have.
        """
        found: MultiHeadAttention = getattr(_layer_with(self, kind, layer), _MODULES[kind])
        return found

    def put_attention(self, kind: AttentionKind, layer: int, attention: MultiHeadAttention) -> None:
        """Put another module in the place of `attention(kind, layer)`."""
        setattr(_layer_with(self, kind, layer), _MODULES[kind], attention)

    def encode(
        self,
        src: Int[Tensor, "batch src"],
        generator: Generator | None = None,
        *,
        words: Bool[Tensor, "batch src"] | None = None,
        given: Intervention = NO_INTERVENTION,
    ) -> EncoderTrace:
        """Source ids → memory; `words` are the tokens that are not padding, as in `forward`."""
        if not self.config.has_encoder:
            nothing, no_mask = self._empty_embedding(src), src.new_zeros(len(src), 1, 1, 0).bool()
            return EncoderTrace(mask=no_mask, embedding=nothing, layers=(), memory=nothing.out)
        self._require_ids("src", src, self.config.src_vocab_size)
        mask = self.src_mask(src, words) if given.src_mask is None else given.src_mask
        embedding = self.src_embedding(src, generator, given.src_embedded)
        x = embedding.out
        bias = self._position_bias("encoder", src.shape[1], x)
        layers: list[EncoderLayerTrace] = []
        for n, layer in enumerate(self.encoder):
            x = given.entering("encoder", n, x)
            layers.append(layer(x, mask, generator, bias, given.of_layer(n)))
            x = layers[-1].out
        memory = self.encoder_norm(given.entering("encoder", len(layers), x))
        return EncoderTrace(mask=mask, embedding=embedding, layers=tuple(layers), memory=memory)

    def decode(
        self,
        tgt: Int[Tensor, "batch tgt"],
        memory: Float[Tensor, "batch src d_model"],
        src_mask: Bool[Tensor, "batch 1 1 src"],
        generator: Generator | None = None,
        *,
        words: Bool[Tensor, "batch tgt"] | None = None,
        given: Intervention = NO_INTERVENTION,
        at: slice = slice(None),
    ) -> DecoderTrace:
        """Target ids and memory → logits of the next token at every position, or only `at` some."""
        config = self.config
        if not config.has_decoder:
            nothing = self._empty_embedding(tgt)
            empty = nothing.out.new_zeros(len(tgt), 0, 0)
            no_mask = tgt.new_zeros(len(tgt), 1, 0, 0).bool()
            return DecoderTrace(
                mask=no_mask, embedding=nothing, layers=(), out=nothing.out, logits=empty
            )
        self._require_ids("tgt", tgt, config.tgt_vocab_size)
        mask = self.tgt_mask(tgt, words) if given.tgt_mask is None else given.tgt_mask
        embedding = self.tgt_embedding(tgt, generator, given.tgt_embedded)
        x = embedding.out
        bias = self._position_bias("decoder", tgt.shape[1], x)
        if given.n_past:
            new = slice(given.n_past, None)
            x, mask, memory = x[:, new], mask[:, :, new], memory[:, :0]
            bias = None if bias is None else bias[:, new]
        layers: list[DecoderLayerTrace] = []
        for n, layer in enumerate(self.decoder):
            x = given.entering("decoder", n, x)
            layers.append(layer(x, memory, mask, src_mask, generator, bias, given.of_layer(n)))
            x = layers[-1].out
        out = self.decoder_norm(given.entering("decoder", len(layers), x))
        logits = self.logits(out[:, at])
        return DecoderTrace(
            mask=mask, embedding=embedding, layers=tuple(layers), out=out, logits=logits
        )

    def src_mask(
        self, src: Int[Tensor, "batch src"], words: Bool[Tensor, "batch src"] | None = None
    ) -> Bool[Tensor, "batch 1 1 src"]:
        """Which source tokens may be attended to, by the encoder and in cross-attention."""
        pad_id = self.config.src_pad_id
        return padding_mask(src, pad_id, words=self._words(src, pad_id, words))

    def tgt_mask(
        self, tgt: Int[Tensor, "batch tgt"], words: Bool[Tensor, "batch tgt"] | None = None
    ) -> Bool[Tensor, "batch 1 tgt tgt"]:
        """Which target tokens each target token may attend to."""
        pad_id = self.config.tgt_pad_id
        return target_mask(tgt, pad_id, words=self._words(tgt, pad_id, words))

    def _words(
        self,
        ids: Int[Tensor, "batch length"],
        pad_id: int,
        words: Bool[Tensor, "batch length"] | None,
    ) -> Bool[Tensor, "batch length"]:
        """Which tokens are not padding: as given, or by their ids, or else all of them."""
        if words is not None:
            return words
        return ids != pad_id if self.config.pad_by_id else torch.ones_like(ids, dtype=torch.bool)

    def logits(
        self, out: Float[Tensor, "*batch length d_model"]
    ) -> Float[Tensor, "*batch length vocab"]:
        """The decoder's output → logits (paper section 3.4)."""
        if self.config.scale_logits:
            out = out / math.sqrt(self.config.d_model)
        found: Tensor = self.to_logits(out)
        return found

    def _position_bias(
        self, stack: Literal["encoder", "decoder"], length: int, like: Tensor
    ) -> Float[Tensor, "heads length length"] | None:
        """The bias of relative positions for the scores of every self-attention of a stack."""
        if self.config.positions == "alibi":
            return alibi(self.config.n_heads, length).to(like)
        if self.config.positions == "t5":
            bias: Tensor = getattr(self, f"{stack}_bias")(length)
            return bias
        return None

    def _both_sides(self, src: Tensor | None, tgt: Tensor | None) -> tuple[Tensor, Tensor]:
        """Both sides, where one that the model does not read has no tokens.

        Raises:
            ValueError: if a side is missing, or given to a model that does not read it.
        """
        sides = {"src": (src, self.config.has_encoder), "tgt": (tgt, self.config.has_decoder)}
        for name, (ids, reads) in sides.items():
            if reads and ids is None:
                raise ValueError(f"this model reads {name}, got {name}=None; give its ids")
            if not reads and ids is not None and ids.numel():
                raise ValueError(
                    f"this model has no {'encoder' if name == 'src' else 'decoder'} and reads no "
                    f"{name}, got {name} of shape {tuple(ids.shape)}; leave it out"
                )
        given = src if tgt is None else tgt
        assert given is not None
        nothing = given.new_zeros(len(given), 0)
        return nothing if src is None else src, nothing if tgt is None else tgt

    def _empty_embedding(self, ids: Int[Tensor, "batch ignored"]) -> EmbeddingTrace:
        """The embedding of a side that the model does not have."""
        empty = torch.zeros(len(ids), 0, self.config.d_model, device=ids.device)
        return EmbeddingTrace(
            embedded=empty,
            scaled=empty,
            position=torch.zeros(0, self.config.d_model, device=ids.device),
            added=empty,
            out=empty,
        )

    def _require_ids(self, name: str, ids: Tensor, vocab_size: int) -> None:
        if ids.ndim != 2 or ids.shape[1] == 0:
            raise ValueError(
                f"{name} must have shape (batch, length) with length ≥ 1, got {tuple(ids.shape)}"
            )
        if ids.shape[1] > self.config.max_len:
            raise ValueError(
                f"{name} must have at most max_len={self.config.max_len} tokens a sentence, "
                f"got {ids.shape[1]}; shorten it: a trained model reads no more"
            )
        # On a GPU this check would make every forward pass wait; the GPU reports bad ids itself.
        if ids.device.type == "cpu" and ((ids < 0) | (ids >= vocab_size)).any():
            raise ValueError(
                f"{name} ids must lie in 0 … {vocab_size - 1} ({name}_vocab_size={vocab_size}), "
                f"got {int(ids.min())} … {int(ids.max())}"
            )


def keys_and_values(trace: DecoderTrace, length: int) -> Intervention:
    """The keys and values that a decoder need not compute again after `length` tokens."""
    attentions: dict[tuple[AttentionKind, int], GivenAttention] = {}
    for n, layer in enumerate(trace.layers):
        own = layer.attention
        past = own.k[:, :, :length], own.v[:, :, :length]
        attentions["decoder", n] = GivenAttention(past=past)
        if layer.cross is not None:
            attentions["cross", n] = GivenAttention(past=(layer.cross.k, layer.cross.v))
    return Intervention(attentions=attentions, n_past=length)


def _layer_with(stacks: TransformerTrace | Transformer, kind: str, layer: int) -> Any:
    """The layer, or its trace, that has an attention of this kind."""
    require_one_of("kind", kind, ATTENTION_KINDS)
    stack = stacks.encoder if kind == "encoder" else stacks.decoder
    if not len(stack) or (kind == "cross" and not len(stacks.encoder)):
        raise ValueError(f"this model has no {kind} attention")
    require_within("layer", layer, len(stack))
    return stack[layer]


def _with_tied(weights: Mapping[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The weights, with each tied matrix under all of its names."""
    named = dict(weights)
    src, tgt = "src_embedding.token.weight", "tgt_embedding.token.weight"
    if config.tying in ("all", "embeddings"):
        named[tgt] = named[src]
    if config.tying in ("all", "logits"):
        named["to_logits.weight"] = named[tgt if config.has_decoder else src]
    return named


def _final_norm(config: ModelConfig) -> nn.Module:
    return norm_of(config) if config.ends_with_norm else nn.Identity()
