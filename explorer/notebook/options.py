"""The options of the pictures in a notebook."""

from typing import Literal, TypedDict


class HeadShown(TypedDict, total=False):
    """A head without PAD; its colours up to the largest weight; the framed weight, from 0."""

    hide_pad: bool
    own_range: bool
    query: int
    key: int


class Positions(TypedDict, total=False):
    """Of the paper's waves: how many positions, base, formula, and the first dimension drawn."""

    length: int
    base: int
    formula: str
    first: int
    scaled: bool  # whether the inputs show the embedding × √d_model
    word: int  # the position that is framed in the encoding


class StepFocus(TypedDict, total=False):
    """One query and one key, from 0; one row or whole matrices; which of q, k and v."""

    query: int
    key: int
    form: Literal["vector", "matrix"]
    which: Literal["q", "k", "v"]


class Change(TypedDict, total=False):
    """Of one attention: a head switched off, no ÷ √d_k, no mask."""

    without_head: int | None
    scaled: bool
    masked: bool


class Choosing(TypedDict, total=False):
    """The options with which a beam search or sampling chooses the next word."""

    width: int
    alpha: float
    temperature: float
    top_k: int | None
    top_p: float
    seed: int
