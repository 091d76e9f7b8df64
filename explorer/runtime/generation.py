"""An answer written word by word, as small arrays: what the decoding page shows, and keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch
from jaxtyping import Int
from torch import Tensor

from explorer.decoding import (
    LIMIT,
    ROOT,
    DecodingStep,
    Hypothesis,
    beam,
    best,
    follow,
    greedy,
    sample,
    way_to,
)
from explorer.runtime.cache import ByteCache
from explorer.runtime.memory import estimate
from explorer.text import EOS_ID
from explorer.transformer import Transformer
from explorer.ui.controls.answers import most_words
from explorer.ui.reading import Key, LoadedModel, with_model
from explorer.ui.settings import Method, Settings


@dataclass(frozen=True, slots=True)
class Way:
    """How the next word is chosen."""

    method: Method = "greedy"
    width: int = 4
    alpha: float = 0.6
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int = 0
    limit: int = LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of the answer and what led to it."""

    read: tuple[int, ...]
    chosen: int
    probabilities: np.ndarray  # (vocab,)
    candidates: np.ndarray  # (vocab,)
    own: np.ndarray  # masked self-attention of the newest position, (layers, heads, read)
    cross: np.ndarray  # (layers, heads, src)


@dataclass(frozen=True, slots=True)
class Written:
    """A whole answer, and the tree of a beam search: the nodes, step by step."""

    words: tuple[Word, ...]
    ended: bool
    tree: tuple[tuple[Hypothesis, ...], ...] = ()
    best: tuple[int, ...] = ()  # numbers of the nodes on the way to the answer


@st.cache_resource(show_spinner=False)
def _kept() -> ByteCache[Written]:
    return ByteCache(8 * 2**20, keep_oversized=False)


def written(settings: Settings, src: Int[Tensor, "1 src"], way: Way) -> Written:
    """The answer to a source."""
    way = replace(way, limit=most_words(settings.weights.task, src.shape[1]))
    need = estimate(settings.config, way.width, src.shape[1], way.limit)

    def compute(loaded: LoadedModel, model_key: Key) -> Written:
        device = next(loaded.model.parameters()).device
        key = (model_key, src.numpy().tobytes(), way)
        looks = settings.n_heads * settings.n_decoder_layers * (src.shape[1] + way.limit)
        size = 4 * way.limit * (2 * settings.config.tgt_vocab_size + looks)
        return _kept().get(key, size, lambda: _write(loaded.model, src.to(device), way))

    return with_model(settings, need, compute)


def _write(model: Transformer, src: Tensor, way: Way) -> Written:
    if way.method == "beam search":
        return _search(model, src, way)
    if way.method == "greedy":
        steps = greedy(model, src, limit=way.limit)
    else:
        generator = torch.Generator(src.device).manual_seed(way.seed)
        steps = sample(
            model, src, generator, temperature=way.temperature, top_k=way.top_k,
            top_p=way.top_p, limit=way.limit,
        )  # fmt: skip
    words = tuple(map(_word, steps))  # one at a time: each step holds a whole trace
    return Written(words, words[-1].chosen == EOS_ID)


def _search(model: Transformer, src: Tensor, way: Way) -> Written:
    tree = [
        tuple(grown)
        for grown in beam(model, src, width=way.width, alpha=way.alpha, limit=way.limit)
    ]
    nodes = [ROOT, *(node for grown in tree for node in grown)]
    way_to_it = way_to(nodes, best(nodes))
    steps = follow(model, src, [node.token for node in way_to_it[1:]])
    numbers = tuple(node.number for node in way_to_it)
    return Written(tuple(map(_word, steps)), way_to_it[-1].ended, tuple(tree), numbers)


def _word(step: DecodingStep) -> Word:
    def newest(weights: Sequence[Tensor]) -> np.ndarray:
        rows: np.ndarray = torch.stack([layer[0, :, -1] for layer in weights]).cpu().numpy()
        return rows

    return Word(
        read=step.read,
        chosen=step.chosen,
        probabilities=step.probabilities.cpu().numpy(),
        candidates=step.candidates.cpu().numpy(),
        own=newest([layer.attention.weights for layer in step.trace.layers]),
        cross=newest([layer.cross.weights for layer in step.trace.layers]),
    )
