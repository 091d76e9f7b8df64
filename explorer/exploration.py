"""One call from text to trace and its pictures, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from explorer.analysis.causes import attribution, logit_parts, patching, score_parts
from explorer.analysis.causes.question import Question, Sentence, Word
from explorer.analysis.what_if import AttentionChange
from explorer.config import ModelConfig, require_place
from explorer.names import AttentionKind, PaddingSide
from explorer.runtime.engine import Engine, LoadedModel, Run, engine, forward
from explorer.runtime.generation import DecodingOptions, Method
from explorer.runtime.memory import estimate
from explorer.text import Answer, Batch, require_all_read
from explorer.tokenizer import TextTokenizer, Tokenizer
from explorer.transformer import Transformer, TransformerTrace
from explorer.weights.catalogue import UNTRAINED, Learnt, ModelRequest, request
from explorer.weights.loaded import Loaded, load

if TYPE_CHECKING:
    from explorer.notebook.picture import Picture

Texts = str | Sequence[str]
Targets = str | Sequence[str | None] | None


class Untrained(TypedDict, total=False):
    """A model with seeded weights: d_ff is 4 × d_model, and both stacks have `n_layers`."""

    d_model: int
    n_heads: int
    n_layers: int
    seed: int
    device: str


class Positions(TypedDict, total=False):
    """Of the paper's waves: how many positions, base, formula, and the first dimension drawn."""

    length: int
    base: int
    formula: str
    first: int
    scaled: bool  # whether the inputs show the embedding × √d_model


class StepFocus(TypedDict, total=False):
    """One query and one key, from 0; one row or whole matrices; which of q, k and v."""

    query: int
    key: int
    form: Literal["vector", "matrix"]
    which: Literal["q", "k", "v"]


class Change(TypedDict, total=False):
    """Of one attention: a head switched off, no ÷ √d_k, no mask, another temperature."""

    without_head: int | None
    scaled: bool
    masked: bool
    temperature: float


