"""The famous mistakes: what was written, what is right, and a model that makes each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from explorer.attention import MultiHeadAttention
from explorer.config import ModelConfig
from explorer.languages import mark
from explorer.layers import Embedding, Residual, attention_of
from explorer.mistakes.attentions import (
    BatchAsSequence,
    HeadsNotTransposed,
    QueriesFromEncoder,
    SoftmaxOverQueries,
)
from explorer.mistakes.parts import (
    ColumnsAsSentences,
    DropoutAfterNorm,
    NoCausalMask,
    OtherWaves,
    PadQueriesHidden,
    base_of,
    shared,
)
from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.transformer import Transformer

Shows = Literal["always", "pad_left", "dropout"]  # when a mistake makes a difference
Make = Callable[[Transformer], Transformer]
WhyImpossible = Callable[[ModelConfig], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One mistake. `applied_to` gives a model that computes with it on the weights of another.

    Its texts are English, for `tr`.
    """

    id: str
    title: str
    written: str  # this and the next two are Markdown
    right: str
    symptom: str
    make: Make
    code: Callable[..., object]  # the part that computes with it
    kind: AttentionKind  # the attention that shows it best
    shows: Shows = "always"
    forced: str = ""  # what the shapes force, where the mistake alone would not run
    ahead: bool = False  # whether a later target word changes what an earlier one gets
    across: bool = False  # whether the sentences of a batch influence each other
    why_impossible: WhyImpossible = lambda config: ""  # why a model cannot make it, or nothing

    def applied_to(self, model: Transformer) -> Transformer:
        """A model on the same weights that computes with the mistake.

        Raises:
            ValueError: if this model cannot make it; the message says why.
        """
        if why := self.why_impossible(model.config):
            raise ValueError(f"“{self.title}” needs another model: {why}")
        return self.make(model)


def _needs(fits: Callable[[ModelConfig], bool], why: str) -> WhyImpossible:
    """A mistake that only some models can make, and why others cannot."""
    return lambda config: "" if fits(config) else why


_no_decoder: Final = _needs(lambda config: config.has_decoder, "this one has no decoder")
_no_cross: Final = _needs(
    lambda config: "cross" in config.attention_kinds, "this one has no cross-attention"
)
_no_waves: Final = _needs(
    lambda config: config.positions in ("sinusoidal", "halves"), "this one adds no waves"
)
_not_added: Final = _needs(
    lambda config: config.positions not in ("rotary", "t5", "alibi"),
    "in this one, positions are part of the attention",
)
_scaled: Final = _needs(lambda config: config.scale_scores, "this one never divides by √d_k")
_multiplied: Final = _needs(
    lambda config: config.scale_embedding, "this one never multiplies by √d_model"
)


_CUT_OR_FILLED: Final = mark(
    "The shapes fit only if source and target are equally long: elsewhere the code stops "
    "with an error. Here one is cut, or filled up."
)


def _waves(base: float) -> Make:
    def make(model: Transformer) -> Transformer:
        twin = model.with_settings()
        for side in ("src_embedding", "tgt_embedding"):
            if hasattr(twin, side):
                setattr(twin, side, OtherWaves(getattr(twin, side), base=base))
        return twin

    return make


def _attentions(
    wrong: Callable[[MultiHeadAttention, AttentionKind], MultiHeadAttention],
    kinds: tuple[AttentionKind, ...] = ATTENTION_KINDS,
) -> Make:
    """Replace every attention of these kinds."""

    def make(model: Transformer) -> Transformer:
        twin = model.with_settings()
        for kind in kinds:
            for layer in range(twin.config.layers_of(kind)):
                right = twin.attention(kind, layer)
                twin.put_attention(kind, layer, wrong(right, kind))
        return twin

    return make


def _residuals(model: Transformer) -> Transformer:
    twin = model.with_settings()
    for layer in (*twin.encoder, *twin.decoder):
        for name, part in list(layer.named_children()):
            if isinstance(part, Residual):
                setattr(layer, name, DropoutAfterNorm(part))
    return twin


