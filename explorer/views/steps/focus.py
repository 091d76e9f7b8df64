"""The focus of the step-by-step page, with its numbers as matrices and in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from explorer.analysis.head_steps import HeadSteps
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.drawing.labels import elide
from explorer.figures.arithmetic import signed_number
from explorer.figures.attention import Heads
from explorer.figures.equation import Matrix, Reach
from explorer.languages import in_quotes, tr
from explorer.names import PAD, AttentionKind

Form = Literal["vector", "matrix"]
Which = Literal["q", "k", "v"]
SHOWN: Final = 64  # dimensions of a head: more could not be distinguished
SHOWN_OF_X: Final = 32  # dimensions of d_model, whose matrices have as many rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """One head of one attention, with one query and one key.

    In vector form, a matrix of queries is reduced to the row of the query in focus.
    """

    steps: HeadSteps
    query: int
    key: int
    query_labels: Sequence[str]
    key_labels: Sequence[str]
    came_from: str  # the origin of x, in words
    kind: AttentionKind
    layer: int | None  # from 0; None outside of a model
    head: int
    form: Form
    which: Which  # one of q, k and v
    dropout: bool = False  # whether dropout acts on the weights
    whole: bool = False  # whether sums are written out with all of their terms

    def of_queries(
        self,
        name: str,
        title: str,
        values: np.ndarray,
        *,
        shown: int = SHOWN,
        first_column: bool = False,
        of_keys: bool = False,
    ) -> Matrix:
        """One row per query, or with `of_keys` per key.

        With `first_column`, the number computed by hand is framed.
        """
        labels, at = (self.key_labels, self.key) if of_keys else (self.query_labels, self.query)
        column = slice(0, 1) if first_column else slice(None)
        if self.form == "vector":
            values, labels, at = values[at : at + 1], [labels[at]], 0
        return Matrix(
            name=name,
            title=title,
            values=values[:, :shown],
            rows=labels,
            shape=_shape(values),
            frame=None
            if self.form == "vector" and not first_column
            else (slice(at, at + 1), column),
        )

    def all_keys(self, name: str, title: str, values: np.ndarray, *, shown: int = SHOWN) -> Matrix:
        """One row per key, also in vector form; the row in focus is framed."""
        whole = replace(self, form="matrix")
        return whole.of_queries(name, title, values, shown=shown, of_keys=True)

    def cells(
        self,
        name: str,
        title: str,
        values: np.ndarray,
        *,
        scale: Reach = "signed",
        top: float | None = None,
    ) -> Matrix:
        """Queries by keys, the cell in focus framed; in vector form, one number per key.

        Hidden cells are NaN in `values`.
        """
        codes = np.where(np.isfinite(values), 0, self.as_heads().hidden(self.kind))
        if self.form == "vector":
            values, codes = values[self.query][:, None], codes[self.query][:, None]
            rows, columns, frame = self.key_labels, None, _row(self.key)
        else:
            rows, columns = self.query_labels, self.key_labels
            frame = slice(self.query, self.query + 1), slice(self.key, self.key + 1)
        return Matrix(
            name=name,
            title=title,
            values=values,
            rows=rows,
            columns=columns,
            scale=scale,
            kind=None if self.layer is None else self.kind,
            hidden=codes if codes.any() else None,
            top=top,
            frame=frame,
        )

    def as_heads(self) -> Heads:
        """The head in the form that other figures take."""
        steps = self.steps
        return Heads(
            weights=steps.weights[None],
            scores=steps.scores[None],
            may_attend=steps.may_attend,
            query_labels=self.query_labels,
            key_labels=self.key_labels,
        )

    @property
    def reasons(self) -> list[str]:
        """For every key, the reason why the query may not attend to it, or nothing."""
        names = ("", tr("future"), PAD, tr("PAD, future"))
        return [names[code] for code in self.as_heads().hidden(self.kind)[self.query]]

    def weights(self) -> Matrix:
        """The weights after the softmax; blank where the mask hides, not 0."""
        allowed = np.where(self.steps.may_attend, self.steps.weights, np.nan)
        return self.cells("weights", tr("weight"), allowed, scale="weights")

    def kept_weights(self, *, whole_row: bool = False) -> Matrix:
        """The weights that v is multiplied by, after dropout."""
        allowed = np.where(self.steps.may_attend, self.steps.kept, np.nan)
        title = tr("weight after dropout") if self.dropout else tr("weight")
        top = max(1.0, float(self.steps.kept.max()))  # dropout scales up the weights that it keeps
        drawn = self.cells("weights", title, allowed, scale="weights", top=top)
        return replace(drawn, frame=_row(self.query)) if whole_row else drawn

    def named_query(self) -> str:
        """The query in focus, in words."""
        return named(self.query_labels, self.query)

    def pair(self) -> str:
        """The query and the key in focus, in words."""
        return f"{self.named_query()} → {named(self.key_labels, self.key)}"

    def largest(self, row: np.ndarray, in_words: Callable[[float], str] = signed_number) -> str:
        """The key with the largest number, that number, and the number of ties."""
        at = int(row.argmax())
        ties = int(np.isclose(row, row[at], rtol=1e-6, atol=0.0).sum()) - 1
        word, number = named(self.key_labels, at), in_words(float(row[at]))
        if not ties:
            return f"{word}, {number}"
        return tr("{word}, {number} (tied with {n} more)", word=word, number=number, n=ties)


def came_from(config: ModelConfig, kind: AttentionKind, layer: int) -> str:
    """The origin of an attention's input, in a sentence."""
    norm = "LayerNorm" if config.norm == "layer" else "RMSNorm"
    if kind == "cross":
        return tr("Queries come from the decoder, keys and values from the encoder's memory.")
    if layer:
        below = tr("the output of layer {layer}", layer=layer)
    else:
        added = config.positions in ADDED_POSITIONS
        below = tr("embedding + position") if added else tr("the embedding")
        if config.norm_embedding:
            below = tr("{vectors}, after {norm}", vectors=below, norm=norm)
    if config.norm_first:
        return tr("x is {vectors}, after {norm}.", vectors=below, norm=norm)
    return tr("x is {vectors}.", vectors=below)


def plain(
    name: str, title: str, values: np.ndarray, frame: tuple[slice, slice], *, shown: int = SHOWN
) -> Matrix:
    """A matrix whose rows are dimensions."""
    return Matrix(
        name=name, title=title, values=values[:shown, :shown], shape=_shape(values), frame=frame
    )


def named(labels: Sequence[str], at: int) -> str:
    """A word and its position."""
    return f"{in_quotes(elide(labels[at]))} ({at})"


def _row(at: int) -> tuple[slice, slice]:
    return slice(at, at + 1), slice(None)


def _shape(values: np.ndarray) -> tuple[int, int]:
    return values.shape[0], values.shape[1]
