"""Shared by the tests of the step-by-step page: its model, its steps, and how to read them."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from streamlit.testing.v1 import AppTest

from explorer.interop import to_torch
from explorer.names import AttentionKind, PaddingSide
from explorer.text import Batch
from explorer.views.steps.step_views import STEPS
from tests.app.driving import choose, matrices, open_page, pictures, state_of
from tests.app.untrained import PAIRS, model_of

SHAKEN = 424_242  # a seed that no other test takes: models are kept by their settings
D_MODEL, HEADS, D_K = 16, 2, 8
LAYER = 2
MODEL = {"d_model": D_MODEL, "heads": HEADS, "seed": SHAKEN}
Matrices = dict[str, np.ndarray]


def batch_of(side: PaddingSide = "right") -> Batch:
    return Batch.from_text([s for s, _ in PAIRS], [t for _, t in PAIRS], side=side)


def biases(kind: AttentionKind) -> Matrices:
    """b_Q, b_K, b_V and b_O of the layer on show, by torch's names for them."""
    twin = to_torch(model_of(MODEL))
    stack = twin.encoder if kind == "encoder" else twin.decoder
    layer = stack.layers[LAYER - 1]
    attention = layer.multihead_attn if kind == "cross" else layer.self_attn
    q, k, v = attention.in_proj_bias.detach().double().numpy().reshape(3, D_MODEL)
    return {"q": q, "k": k, "v": v, "o": attention.out_proj.bias.detach().double().numpy()}


def hidden_cells(kind: AttentionKind, side: PaddingSide = "right") -> np.ndarray:
    """The hidden cells of the second pair, from its ids alone: PAD and the future."""
    batch = batch_of(side)
    src, tgt = batch.src[1].tolist(), batch.tgt_in[1].tolist()
    queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
    return np.array([
        [key == 0 or (kind == "decoder" and j > i) for j, key in enumerate(keys)]
        for i in range(len(queries))
    ])  # fmt: skip


def small(kind: AttentionKind, form: str, head: int = 2, **more: Any) -> AppTest:
    """The page, for the second pair (which has PAD) and a model small enough to be shown whole."""
    shown = {"form": form, "head": head, "attention": kind, "layer": LAYER, "pair": 2}
    shown |= {"drawer": "formula"}
    return open_page("steps", **(state_of(PAIRS) | MODEL | shown | more))


def go_to(at: AppTest, step: str | None = None, which: str = "q", **choices: int) -> AppTest:
    """Another step, another query, another key."""
    if step is not None:
        choose(at, step=step)
        if step == "qkv":
            choose(at, which=which)
    choose(at, **choices).run()
    return at


def drawn(at: AppTest, key: str = "step_picture") -> Matrices:
    return matrices(pictures(at)[key])


def text_of(at: AppTest, number: int = 0) -> str:
    """The numbers of the step, written out; of a what-if where number is 1.

    If the drawer with all terms is open, they are those in it.
    """
    in_drawer = at.query_params.get("drawer") == "formula"
    return at.code[number + in_drawer * (len(at.code) // 2)].value


def walk(at: AppTest) -> dict[str, Matrices]:
    """The matrices of all nine steps, of qkv once for each; nothing where none are drawn."""
    found: dict[str, Matrices] = {}
    for step in STEPS:
        for which in ("q", "k", "v") if step == "qkv" else ("",):
            sent = pictures(go_to(at, step, which))
            if "step_picture" in sent:
                found[which or step] = matrices(sent["step_picture"])
    return found


@cache
def usual(kind: AttentionKind, head: int = 2) -> dict[str, Matrices]:
    """All steps in matrix form without any change, opened once for all tests."""
    return walk(small(kind, "matrix", head))


def softmax(masked: np.ndarray) -> np.ndarray:
    """Row by row, in float64; blank cells get 0, and so does a row of nothing else."""
    powers = np.where(np.isnan(masked), 0.0, np.exp(np.nan_to_num(masked)))
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)


def filled(weights: np.ndarray) -> np.ndarray:
    """Weights that were drawn blank, because the mask hides them, are 0."""
    return np.nan_to_num(weights)


def named(word: str, position: int) -> str:
    """A word and its position in a sum."""
    return f"“{word}” ({position})"


def close(actual: np.ndarray, wanted: np.ndarray, what: str = "") -> None:
    np.testing.assert_allclose(actual, wanted, atol=1e-5, rtol=1e-5, err_msg=what)


def same(one: np.ndarray, other: ArrayLike) -> None:
    np.testing.assert_array_equal(one, other)