class Choosing(TypedDict, total=False):
    """How a beam search or sampling chooses the next word."""

    width: int
    alpha: float
    temperature: float
    top_k: int | None
    top_p: float
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Exploration:
    """Sentences, the model that read them, and everything it computed.

    Its methods draw one sentence pair, `row` of the batch. Layers and heads count from 0, as in the
    trace; captions and titles count from 1, as the app does.
    """

    batch: Batch
    model: Transformer
    trace: TransformerTrace  # of the whole batch
    request: ModelRequest
    tokenizer: Tokenizer
    learnt: Learnt | None  # None for seeded weights
    sources: tuple[str, ...]
    engine: Engine
    dropout_seed: int | None = None
    row: int = 0

    def pair(self, number: int) -> Exploration:
        """The same with another sentence pair in focus, counted from 1."""
        if not 1 <= number <= len(self.batch.src):
            raise ValueError(f"number must lie in 1 … {len(self.batch.src)}, got {number}")
        return replace(self, row=number - 1)

    def run(self) -> Run:
        """The pair in focus and its trace, as every picture takes them."""
        return self.engine.run(self.request, self.batch, self.row, dropout_seed=self.dropout_seed)

    def __repr__(self) -> str:
        named = "seeded weights" if self.learnt is None else self.learnt.name
        shape = f"d_model={self.model.config.d_model}, pairs={len(self.sources)}"
        return f"Exploration({named}, {shape}, row={self.row}: {self.sources[self.row]!r})"

    def what_if(
        self, kind: AttentionKind, layer: int, **change: Unpack[Change]
    ) -> TransformerTrace:
        """The trace of the pair in focus with one attention changed: `without_head=4`, from 0.

        Raises:
            ValueError: if the model has no such attention, layer or head.
        """
        require_place(self.model.config, kind, layer)
        return self.run().what_if(kind, layer, AttentionChange(**change))

    def attribute(
        self,
        position: int,
        method: attribution.Method = "occlusion",
        token: Word | None = None,
        rival: Word | None = None,
    ) -> attribution.Attribution:
        """Which words mattered for the one written at a position, by one of six methods.

        Positions count from 0 over the decoder's rows, or over those of an encoder alone. The token
        is the one that follows in the target, or the likeliest; with a rival, what is attributed
        is the difference of their logits. Dropout is off, here and in the next three.

        Raises:
            ValueError: if there is no such position, method, token or rival.
        """
        return attribution.attribute(self._asked(position, token, rival), method)

    def parts_of_logit(
        self, position: int, token: Word | None = None, rival: Word | None = None
    ) -> logit_parts.LogitParts:
        """The token's logit as a sum over the parts of the model, its norms frozen.

        Raises:
            ValueError: as `attribute`.
        """
        return logit_parts.parts_of_logit(self._asked(position, token, rival))

    def patch(
        self,
        other: Exploration,
        kind: AttentionKind,
        layer: int,
        head: int | None,
        positions: Sequence[int] | None = None,
    ) -> TransformerTrace:
        """The trace with a head's output (before W_O) taken from another pair's.

        `head` None stands for all heads of the layer, `positions` for the queries, from 0.

        Raises:
            ValueError: if there is no such head or position, or the other pair has other positions
                or another model.
        """
        return patching.patch(self._read(), other._read(), kind, layer, head, positions)

    def parts_of_score(
        self, kind: AttentionKind, layer: int, head: int, query: int, key: int
    ) -> score_parts.ScoreParts:
        """A score, before the mask, as a sum over parts of its query and parts of its key.

        Raises:
            ValueError: if the model has no such attention or head, or the pair no such position.
        """
        return score_parts.parts_of_score(self._read(), kind, layer, head, query, key)

    def _read(self) -> Sentence:
        """The pair in focus as causes ask about it: without dropout."""
        ran = replace(self, dropout_seed=None).run()
        model = ran.loaded.model
        return Sentence(model=model, batch=self.batch, row=self.row, trace=ran.trace)

    def _asked(self, position: int, token: Word | None, rival: Word | None) -> Question:
        return Question.of(self._read(), position, token, rival)

    def attention(
        self,
        kind: AttentionKind | None = None,
        layer: int | None = None,
        head: int | None = None,
        *,
        hide_pad: bool = False,
    ) -> Picture:
        """One head of an attention, and all heads of its layer; the most telling by default."""
        from explorer.notebook import attention

        return attention.one_attention(self, attention.Place(kind, layer, head), hide_pad=hide_pad)

    def heads(self, kind: AttentionKind | None = None, layer: int | None = None) -> Picture:
        """A thumbnail of every head of every layer, and one layer as lines between its tokens."""
        from explorer.notebook import attention

        return attention.all_attentions(self, attention.Place(kind, layer))

    def masks(self, which: str = "all") -> Picture:
        """The masks: "target", "targets" (of all pairs), "source", "cross", or "all" of these."""
        from explorer.notebook import inputs

        return inputs.masks_of(self, which)

    def positions(self, aspect: str = "inputs", **options: Unpack[Positions]) -> Picture:
        """The positions: "inputs" (embedding, encoding, sum), "encoding", "waves", "similarity"."""
        from explorer.notebook import inputs

        return inputs.positions_of(self, aspect, options)

    def steps(
        self,
        step: str = "dots",
        kind: AttentionKind | None = None,
        layer: int | None = None,
        head: int | None = None,
        **focus: Unpack[StepFocus],
    ) -> Picture:
        """One weight step by step: x, qkv, dots, scores, mask, softmax, context, concat, out."""
        from explorer.notebook import attention

        return attention.steps_of(self, step, attention.Place(kind, layer, head), focus)

    def stack(
        self,
        stop: int = 0,
        *,
        change: bool = False,
        measure: Literal["similarity", "change", "norm"] = "similarity",
    ) -> Picture:
        """One stop of the way through the stack, the residual stream, and the logit lens.

        With `change`, the stop shows its difference from its input.
        """
        from explorer.notebook import way

        return way.stack_of(self, stop, measure, change=change)

    def decode(
        self,
        method: Method = "greedy",
        *,
        at: int | None = None,
        layer: int | None = None,
        head: int | None = None,
        **options: Unpack[Choosing],
    ) -> Picture:
        """The answer as it is written: the next word, the search of a beam, the words' sources.

        With `at`, the answer ends at this word, from 0.
        """
        from explorer.notebook import way

        return way.decoded(self, DecodingOptions(method, **options), (layer, head), at)


