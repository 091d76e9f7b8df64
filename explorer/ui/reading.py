"""From the settings to the trace on screen: memory checked first, models and traces shared."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Final, TypeVar

import streamlit as st
from torch import nn

from explorer.analysis.what_if import AttentionChange, changed
from explorer.explore import encode, run
from explorer.interop import largest_difference, to_torch
from explorer.runtime.cache import ByteCache
from explorer.runtime.device import GPU_ERRORS, finish
from explorer.runtime.limits import memory_limit, resident_memory
from explorer.runtime.memory import MemoryEstimate, estimate, free_memory, return_memory
from explorer.runtime.turns import others_meanwhile
from explorer.text import Batch
from explorer.transformer import AttentionKind, EncoderTrace, Transformer, TransformerTrace
from explorer.ui.controls.weights import checkpoint_of
from explorer.ui.settings import Settings

MIB: Final = 2**20
COMFORTABLE: Final = 470 * MIB  # what a process should hold at most while nothing larger is asked
Key = tuple[Hashable, ...]
T = TypeVar("T")
BIG: Final = 64 * MIB  # models from this size on run one at a time


class WeightsGoneError(Exception):
    """Weights that were trained here, and had to make room for others."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model, and its twin on `torch.nn`, which shares its weights."""

    model: Transformer
    twin: nn.Transformer


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence pair as the model read it."""

    batch: Batch
    row: int
    loaded: LoadedModel
    trace: TransformerTrace
    key: Key

    def difference_to_torch(self) -> float:
        """The largest difference between the trace and `torch.nn` with the same weights."""
        compute = partial(largest_difference, self.loaded.twin, self.trace)
        return _differences().get((self.key, "torch"), 64, compute)

    def what_if(
        self, settings: Settings, kind: AttentionKind, layer: int, change: AttentionChange
    ) -> TransformerTrace:
        """The trace of the same sentences with one attention changed."""
        seed = settings.dropout_seed if settings.dropout else None
        need = estimate(settings.config, 1, self.batch.src.shape[1], self.batch.tgt_in.shape[1])

        def compute(loaded: LoadedModel, model_key: Key) -> TransformerTrace:
            model = changed(loaded.model, kind, layer, change)
            key = (self.key, kind, layer, change)
            return _caches().traces.get(
                key, need.trace, lambda: run(model, self.batch, row=self.row, dropout_seed=seed)
            )

        return with_model(settings, need, compute)

    @property
    def src_labels(self) -> tuple[str, ...]:
        """Source tokens of the pair, PAD included."""
        return self.batch.src_labels[self.row]

    @property
    def tgt_labels(self) -> tuple[str, ...]:
        """Tokens that the decoder reads."""
        return self.batch.tgt_in_labels[self.row]


@dataclass(frozen=True, slots=True)
class Caches:
    """What the sessions share."""

    models: ByteCache[LoadedModel]
    traces: ByteCache[TransformerTrace]
    encoded: ByteCache[EncoderTrace]  # parts of traces: those kept in both are there once
    big_run: Lock


@st.cache_resource(show_spinner=False)
def _differences() -> ByteCache[float]:
    return ByteCache(64 * 1000)


@st.cache_resource(show_spinner=False)
def _caches() -> Caches:
    """Sized so that the process stays near `COMFORTABLE`, or three quarters of what it may have."""
    room = min(COMFORTABLE, memory_limit() * 3 // 4) - resident_memory()
    traces = max(4 * MIB, min(16 * MIB, room // 12))
    models = max(32 * MIB, room - traces)
    return Caches(
        models=ByteCache(models),
        traces=ByteCache(traces, keep_oversized=False),
        encoded=ByteCache(traces // 2, keep_oversized=False),
        big_run=Lock(),
    )


def read(settings: Settings) -> Reading:
    """Run the model on the pair on show, or say on the page why that is not possible and stop."""
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    require_words(batch, row)
    need = estimate(settings.config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    ids = (batch.src[row].numpy().tobytes(), batch.tgt_in[row].numpy().tobytes())
    dropout_seed = settings.dropout_seed if settings.dropout else None

    def run_pair(loaded: LoadedModel, model_key: Key) -> Reading:
        def compute() -> TransformerTrace:
            if dropout_seed is not None:  # what falls in the decoder depends on the encoder's dice
                return run(loaded.model, batch, row=row, dropout_seed=dropout_seed)
            encoded = _caches().encoded.get(
                (model_key, ids[0]), need.encoded, lambda: encode(loaded.model, batch, row=row)
            )
            return run(loaded.model, batch, row=row, encoded=encoded)

        key = (model_key, dropout_seed, ids)
        trace = _caches().traces.get(key, need.trace, compute)
        return Reading(batch, row, loaded, trace, key)

    return with_model(settings, need, run_pair)


def with_model(
    settings: Settings, need: MemoryEstimate, compute: Callable[[LoadedModel, Key], T]
) -> T:
    """`compute` with the model that the settings describe, and with the key it is cached by.

    What would not fit into memory is refused, on the page, before anything runs; where a GPU
    is full or fails, the page says so and the CPU computes it.
    """
    caches = _caches()
    key = (settings.config, settings.seed, settings.device, settings.weights)
    try:
        # While another large model is made or runs, what is free now need not be free later.
        with _alone(caches.big_run) if need.model > BIG else nullcontext():
            _make_room(settings, need, known=key in caches.models)
            computed = compute(caches.models.get(key, need.model, lambda: _load(settings)), key)
            finish(settings.device)
            return computed
    except WeightsGoneError:
        st.warning("These weights had to make room for others: train again, or choose others.")
        st.stop()
    except GPU_ERRORS as error:  # one that is full, or gone
        if settings.device == "cpu":
            raise
        give_up_memory()
        full = "out of memory" in str(error)
        st.warning(
            f"{settings.device} {'is out of memory' if full else 'could not compute this'}: "
            "this picture was computed on the CPU.",
            icon=":material/memory:",
        )
    return with_model(replace(settings, device="cpu"), need, compute)


def _make_room(settings: Settings, need: MemoryEstimate, *, known: bool) -> None:
    """Give up what is kept where the model needs its place, or refuse it on the page and stop.

    Raises:
        RuntimeError: a GPU has too little memory, or has gone and says that it has none.
    """
    total, free = need.model + 2 * need.trace, free_memory(settings.device)
    if settings.device != "cpu":
        if free == 0 or total > 0.9 * (free + kept_memory()):
            raise RuntimeError(f"out of memory: {total} bytes needed, {free} free")
    elif total > 0.9 * (free + kept_memory()):
        st.error(
            f"This model and its trace need about {total / MIB:,.0f} MB, and "
            f"{(free + kept_memory()) / MIB:,.0f} MB are free on this device. Lower d_model "
            f"({settings.d_model}), the layers ({settings.n_encoder_layers} + "
            f"{settings.n_decoder_layers}) or d_ff ({settings.config.d_ff}).",
            icon=":material/memory:",
        )
        st.stop()
    if known:
        return
    if total > 0.9 * free:
        give_up_memory()
    if need.model > BIG:
        st.toast(  # it takes a second or two, and a toast moves nothing on the page
            f"Drawing {need.model // 4:,} weights for this model …",
            icon=":material/hourglass_top:",
        )


@contextmanager
def _alone(big_run: Lock) -> Iterator[None]:
    """One large model at a time; the small ones of other people go on beside it."""
    with others_meanwhile(), big_run:
        yield


@contextmanager
def room_for(need: int) -> Iterator[bool]:
    """Whether another process may take so many bytes; no large model is made in this block."""
    big_run = _caches().big_run
    if not big_run.acquire(blocking=False):
        yield False
        return
    try:
        if free_memory("cpu") < need:
            give_up_memory()
        yield free_memory("cpu") >= need
    finally:
        big_run.release()


def require_words(batch: Batch, row: int) -> None:
    """Show a hint in place of the picture where there is nothing to read."""
    if (batch.src[row] == batch.pad_id).all():
        which = f" of pair {row + 1}" if len(batch.src) > 1 else ""
        typed = f"The source{which} holds only PAD. " if batch.tgt_out is None else ""
        st.info(
            f"{typed}Type a source sentence{which} above, or pick an example: the picture follows "
            "while you type.",
            icon=":material/keyboard:",
        )
        st.stop()


def _load(settings: Settings) -> LoadedModel:
    return_memory()
    trained = checkpoint_of(settings.weights)
    if trained is None and settings.weights.kind != "untrained":
        raise WeightsGoneError
    model = Transformer(
        settings.config,
        seed=settings.seed,
        device=settings.device,
        weights=None if trained is None else trained.model.state_dict(),
    )
    return LoadedModel(model, to_torch(model))


def kept_memory() -> int:
    """Bytes of models and traces that could be made anew."""
    caches = _caches()
    return caches.models.held + caches.traces.held


def give_up_memory() -> None:
    """Let go of everything that can be made anew."""
    caches = _caches()
    for cache in (caches.models, caches.traces, caches.encoded):
        cache.clear()
    return_memory()


def tidy_memory() -> None:
    """After a page that took much memory for a moment: give it back."""
    if resident_memory() > COMFORTABLE:
        return_memory()
