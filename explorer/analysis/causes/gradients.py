"""Gradients of the measure: at the words read, and their mean on the path there.

The input is each token's embedding, before its position is added: the part of the word itself.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.question import AT_ONCE, Question, run
from explorer.intervention import Intervention

TOLERANCE: Final = 0.01  # relative error of the sum
PIECES: Final = 4  # of the path, at first
ADDED: Final = ("sinusoidal", "halves", "learned")  # positions that the embeddings get
MAX_STEPS: Final = 4000  # a few dozen are usual, some hundred where no positions are added
MIN_DIFFERENCE: Final = 1e-3  # nats; the tolerance is relative to this at least
LEAST: Final = 1e-3  # point of the path: before it, α is 0 even in double precision
Piece = tuple[float, float]  # of the path, from 0 to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegratedGradients:
    """The attributions of both sides, and the error of their sum."""

    src: Float[Tensor, " src"]
    tgt: Float[Tensor, " read"]
    steps: int  # points at which the gradient was computed
    error: float  # |sum − difference| ÷ max(|difference|, MIN_DIFFERENCE); NaN after an overflow


def input_x_gradient(question: Question) -> tuple[Float[Tensor, " src"], Float[Tensor, " read"]]:
    """Σ_d x_d · ∂F/∂x_d for each token: the first term of Taylor's series (Shrikumar et al. 2016).

    F is the measure, and x the token's embedding.
    """
    _, products = x_slopes(question, np.ones(1))
    src, tgt = products[0].split_with_sizes(question.lengths)
    return src, tgt


def integrated_gradients(
    question: Question,
    tolerance: float = TOLERANCE,
    report: Callable[[float], object] = float,
    *,
    double: bool = True,
) -> IntegratedGradients:
    """x · ∫₀¹ ∂F(αx)/∂x dα for each token (Sundararajan et al. 2017, equation 1).

    The path begins at embeddings of 0, with the positions added. The attributions add up to
    F(x) − F(0), which the paper calls completeness: an `error` above the tolerance says that this
    method has no answer.

    Where nothing is added to the embeddings, as in T5, a norm near their 0 multiplies by 1/√ε, and
    the next one does so again: α = 10⁻⁹⁰ may still matter after 30 norms. No float32 is so small.
    Where completeness fails in float32, `double` precision follows; it takes a copy of the weights.
    """
    found = _integrated(question, tolerance, report)
    has_double = question.sentence.trace.memory.dtype == torch.float64
    if found.error <= tolerance or has_double or not double:
        return found
    return _integrated(_in_double(question), tolerance, report)


def _integrated(
    question: Question, tolerance: float, report: Callable[[float], object]
) -> IntegratedGradients:
    """Simpson's rule, adaptively: the pieces of the path with the largest errors are halved.

    The products of a piece must add up to its rise of F, which tells the error of their sum. Large
    products of opposite signs may be wrong where their sum is right, so what halving the pieces
    changes has a limit, too: as errors of either sign, the root of the sum of squares.
    """
    path = _Path(question)
    pieces = [(n / PIECES, (n + 1) / PIECES) for n in range(PIECES)]
    # Relative to the sizes of all attributions. A stream that begins with 0 turns sharply.
    change = 0.2 if question.sentence.model.config.positions in ADDED else 0.02
    while True:
        moved = path.visit(pieces)
        report(min(1.0, path.steps / MAX_STEPS))
        parts, whole = path.integrals(pieces)
        rises = torch.tensor([path.rise(piece) for piece in pieces], dtype=parts.dtype)
        found, errors = parts.sum(dim=0), parts.sum(dim=1) - rises
        changes = (parts - whole).abs().sum(dim=1)
        error = abs(float(errors.sum())) / max(abs(path.rise((0.0, 1.0))), MIN_DIFFERENCE)
        is_complete, is_finite = error <= tolerance, bool((errors + changes).isfinite().all())
        done = is_complete and bool(changes.norm() <= change * found.abs().sum())
        if done or not is_finite or not moved or path.steps >= MAX_STEPS:
            src, tgt = found.split_with_sizes(question.lengths)
            return IntegratedGradients(src=src, tgt=tgt, steps=path.steps, error=error)
        pieces = list(_refined(pieces, changes if is_complete else errors.abs()))


def _in_double(question: Question) -> Question:
    """The same question to a copy of the model in double precision, which Apple's GPUs lack."""
    seen = question.sentence
    device = torch.device("cpu") if seen.src.device.type == "mps" else seen.src.device
    with torch.inference_mode(False):
        model = copy.deepcopy(seen.model).to(device, torch.float64)
    masks = Intervention(
        src_mask=seen.trace.src_mask.to(device), tgt_mask=seen.trace.tgt_mask.to(device)
    )
    trace = run(model, seen.src.to(device), seen.tgt.to(device), masks)
    return replace(question, sentence=replace(seen, model=model, trace=trace))