def explore(
    sources: Texts,
    targets: Targets = None,
    *,
    model: Loaded | str | Path | ModelConfig | None = None,
    tokenizer: Tokenizer | None = None,
    side: PaddingSide = "right",
    length: int | None = None,
    dropout_seed: int | None = None,
    **shape: Unpack[Untrained],
) -> Exploration:
    """Tokenise the pairs and run a model: a trained one, or one with seeded weights.

    `model` is the name of one that comes with the explorer or was added, a folder, a loaded model,
    or the config of an untrained one. Without targets, and for each target that is None, a trained
    model reads its own answer. `side`, `length` and `dropout_seed` are as in the app.

    >>> seen = explore(["the animal was tired"], ["das Tier war müde"])
    >>> seen.trace.attention("cross", 0).weights.shape  # (batch, heads, target, source)
    torch.Size([1, 4, 5, 4])

    Raises:
        ValueError: if there is no pair, or more than the model reads at once; if sources and
            targets differ in number, or targets are missing for a model with seeded weights; if
            there is no such model.
    """
    texts = [sources] if isinstance(sources, str) else list(sources)
    read: list[str | None] | None
    read = [targets] if isinstance(targets, str) else None if targets is None else list(targets)
    if isinstance(model, str | Path):
        model = load(model)
    if isinstance(model, Loaded):
        tokenizer = tokenizer or model.tokenizer
        batch = tokenizer.batch(texts, answered(model, texts, read), side=side, length=length)
        require_all_read(batch)
        return _of_loaded(model, batch, tokenizer, texts, dropout_seed)
    if read is None or None in read:
        raise ValueError("targets are needed: a model with seeded weights has no answers")
    tokenizer = tokenizer or TextTokenizer()
    typed = [target or "" for target in read]
    batch = tokenizer.batch(texts, typed, side=side, length=length)
    require_all_read(batch)
    config = model or _config(batch, shape)
    seed, device = shape.get("seed", 0), shape.get("device", "cpu")
    wanted = request(UNTRAINED, config, seed=seed, device=device)
    need = estimate(config, len(batch.src), batch.src.shape[1], batch.tgt_in.shape[1])
    return engine().use(
        wanted,
        need,
        lambda loaded, _: Exploration(
            batch=batch,
            model=loaded.model,
            trace=forward(loaded.model, batch, dropout_seed=dropout_seed),
            request=wanted,
            tokenizer=tokenizer,
            learnt=None,
            sources=tuple(texts),
            engine=engine(),
            dropout_seed=dropout_seed,
        ),
    )


def _config(batch: Batch, shape: Untrained) -> ModelConfig:
    d_model, n_layers = shape.get("d_model", 64), shape.get("n_layers", 2)
    return ModelConfig(
        d_model=d_model,
        n_heads=shape.get("n_heads", 4),
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        src_vocab_size=batch.src_vocab.size,
        tgt_vocab_size=batch.tgt_vocab.size,
    )


def answered(
    loaded: Loaded, sources: Sequence[str], targets: Sequence[str | None] | None
) -> list[str | Answer]:
    """The targets, with the model's own answer for each that is missing."""
    given = [None] * len(sources) if targets is None else targets
    if not loaded.config.has_decoder:
        return [target or "" for target in given]
    if None not in given:
        return [target or "" for target in given]
    answers = loaded.answers(sources)
    if len(given) != len(answers):
        return [target or "" for target in given]  # the tokenizer says what is wrong
    return [
        answer if target is None else target for target, answer in zip(given, answers, strict=True)
    ]


def _of_loaded(
    loaded: Loaded,
    batch: Batch,
    tokenizer: Tokenizer,
    sources: Sequence[str],
    dropout_seed: int | None,
) -> Exploration:
    # An engine of its own: no request names a model that may come from any folder.
    own, wanted = Engine(), request(UNTRAINED, loaded.config)
    size = 4 * loaded.config.n_weights
    own.models.put(wanted, size, LoadedModel.of(loaded.model))
    return Exploration(
        batch=batch,
        model=loaded.model,
        trace=forward(loaded.model, batch, dropout_seed=dropout_seed),
        request=wanted,
        tokenizer=tokenizer,
        learnt=loaded.learnt,
        sources=tuple(sources),
        engine=own,
        dropout_seed=dropout_seed,
    )
