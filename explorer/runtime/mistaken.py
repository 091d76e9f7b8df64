"""The engine with a mistake: a model that makes it, and its trace."""

from collections.abc import Hashable
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from explorer.forward import forward
from explorer.mistakes.catalogue import Mistake
from explorer.runtime.engine import Engine, LoadedModel, Tell
from explorer.runtime.memory import estimate
from explorer.text import Batch
from explorer.transformer import Transformer, TransformerTrace
from explorer.weights.catalogue import ModelRequest

# Tensors of a trace that all sentences share, with so many axes.
_FOR_ALL: Final = {"position": 2, "bias": 3}
# A twin goes when its model goes: it may hold none but the model's weights, never the model.
_twins: Final[WeakKeyDictionary[Transformer, dict[str, Transformer]]] = WeakKeyDictionary()


def mistaken_trace(
    engine: Engine,
    request: ModelRequest,
    mistake: Mistake,
    batch: Batch,
    row: int,
    *,
    dropout_seed: int | None = None,
    tell: Tell | None = None,
) -> TransformerTrace:
    """The trace of one pair of a batch, computed with a mistake on the requested weights.

    Raises:
        TooLargeError: if memory does not suffice; then nothing has run.
        WeightsGoneError: if the weights are gone.
        ValueError: if the model cannot make this mistake.
    """
    rows = len(batch.src) if mistake.across else 1
    need = estimate(request.config, rows, batch.src.shape[1], batch.tgt_in.shape[1])
    at = slice(None) if mistake.across else slice(row, row + 1)
    ids = batch.sources[at].key, batch.targets_in[at].key

    def compute(loaded: LoadedModel, model_key: Hashable) -> TransformerTrace:
        def trace() -> TransformerTrace:
            with torch.inference_mode():
                model = twin(loaded.model, mistake)
            if not mistake.across:
                return forward(model, batch, row=row, dropout_seed=dropout_seed)
            whole = forward(model, batch, dropout_seed=dropout_seed)
            row_trace: TransformerTrace = one_sentence(whole, row)
            return row_trace

        key = (model_key, mistake.id, dropout_seed, row, ids)
        return engine.traces.get(key, need.trace, trace)

    return engine.use(request, need, compute, tell=tell)


def twin(model: Transformer, mistake: Mistake) -> Transformer:
    """The model that makes the mistake, built once for each model; it shares the weights."""
    twins = _twins.setdefault(model, {})
    if mistake.id not in twins:
        twins[mistake.id] = mistake.applied_to(model)
    return twins[mistake.id]


def one_sentence(trace: Any, row: int) -> Any:
    """The part of a batch's trace that belongs to one of its sentences."""
    if isinstance(trace, tuple):
        return tuple(one_sentence(layer, row) for layer in trace)
    if isinstance(trace, Tensor):
        return trace[row : row + 1] if len(trace) > 1 else trace
    if not is_dataclass(trace) or isinstance(trace, type):
        return trace
    values = {field.name: getattr(trace, field.name) for field in fields(trace)}
    parts = {
        name: one_sentence(value, row)
        for name, value in values.items()
        if name not in _FOR_ALL or (value is not None and value.ndim > _FOR_ALL[name])
    }
    return replace(trace, **parts)
