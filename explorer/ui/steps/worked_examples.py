"""The numbers on the step-by-step page: the model's own, or examples to work out on paper."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from explorer.analysis.attention import Attention
from explorer.analysis.head_steps import HeadSteps, bare_steps, head_steps
from explorer.analysis.what_if import AttentionChange, ChangedAttention
from explorer.attention import MultiHeadAttention
from explorer.choices.parameters import Numbers, Parameter
from explorer.initialisation import draw_weights
from explorer.languages import mark, tr
from explorer.masks import causal_mask
from explorer.runtime.engine import Run
from explorer.ui.components.number_grid import forget_numbers, number_grid, typed_numbers
from explorer.ui.controls.buttons import button
from explorer.ui.frame.running import tell
from explorer.ui.steps.what_if_controls import UNCHANGED
from explorer.views.steps.focus import came_from

Rows = Sequence[Sequence[float]]
QUERY: Final = mark("query {n}")
KEY: Final = mark("key {n}")
VALUE: Final = mark("value {n}")
WORD: Final = mark("word {n}")

Grid = tuple[Parameter[str | None], str, Rows, str]  # with its title, and the name of a row
GRIDS: Final[dict[str, list[Grid]]] = {
    "toy": [
        (Numbers.toy_q, mark("Queries"), ((0, 10, 0), (0, 0, 10), (10, 10, 0)), QUERY),
        (Numbers.toy_k, mark("Keys"), ((10, 0, 0), (0, 10, 0), (0, 0, 10), (0, 0, 10)), KEY),
        (Numbers.toy_v, mark("Values"), ((1, 0, 1), (10, 0, 2), (100, 5, 0), (1000, 6, 0)), VALUE),
    ],
    "two_heads": [
        (Numbers.toy_x, "x", ((0, 0.1, 0.2, 0.3), (1, 1.1, 1.2, 1.3), (2, 2.1, 2.2, 2.3)), WORD)
    ],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An attention to follow step by step, for any head, with or without a change."""

    steps: Callable[[int, AttentionChange], HeadSteps]  # head from 0
    n_heads: int
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    came_from: str
    about: str = ""  # describes the example; empty for the model on screen


def from_model(ran: Run, attention: Attention) -> Example:
    """An attention of the model on screen."""
    model, kind, layer = ran.loaded.model, attention.kind, attention.layer

    def steps(head: int, change: AttentionChange) -> HeadSteps:
        trace = ran.trace
        if change != UNCHANGED:
            trace = ran.what_if(kind, layer, change, tell=tell)
        return head_steps(
            ChangedAttention(model.attention(kind, layer), change),
            trace.attention_inputs(kind, layer),
            trace.attention(kind, layer),
            head,
        )

    return Example(
        steps=steps,
        n_heads=attention.n_heads,
        query_labels=attention.query_labels,
        key_labels=attention.key_labels,
        came_from=came_from(ran.request.config, kind, layer),
    )


def show_examples(case: str) -> None:
    """The numbers of an example to be changed, and what it is about."""
    grids = GRIDS.get(case, [])
    for parameter, title, usual, name in grids:
        number_grid(parameter, tr(title), usual, names=_numbered(name, len(usual)))
    if grids:
        typed = [parameter for parameter, *_ in grids]
        button(tr("Reset"), on_click=forget_numbers, args=(*typed,))


def toy_numbers() -> Example:
    """Three queries, four keys and their values."""
    about = tr(
        "Three queries meet four keys and their values. Change a number, and the weights and the "
        "output follow."
    )
    q, k, v = (typed_numbers(parameter, usual) for parameter, _, usual, _ in GRIDS["toy"])
    return _given(q, k, v, _numbered(QUERY, 3), _numbered(KEY, 4), about)


def masked_hundred() -> Example:
    """The scores 0 … 99 as a 10 × 10 matrix under a causal mask.

    With q_i = (10i, 1)·√2 and k_j = (1, j) the scores are 10i + j.
    """
    n = torch.arange(10.0)
    q = torch.stack([10 * n, torch.ones(10)], dim=1) * math.sqrt(2)
    k = torch.stack([torch.ones(10), n], dim=1)
    labels = [str(position) for position in range(10)]
    about = tr(
        "q and k are chosen so that the score in row i and column j, divided by √d_k, is 10·i + j: "
        "the numbers 0 to 99, under a causal mask."
    )
    numbers = q.numpy(), k.numpy(), n[:, None].numpy()
    return _given(*numbers, labels, labels, about, causal_mask(10)[0, 0])


def two_scores() -> Example:
    """One query whose products with two keys are 112 and 96, with d_k = 64.

    A query of 64 ones, and keys of 64 times 1.75 and 64 times 1.5. The values are unit vectors, so
    that the context equals the weights.
    """
    keys = np.repeat([[1.75], [1.5]], 64, axis=1).astype(np.float32)
    query, values = np.ones((1, 64), np.float32), np.eye(2, dtype=np.float32)
    about = tr(
        "A widely read introduction has q·k = 112 and 96 with d_k = 64: divided by 8 they are 14 "
        "and 12, and the softmax gives {first:.4f} and {second:.4f}. Its figure rounds to "
        "{first:.2f} and {second:.2f}.",
        first=0.8808,
        second=0.1192,
    )
    return _given(query, keys, values, _numbered(QUERY, 1), _numbered(KEY, 2), about)


def two_heads(seed: int, dropout: float, dropout_seed: int | None) -> Example:
    """Three words of four numbers in an attention with two heads."""
    names = _numbered(WORD, 3)
    ((parameter, _, usual, _),) = GRIDS["two_heads"]
    x = torch.from_numpy(typed_numbers(parameter, usual))[None]
    attention = MultiHeadAttention(4, 2, dropout)
    draw_weights(attention, seed)

    def steps(head: int, change: AttentionChange) -> HeadSteps:
        generator = None
        if dropout_seed is not None:
            generator = torch.Generator().manual_seed(dropout_seed)
        ran = ChangedAttention(attention, change)
        with torch.inference_mode():
            return head_steps(ran, (x, x), ran(x, x, None, generator), head)

    return Example(
        steps=steps,
        n_heads=2,
        query_labels=names,
        key_labels=names,
        came_from=tr("x comes from the grid."),
        about=tr(
            "Three words of four numbers in one attention with two heads; its weights are drawn "
            "from the seed of the model above."
        ),
    )


def _given(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    query_labels: Sequence[str],
    key_labels: Sequence[str],
    about: str,
    mask: torch.Tensor | None = None,
) -> Example:
    def steps(head: int, change: AttentionChange) -> HeadSteps:
        return bare_steps(
            torch.from_numpy(q),
            torch.from_numpy(k),
            torch.from_numpy(v),
            mask if change.masked else None,
            scale=change.scale(None),
        )

    return Example(
        steps=steps,
        n_heads=1,
        query_labels=query_labels,
        key_labels=key_labels,
        came_from=tr("q, k and v are given."),
        about=about,
    )


def _numbered(name: str, count: int) -> list[str]:
    return [tr(name, n=n + 1) for n in range(count)]