ALL: Final = (
    Mistake(
        id="no_causal",
        title=mark("no causal mask"),
        written=mark("The decoder's mask hides PAD, and nothing else."),
        right=mark("A target word sees itself and the words before it, never the future."),
        symptom=mark(
            "The answer often stays the same: these weights have learnt with the mask, and while "
            "the model writes, the newest word has nothing after it that it could see. The mask "
            "matters while a model learns: without it, each word sees the one that it should "
            "predict, so the loss looks wonderful, and what the model then writes by itself is "
            "poor. In the pictures it reads a finished answer, and each word sees the rest of it."
        ),
        make=lambda model: shared(model, NoCausalMask),
        code=NoCausalMask,
        kind="decoder",
        ahead=True,
        why_impossible=_no_decoder,
    ),
    Mistake(
        id="unscaled_scores",
        title=mark("no ÷ √d_k"),
        written=mark("`softmax(QKᵀ)V`: the scores go into the softmax as they are."),
        right=mark("`softmax(QKᵀ / √d_k)V`: sums of more products spread wider; √d_k undoes that."),
        symptom=mark(
            "The scores are √d_k times as large, so the weights are sharper: in trained models, "
            "many words look almost only at one word."
        ),
        make=lambda model: model.with_settings(scale_scores=False),
        code=attention_of,
        kind="encoder",
        why_impossible=_scaled,
    ),
    Mistake(
        id="wrong_axis",
        title=mark("softmax over the wrong axis"),
        written=mark("`softmax(scores, dim=-2)`: over the queries."),
        right=mark("`softmax(scores, dim=-1)`: over the keys; the weights of each query sum to 1."),
        symptom=mark(
            "Columns sum to 1 and rows do not: a word gets more or less than one whole look, "
            "and the first words of a decoder depend on those that follow them."
        ),
        make=_attentions(lambda right, kind: SoftmaxOverQueries(right)),
        code=SoftmaxOverQueries,
        kind="encoder",
        ahead=True,
    ),
    Mistake(
        id="heads_not_merged",
        title=mark("heads merged without the transpose"),
        written=mark(
            "`context.reshape(batch, length, d_model)`, straight from (batch, heads, length, d_k)."
        ),
        right=mark(
            "`context.transpose(1, 2)` first: then a row holds what all heads found for a word."
        ),
        symptom=mark(
            "The shape is right and the numbers are not: a word gets what one head, or a few, "
            "found for several words."
        ),
        make=_attentions(lambda right, kind: HeadsNotTransposed(right)),
        code=HeadsNotTransposed,
        kind="cross",
        ahead=True,
    ),
    Mistake(
        id="unscaled_embedding",
        title=mark("no × √d_model"),
        written=mark("embedding + positions: the embedding is not multiplied before the sum."),
        right=mark(
            "embedding · √d_model + positions: learnt to be multiplied, it would else drown in the "
            "waves, whose numbers reach 1."
        ),
        symptom=mark(
            "Where waves are added, they are longer than embeddings that were learnt to be "
            "multiplied, and drown them."
        ),
        make=lambda model: model.with_settings(scale_embedding=False),
        code=Embedding,
        kind="encoder",
        why_impossible=_multiplied,
    ),
    Mistake(
        id="doubled_exponent",
        title=mark("positions with a doubled exponent"),
        written=mark("`for i in range(0, d_model, 2): base ** (2 * i / d_model)`."),
        right=mark("The loop already steps by 2, so i is the paper's 2i: `base ** (i / d_model)`."),
        symptom=mark(
            "The waves lengthen twice as fast, and the upper half of the dimensions hardly "
            "changes from word to word."
        ),
        make=_waves(base_of(10_000.0, "doubled")),
        code=OtherWaves,
        kind="encoder",
        why_impossible=_no_waves,
    ),
    Mistake(
        id="base_1000",
        title=mark("positions with base 1000"),
        written=mark("`pos / 1000^(2i / d_model)`."),
        right=mark("`pos / 10000^(2i / d_model)`."),
        symptom=mark(
            "The long waves are up to ten times as short. A model can learn with either base; "
            "one that has learnt with the other reads waves that it does not know."
        ),
        make=_waves(1000.0),
        code=OtherWaves,
        kind="encoder",
        why_impossible=_no_waves,
    ),
    Mistake(
        id="queries_from_encoder",
        title=mark("cross-attention with queries from the encoder"),
        written=mark("Queries and keys come from the encoder, values from the decoder."),
        right=mark("Queries come from the decoder; keys and values come from the encoder."),
        symptom=mark(
            "The decoder never gets to see a source word: the source only decides which of its "
            "own words it looks at."
        ),
        make=_attentions(lambda right, kind: QueriesFromEncoder(right), ("cross",)),
        code=QueriesFromEncoder,
        kind="cross",
        ahead=True,
        forced=_CUT_OR_FILLED,
        why_impossible=_no_cross,
    ),
    Mistake(
        id="pad_queries",
        title=mark("PAD queries hidden in place of PAD keys"),
        written=mark("`(tgt != pad)` with shape (batch, 1, length, 1): it hides rows."),
        right=mark("`(tgt != pad)` with shape (batch, 1, 1, length): it hides columns."),
        symptom=mark(
            "Words look at PAD wherever the causal mask lets them. With PAD only at the end "
            "it never does, and nobody notices."
        ),
        make=lambda model: shared(model, PadQueriesHidden),
        code=PadQueriesHidden,
        kind="decoder",
        shows="pad_left",
        why_impossible=_no_decoder,
    ),
    Mistake(
        id="columns",
        title=mark("batch read by columns"),
        written=mark(
            "A sentence is a column of the batch; the masks are made of the transposed ids."
        ),
        right=mark("A sentence is a row of the batch, and so is its mask."),
        symptom=mark(
            "Each sentence has the mask of other ones: words may be hidden, and PAD may be open."
        ),
        make=lambda model: shared(model, ColumnsAsSentences),
        code=ColumnsAsSentences,
        kind="encoder",
        forced=mark(
            "The shapes fit only if there are as many sentences as tokens in each: elsewhere "
            "the code stops with an error. Here the batch is filled up with PAD to such squares."
        ),
        across=True,
    ),
    Mistake(
        id="sequence_first",
        title=mark("(batch, sequence) taken for (sequence, batch)"),
        written=mark(
            "`torch.nn.MultiheadAttention(d_model, heads)` gets x of shape (batch, length, "
            "d_model), though by default it expects (length, batch, d_model)."
        ),
        right=mark("`batch_first=True`, or `x.transpose(0, 1)` before and after."),
        symptom=mark(
            "A word looks at the words at its own place in the other sentences of the batch, "
            "and at no other word of its own sentence."
        ),
        make=_attentions(lambda right, kind: BatchAsSequence(right, causal=kind == "decoder")),
        code=BatchAsSequence,
        kind="encoder",
        forced=_CUT_OR_FILLED,
        across=True,
        why_impossible=_not_added,
    ),
    Mistake(
        id="dropout_after_norm",
        title=mark("dropout after the norm"),
        written=mark("`Dropout(LayerNorm(x + Sublayer(x)))`."),
        right=mark("`LayerNorm(x + Dropout(Sublayer(x)))`: only what a sub-layer adds is dropped."),
        symptom=mark(
            "While it trains, each layer loses part of the stream itself, also what the layers "
            "below found. Without dropout there is no difference."
        ),
        make=_residuals,
        code=DropoutAfterNorm,
        kind="cross",
        shows="dropout",
    ),
)
MISTAKES: Final = {mistake.id: mistake for mistake in ALL}