class _Path:
    """F and x · ∂F/∂x at points of the path; both pieces that meet at a point share its values.

    A point u stands for α = exp(1 − 1/u), which begins at 0. Near α = 1 such points lie as evenly
    as α itself, and near 0 as evenly as log α: halving u there squares α.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.values: dict[float, tuple[float, Float[Tensor, " positions"]]] = {}

    @property
    def steps(self) -> int:
        """The number of points visited."""
        return len(self.values)

    def visit(self, pieces: list[Piece]) -> bool:
        """Compute the points of Simpson's rule in both halves of pieces; False if none is new."""
        points = {u for piece in pieces for u in _points(piece)} - self.values.keys()
        if not points:
            return False
        u = np.array(sorted(points))
        inverse = 1 / np.maximum(u, LEAST)
        alphas = np.exp(1 - inverse)
        measured, products = x_slopes(self.question, alphas)
        change = torch.from_numpy(alphas * inverse**2).to(products)[:, None]  # dα = α du / u²
        products = torch.where(change > 0, products * change, 0.0)  # at α = 0 slopes may overflow
        self.values |= {
            point: (value, product)
            for point, value, product in zip(u.tolist(), measured.tolist(), products, strict=True)
        }
        return True

    def rise(self, piece: Piece) -> float:
        """F at the end of a piece minus F at its beginning."""
        a, b = piece
        return self.values[b][0] - self.values[a][0]

    def integrals(
        self, pieces: list[Piece]
    ) -> tuple[Float[Tensor, "pieces positions"], Float[Tensor, "pieces positions"]]:
        """x · ∫ ∂F/∂x over each piece, by Simpson's rule: in both halves, and on the whole."""
        found = torch.stack([self.values[u][1] for piece in pieces for u in _points(piece)])
        products = found.reshape(len(pieces), 5, -1)
        widths = products.new_tensor([b - a for a, b in pieces])[:, None]
        halves, whole = (
            widths / sum(rule) * (products.new_tensor(rule) @ products)
            for rule in ((1, 4, 2, 4, 1), (1, 0, 4, 0, 1))
        )
        return halves, whole


def _points(piece: Piece) -> tuple[float, float, float, float, float]:
    """The ends, the middle, and the middles of both halves."""
    a, b = piece
    middle = (a + b) / 2
    return a, (a + middle) / 2, middle, (middle + b) / 2, b


def _refined(pieces: list[Piece], errors: Float[Tensor, " pieces"]) -> Iterator[Piece]:
    """The pieces, with the worst halved: those that make up 60% of the errors."""
    order = errors.argsort()
    good = set(order[errors[order].cumsum(dim=0) <= 0.4 * errors.sum()].tolist())
    for at, piece in enumerate(pieces):
        a, _, middle, _, b = _points(piece)
        yield from [piece] if at in good else [(a, middle), (middle, b)]


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
