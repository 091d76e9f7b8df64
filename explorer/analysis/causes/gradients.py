"""Gradients of the measure: at the words read, and their mean on the path there.

The input is each token's embedding, before its position is added: the part of the word itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.question import AT_ONCE, Question
from explorer.intervention import Intervention

TOLERANCE: Final = 0.01  # relative error of the sum
PIECES: Final = 4  # of the path, at first
MAX_STEPS: Final = 2000  # a dozen or two are usual; a T5 may need all
MIN_DIFFERENCE: Final = 1e-3  # nats; the tolerance is relative to this at least
Piece = tuple[float, float]  # of the path, from 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegratedGradients:
    """The attributions of both sides, and the error of their sum."""

    src: Float[Tensor, " src"]
    tgt: Float[Tensor, " read"]
    steps: int  # points at which the gradient was computed
    error: float  # |sum − difference| ÷ max(|difference|, MIN_DIFFERENCE)


def input_x_gradient(question: Question) -> tuple[Float[Tensor, " src"], Float[Tensor, " read"]]:
    """Σ_d x_d · ∂F/∂x_d for each token: the first term of Taylor's series (Shrikumar et al. 2016).

    F is the measure, and x the token's embedding.
    """
    _, products = x_slopes(question, np.ones(1))
    src, tgt = products[0].split_with_sizes(question.lengths)
    return src, tgt


def integrated_gradients(question: Question, tolerance: float = TOLERANCE) -> IntegratedGradients:
    """x · ∫₀¹ ∂F(αx)/∂x dα for each token (Sundararajan et al. 2017, equation 1).

    The path begins at embeddings of 0, with the positions added. The attributions add up to
    F(x) − F(0), and those of every piece of the path to its own difference. Pieces with the largest
    errors are halved until the sum is within the tolerance, or after `MAX_STEPS` steps. (With
    embeddings of 0 and no biases, T5 has a residual stream of 0, and its norms turn so sharply
    there that even so many steps may be too few.)
    """
    path = _Path(question)
    pieces = [(n / PIECES, (n + 1) / PIECES) for n in range(PIECES)]
    while True:
        path.visit(pieces)
        parts = [path.integral(piece) for piece in pieces]
        rises = [path.rise(piece) for piece in pieces]
        errors = [float(part.sum()) - rise for part, rise in zip(parts, rises, strict=True)]
        allowed_error = tolerance * max(abs(path.rise((0.0, 1.0))), MIN_DIFFERENCE)
        if abs(sum(errors)) <= allowed_error or path.steps >= MAX_STEPS:
            src, tgt = torch.stack(parts).sum(dim=0).split_with_sizes(question.lengths)
            error = abs(sum(errors)) / allowed_error * tolerance
            return IntegratedGradients(src=src, tgt=tgt, steps=path.steps, error=error)
        pieces = list(_refined(pieces, errors, allowed_error / 2))


class _Path:
    """F and x · ∂F/∂x at points of the path; both pieces that meet at a point share its values.

    A point u stands for α = u²: a norm's output turns sharply where its input is almost 0, so most
    points lie near the beginning.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.values: dict[float, tuple[float, Float[Tensor, " positions"]]] = {}

    @property
    def steps(self) -> int:
        """The number of points visited."""
        return len(self.values)

    def visit(self, pieces: list[Piece]) -> None:
        """Compute the points of Simpson's rule for these pieces: both ends and the middle."""
        points = {u for a, b in pieces for u in (a, (a + b) / 2, b)} - self.values.keys()
        u = np.array(sorted(points))
        if not len(u):
            return
        measured, products = x_slopes(self.question, u**2)
        products *= torch.from_numpy(2 * u).to(products)[:, None]  # dα = 2u du
        self.values |= {
            point: (value, product)
            for point, value, product in zip(u.tolist(), measured.tolist(), products, strict=True)
        }

    def rise(self, piece: Piece) -> float:
        """F at the end of a piece minus F at its beginning."""
        a, b = piece
        return self.values[b][0] - self.values[a][0]

    def integral(self, piece: Piece) -> Float[Tensor, " positions"]:
        """x · ∫ ∂F/∂x over a piece, by Simpson's rule."""
        a, b = piece
        begin, middle, end = (self.values[u][1] for u in (a, (a + b) / 2, b))
        return (b - a) / 6 * (begin + 4 * middle + end)


def _refined(pieces: list[Piece], errors: list[float], allowed: float) -> Iterator[Piece]:
    """The pieces, the worst of them halved; the errors of the others sum to `allowed` at most."""
    order = sorted(range(len(pieces)), key=lambda at: abs(errors[at]))
    total, good = 0.0, set()
    for at in order:
        total += abs(errors[at])
        if total <= allowed:
            good.add(at)
    for at, (a, b) in enumerate(pieces):
        yield from [(a, b)] if at in good else [(a, (a + b) / 2), ((a + b) / 2, b)]


def x_slopes(
    question: Question, alphas: Float[np.ndarray, " steps"]
) -> tuple[Float[Tensor, " steps"], Float[Tensor, "steps positions"]]:
    """F(αx), and Σ_d x_d · ∂F(αx)/∂x_d for each token, source before target, at several α."""
    trace = question.sentence.trace
    src, tgt = trace.src_embedding.embedded, trace.tgt_embedding.embedded[:, : question.read]
    values, products = [], []
    for batch in np.split(alphas, range(AT_ONCE, len(alphas), AT_ONCE)):
        alpha = torch.from_numpy(batch)[:, None, None]
        value, src_slope, tgt_slope = slopes(question, alpha.to(src) * src, alpha.to(tgt) * tgt)
        values.append(value)
        products.append(torch.cat([(src * src_slope).sum(-1), (tgt * tgt_slope).sum(-1)], dim=1))
    return torch.cat(values).cpu().double(), torch.cat(products).cpu().double()


def slopes(
    question: Question,
    src: Float[Tensor, "rows src d_model"],
    tgt: Float[Tensor, "rows read d_model"],
) -> tuple[
    Float[Tensor, " rows"],
    Float[Tensor, "rows src d_model"],
    Float[Tensor, "rows read d_model"],
]:
    """F, ∂F/∂src and ∂F/∂tgt at these embeddings, for every row."""
    config = question.sentence.model.config
    with torch.inference_mode(False), torch.enable_grad():
        src, tgt = (side.clone().requires_grad_() for side in (src, tgt))
        given = Intervention(
            src_embedded=src if config.has_encoder else None,
            tgt_embedded=tgt if config.has_decoder else None,
        )
        values = question.ask(given, len(src))
        src_slope, tgt_slope = torch.autograd.grad(values.sum(), (src, tgt), materialize_grads=True)
    return values.detach(), src_slope, tgt_slope
