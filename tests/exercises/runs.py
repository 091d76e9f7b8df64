"""Runs to ask about, and what tests of questions share."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from explorer.config import ModelConfig
from explorer.exercises.draw import ask
from explorer.exercises.facts import KINDS, Asked
from explorer.exercises.question import Answer, grade
from explorer.names import AttentionKind
from explorer.runtime.engine import Engine, Run
from explorer.text import Answer as Written
from explorer.text import Batch
from explorer.weights.catalogue import UNTRAINED, Shipped, request
from explorer.weights.loaded import load

SMALL: dict[str, Any] = {"d_model": 32, "n_heads": 4, "d_ff": 64}
PAIRS = (
    ["the cat saw the dog", "it was tired today and slept well"],
    ["die Katze sah", "es war müde <b> & schlief"],
)
CONFIGS: dict[str, dict[str, Any]] = {
    "untrained": {"n_encoder_layers": 2, "n_decoder_layers": 2},
    "padded on the left": {"n_encoder_layers": 1, "n_decoder_layers": 2},
    "encoder alone": {"n_encoder_layers": 2, "n_decoder_layers": 0, "output": "nothing"},
    "decoder alone": {"n_encoder_layers": 0, "n_decoder_layers": 2},
    "other parts": {
        "n_encoder_layers": 2,
        "n_decoder_layers": 1,
        "norm": "rms",
        "norm_first": True,
        "positions": "rotary",
        "gated": True,
        "bias": False,
        "d_kv": 5,
        "scale_scores": False,
    },
}
MODELS = ("translator", "reverse", *CONFIGS)


@cache
def run_of(name: str) -> Run:
    """One run of each model."""
    if name in CONFIGS:
        side: Any = "left" if "left" in name else "right"
        pairs = [texts[:1] if "alone" in name else texts for texts in PAIRS]  # without PAD, or with
        batch = Batch.from_text(*pairs, side=side)
        config = ModelConfig(**{**SMALL, **CONFIGS[name]})
        return Engine().run(request(UNTRAINED, config, seed=3), batch, 0)
    loaded = load(name)
    sources = ["You can do what you like.", "I like cats and dogs more than birds."]
    if name == "reverse":
        sources = ["one two three one", "it was tired today and slept well"]
    answers: list[str | Written] = list(loaded.answers(sources))
    batch = loaded.tokenizer.batch(sources, answers)
    return Engine().run(request(Shipped(name)), batch, 0)


@cache
def asked(kind: str, name: str) -> list[Asked]:
    """Some questions of a kind about a model; none where it has no data for them."""
    drawn = (ask(kind, run_of(name), draw) for draw in range(4))
    return [question for question in drawn if question is not None]


def check(kind: str, name: str, by_hand: Callable[[Asked, Run], Answer]) -> None:
    """Every question of a kind, answered by hand: that is right, and the question's own answer."""
    for one in asked(kind, name):
        found, right = by_hand(one, run_of(name)), one.facts.right
        assert grade(one.worded(), found).is_right, (one.worded().text, right, found)
        if isinstance(found, float):
            assert isinstance(right, int | float)
            assert abs(found - right) < 1e-3 * max(1.0, abs(found)), one.worded().text
        else:
            assert right == found, one.worded().text


def kinds_about(topic: str) -> list[str]:
    """The kinds of one topic."""
    return [kind for kind, about in KINDS.items() if about.topic == topic]


def numbers_in(text: str) -> list[float]:
    """The numbers with decimals in a text."""
    return [float(found.replace("−", "-")) for found in re.findall(r"−?\d+\.\d+", text)]


def sides(run: Run, kind: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of the queries and of the keys."""
    queries = run.src_labels if kind == "encoder" else run.tgt_labels
    return queries, run.tgt_labels if kind == "decoder" else run.src_labels


def weights_by_hand(run: Run, kind: AttentionKind, layer: int) -> np.ndarray:
    """softmax(QKᵀ ÷ √d_k) of every head, from the weight matrices; (heads, query, key)."""
    module = run.loaded.model.attention(kind, layer)
    inputs = run.trace.attention_inputs(kind, layer)
    x_query, x_key = (x[0].double().numpy() for x in inputs)
    width = module.n_heads * module.d_k
    w = module.w_qkv.weight.detach().double().numpy()
    b = module.w_qkv.bias.detach().double().numpy()
    q = x_query @ w[:width].T + b[:width]
    k = x_key @ w[width : 2 * width].T + b[width : 2 * width]
    seen = open_cells_by_hand(run, kind)
    found = []
    for head in range(module.n_heads):
        part = slice(head * module.d_k, (head + 1) * module.d_k)
        scores = np.where(seen, q[:, part] @ k[:, part].T / np.sqrt(module.d_k), -np.inf)
        grown = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-1e9))
        found.append(grown / np.maximum(grown.sum(axis=1, keepdims=True), 1e-30))
    return np.array(found)


def open_cells_by_hand(run: Run, kind: str | None) -> np.ndarray:
    """A mask of the cells that may be attended to, from the ids alone: (query, key)."""
    src, tgt = (ids[run.row].tolist() for ids in (run.batch.src, run.batch.tgt_in))
    queries = src if kind == "encoder" else tgt
    keys = tgt if kind == "decoder" else src
    return np.array(
        [
            [
                key != run.batch.pad_id and (kind != "decoder" or k <= q)
                for k, key in enumerate(keys)
            ]
            for q in range(len(queries))
        ]
    )
