"""A request and ids in, the model and its trace out.

The engine estimates memory before anything runs, caches models and traces for all sessions, runs
one large model at a time, and falls back to the CPU if a GPU fails. It knows nothing about pages:
messages for the visitor go to `tell`.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from threading import Lock
from typing import Any, Final, Literal, TypeVar

from torch import nn

from explorer.analysis.attention import Attention
from explorer.analysis.logit_lens import LogitLens, logit_lens
from explorer.analysis.what_if import AttentionChange, changed
from explorer.forward import encode, forward
from explorer.interop import has_twin, largest_difference, to_torch
from explorer.languages import sentences, tr
from explorer.names import AttentionKind
from explorer.runtime.cache import ByteCache
from explorer.runtime.device import GPU_ERRORS, finish
from explorer.runtime.limits import memory_limit, resident_memory
from explorer.runtime.memory import (
    MIB,
    MemoryEstimate,
    estimate,
    free_memory,
    memory_share,
    return_memory,
)
from explorer.runtime.turns import release_turn
from explorer.text import Batch, Sentences
from explorer.transformer import EncoderTrace, Transformer, TransformerTrace
from explorer.weights.catalogue import ModelRequest, Pretrained, trained_model
from explorer.weights.huggingface.model import Report

BIG: Final = 64 * MIB  # larger models run one at a time
SMALL_TRACE: Final = 4 * MIB  # made by a loaded model without a look at free memory
T = TypeVar("T")
News = Literal["drawing", "reading", "gpu"]  # a large model is being made; a GPU has failed
Tell = Callable[[News, str], Report | None]  # may return a function that gets the share done


class TooLargeError(MemoryError):
    """A model and its trace do not fit into memory; the message says what to lower."""


class OverflowedError(TooLargeError):
    """The numbers in a model are too large to be drawn."""


@dataclass(frozen=True)
class LoadedModel:
    """A model and others on the same weights."""

    model: Transformer

    @cached_property
    def twin(self) -> nn.Transformer | None:
        """The same in `torch.nn`; None where that cannot express the model."""
        return to_torch(self.model) if has_twin(self.model.config) else None

    @cached_property
    def without_positions(self) -> Transformer:
        """The model with positions of every kind left out."""
        return self.model.with_settings(positions="none")


@dataclass(frozen=True, slots=True)
class Run:
    """One sentence pair, and everything a model computed for it."""

    engine: "Engine"
    request: ModelRequest
    batch: Batch
    row: int
    dropout_seed: int | None
    loaded: LoadedModel
    trace: TransformerTrace
    key: Hashable

    @property
    def src_labels(self) -> tuple[str, ...]:
        """The source tokens of the pair, including PAD."""
        return self.batch.src_labels[self.row]

    @property
    def tgt_labels(self) -> tuple[str, ...]:
        """The tokens that the decoder reads."""
        return self.batch.tgt_in_labels[self.row]

    def attention(self, kind: AttentionKind, layer: int) -> Attention:
        """One attention of this run, with its labels; `layer` counts from 0."""
        return Attention.of(self.trace, self.batch, self.row, kind, layer)

    def difference_to_torch(self) -> float | None:
        """The largest difference between the trace and `torch.nn` with the same weights.

        None if `torch.nn` has no such model.
        """
        if self.loaded.twin is None:
            return None
        compute = partial(largest_difference, self.loaded.twin, self.trace)
        found: float = self.engine.results.get((self.key, "torch"), 64, compute)
        return found

    def logit_lens(self) -> LogitLens:
        """The word that the decoder would write after each of its layers."""
        config, length = self.request.config, self.batch.tgt_in.shape[1]
        found: LogitLens = self.engine.results.get(
            (self.key, "lens"),
            24 * (config.n_decoder_layers + 1) * length,
            lambda: logit_lens(self.loaded.model, self.trace, self.batch.specials),
        )
        return found

    def what_if(
        self, kind: AttentionKind, layer: int, change: AttentionChange, *, tell: Tell | None = None
    ) -> TransformerTrace:
        """The trace of the same sentences with one attention changed."""
        need = estimate(self.request.config, 1, self.batch.src.shape[1], self.batch.tgt_in.shape[1])

        def compute(loaded: LoadedModel, _: Hashable) -> TransformerTrace:
            model = changed(loaded.model, kind, layer, change)
            return self.engine.traces.get(
                (self.key, kind, layer, change),
                need.trace,
                lambda: forward(model, self.batch, row=self.row, dropout_seed=self.dropout_seed),
            )

        return self.engine.use(self.request, need, compute, tell=tell)


class Engine:
    """The models and traces of one process."""

    def __init__(self) -> None:
        room = memory_share(memory_limit()) - resident_memory()
        traces = max(4 * MIB, min(16 * MIB, room // 12))
        self.models: ByteCache[LoadedModel] = ByteCache(max(32 * MIB, room - traces))
        self.traces: ByteCache[TransformerTrace] = ByteCache(traces, keep_oversized=False)
        # Parts of traces: a part in both caches takes memory only once.
        self.encoded: ByteCache[EncoderTrace] = ByteCache(traces // 2, keep_oversized=False)
        # Small results of a model: answers, generations, differences.
        results = max(8 * MIB, min(64 * MIB, room // 16))  # a large vocabulary takes much
        self.results: ByteCache[Any] = ByteCache(results, keep_oversized=False)
        self.big_run = Lock()

    def run(
        self,
        request: ModelRequest,
        batch: Batch,
        row: int,
        *,
        dropout_seed: int | None = None,
        tell: Tell | None = None,
    ) -> Run:
        """Run the model on one pair of a batch; `dropout_seed` switches dropout on.

        Raises:
            TooLargeError: if memory does not suffice; then nothing has run.
            WeightsGoneError: if the weights are gone.
        """
        need = estimate(request.config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
        at = slice(row, row + 1)
        ids = batch.sources[at].key, batch.targets_in[at].key

        def compute(loaded: LoadedModel, model_key: Hashable) -> Run:
            key = (model_key, dropout_seed, ids)

            def trace() -> TransformerTrace:
                if dropout_seed is not None:  # the encoder's draws decide the decoder's
                    return forward(loaded.model, batch, row=row, dropout_seed=dropout_seed)
                encoded = self.encoding(request, loaded.model, batch.sources[at])
                return forward(loaded.model, batch, row=row, encoded=encoded)

            found = self.traces.get(key, need.trace, trace)
            return Run(self, request, batch, row, dropout_seed, loaded, found, key)

        return self.use(request, need, compute, tell=tell)

    def encoding(
        self, request: ModelRequest, model: Transformer, source: Sentences
    ) -> EncoderTrace:
        """The requested model's encoder output for one source; call it within `use`."""
        key = replace(request, device=str(model.device)), source.key
        need = estimate(model.config, 1, source.ids.shape[1], 1).encoded
        return self.encoded.get(key, need, lambda: encode(model, source))

    def use(
        self,
        request: ModelRequest,
        need: MemoryEstimate,
        compute: Callable[[LoadedModel, Hashable], T],
        *,
        tell: Tell | None = None,
    ) -> T:
        """Call `compute` with the requested model and the key under which it is cached.

        If a GPU is full or fails, the CPU takes over.

        Raises:
            TooLargeError: if memory does not suffice; then nothing has run.
            WeightsGoneError: if the weights are gone.
        """
        tell = tell or _report_nothing
        try:
            # While another large model is being made or run, free memory may not stay free.
            with self._alone() if need.model > BIG else nullcontext():
                known = request in self.models
                if not known or need.trace > SMALL_TRACE:
                    self._make_room(request, need, known=known)
                loaded = self.models.get(request, need.model, lambda: _load(request, tell))
                computed = compute(loaded, request)
                finish(request.device)
                return computed
        except FloatingPointError:
            raise OverflowedError(
                tr(
                    "For these sentences the numbers in this model grow until they overflow, so "
                    "there is nothing true to draw. Choose other weights, or other parts of the "
                    "model."
                )
            ) from None
        except GPU_ERRORS as error:  # the GPU is full or gone
            if request.device == "cpu":
                raise
            self.give_up_memory()
            device = request.device
            if "out of memory" in str(error):
                tell("gpu", tr("{device} is out of memory", device=device))
            else:
                tell("gpu", tr("{device} could not compute", device=device))
        return self.use(replace(request, device="cpu"), need, compute, tell=tell)

    def result(
        self,
        request: ModelRequest,
        need: MemoryEstimate,
        key: Hashable,
        size: int,
        compute: Callable[[LoadedModel], T],
        *,
        tell: Tell | None = None,
    ) -> T:
        """The result of `compute` for the requested model, kept under `key` as `size` bytes.

        Raises:
            TooLargeError, WeightsGoneError: as `use` does.
        """

        def kept(loaded: LoadedModel, model_key: Hashable) -> T:
            found: T = self.results.get((model_key, key), size, lambda: compute(loaded))
            return found

        return self.use(request, need, kept, tell=tell)

    @contextmanager
    def room_for(self, need: int) -> Iterator[bool]:
        """Whether another process may take `need` bytes; no large model is made in this block."""
        if not self.big_run.acquire(blocking=False):
            yield False
            return
        try:
            if free_memory("cpu") < need:
                self.give_up_memory()
            yield free_memory("cpu") >= need
        finally:
            self.big_run.release()

    @property
    def kept_memory(self) -> int:
        """Bytes of models and traces that could be made again."""
        return self.models.held + self.traces.held

    def give_up_memory(self) -> None:
        """Drop everything that can be made again."""
        for kept in (self.models, self.traces, self.encoded):
            kept.clear()
        return_memory()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Run one large model at a time; small models of other visitors go on meanwhile."""
        with release_turn(), self.big_run:
            yield

    def _make_room(self, request: ModelRequest, need: MemoryEstimate, *, known: bool) -> None:
        """Empty the caches if the model needs their memory, or refuse the model.

        Raises:
            RuntimeError: if a GPU has too little memory, or is gone and reports none.
            TooLargeError: if the CPU has too little.
        """
        total, free = need.model + 2 * need.trace, free_memory(request.device)
        if total > 0.9 * (free + self.kept_memory) or (free == 0 and request.device != "cpu"):
            if request.device != "cpu":
                raise RuntimeError(f"out of memory: {total} bytes needed, {free} free")
            raise TooLargeError(_refusal(request, total, free + self.kept_memory))
        if not known and total > 0.9 * free:
            self.give_up_memory()


@cache
def engine() -> Engine:
    """The engine of this process."""
    return Engine()


def _load(request: ModelRequest, tell: Tell) -> LoadedModel:
    return_memory()
    report, weights = None, request.config.n_weights
    if 4 * weights > BIG:
        news: News = "reading" if isinstance(request.source, Pretrained) else "drawing"
        report = tell(news, tr("{weights:,} weights for this model …", weights=weights))
    trained = trained_model(request.source, report)
    model = Transformer(
        request.config,
        seed=request.seed,
        device=request.device,
        weights=None if trained is None else trained.state_dict(),
    )
    return LoadedModel(model)


def _refusal(request: ModelRequest, total: int, free: int) -> str:
    config = request.config
    why = tr(
        "This model and its trace need about {needed:,.0f} MB, and {free:,.0f} MB are free on this "
        "device.",
        needed=total / MIB,
        free=free / MIB,
    )
    if isinstance(request.source, Pretrained):
        advice = tr("Choose a smaller model, or shorter sentences.")
    else:
        advice = tr(
            "Lower d_model ({d_model}), the layers ({encoder} + {decoder}) or d_ff ({d_ff}).",
            d_model=config.d_model,
            encoder=config.n_encoder_layers,
            decoder=config.n_decoder_layers,
            d_ff=config.d_ff,
        )
    return sentences(why, advice)


def _report_nothing(news: News, text: str) -> None:
    """Report to nobody."""
