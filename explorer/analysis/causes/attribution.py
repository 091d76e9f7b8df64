"""Which words mattered? What each word that the model read has to do with one that it wrote.

Six methods, of which no two measure the same:

- `occlusion`: how much less probable the word is when one position is hidden from every attention.
- `input_x_gradient`: the embedding times the slope of log p there; right if log p were linear.
- `integrated_gradients`: the same, averaged on the way from no embedding to the embedding.
- `value_zeroing`, `rollout`: where the vectors of the last layer come from, whatever is made of
  them. The word in question plays no role.
- `attention`: the mean weight of all heads. It says where the model looks, not what that does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from explorer.analysis.causes.gradients import (
    TOLERANCE,
    input_x_gradient,
    integrated_gradients,
)
from explorer.analysis.causes.mixing import attention, rollout, value_zeroing
from explorer.analysis.causes.question import AT_ONCE, Question, Sides
from explorer.config import require_one_of, require_within
from explorer.intervention import Intervention

Report = Callable[[float], object]  # gets the share of the work that is done; `float` ignores it
Method = Literal[
    "occlusion", "input_x_gradient", "integrated_gradients", "value_zeroing", "rollout", "attention"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The importance of every position read for the word in question.

    Of the first three methods a number is in nats of log-probability, or in units of the logit
    difference to the rival; negative where the word would be likelier without that position. Of
    the others it is a share, from 0 to 1. Positions that the word cannot depend on, PAD and those
    after it, have 0.
    """

    method: Method
    source: Float[np.ndarray, " src"] | None  # None: the model reads no source
    prefix: Float[np.ndarray, " tgt"] | None  # None: the model has no decoder
    steps: int | None = None  # of integrated gradients
    error: float | None = None  # of their completeness, relative to the whole difference

    @property
    def numbers(self) -> Float[np.ndarray, " positions"]:
        """Source and target in one row, in this order."""
        sides = [side for side in (self.source, self.prefix) if side is not None]
        return np.concatenate(sides)

    @property
    def is_answer(self) -> bool:
        """Whether all numbers are finite and, of integrated gradients, their sum is right."""
        has_sum = self.error is None or self.error <= TOLERANCE
        return has_sum and bool(np.isfinite(self.numbers).all())


def attribute(
    question: Question,
    method: Method = "occlusion",
    report: Report = float,
    *,
    double: bool = True,
) -> Attribution:
    """The importance of every position by one method; `is_answer` says whether it has one.

    `report` gets the progress of occlusion and of integrated gradients, which may take `double`
    precision.

    Raises:
        ValueError: for an unknown method.
    """
    require_one_of("method", method, get_args(Method))
    steps = error = None
    if method == "integrated_gradients":
        found = integrated_gradients(question, report=report, double=double)
        sides, steps, error = (found.src, found.tgt), found.steps, found.error
    else:
        sides = occlusion(question, report) if method == "occlusion" else _SIMPLE[method](question)
    config = question.sentence.model.config
    src, tgt = (side.cpu().double().numpy() for side in sides)
    later = question.sentence.lengths[1] - len(tgt)  # which nothing reads
    return Attribution(
        method=method,
        source=src if config.has_encoder else None,
        prefix=np.pad(tgt, (0, later)) if config.has_decoder else None,
        steps=steps,
        error=error,
    )


def occlusion(question: Question, report: Report = float) -> Sides:
    """log p − log p with the position hidden from every attention, for each position.

    A position of the target keeps seeing itself, so the newest one, which writes the word, has 0.
    The same with the logit difference to the rival.
    """
    n_src, n_tgt = question.sentence.lengths
    trace = question.sentence.trace
    src_words = trace.src_mask[0, 0, 0].cpu()
    tgt_words = trace.tgt_mask[0, 0].diagonal().cpu().clone()
    tgt_words[question.position :] = False  # a row sees no later position, and always itself
    hidden = [
        *([at] for at in range(n_src) if src_words[at]),
        *([n_src + at] for at in range(n_tgt) if tgt_words[at]),
    ]
    effects = torch.zeros(n_src + n_tgt, dtype=torch.float64)
    if hidden:
        effects[[at for (at,) in hidden]] = question.answer - without(question, hidden, report)
    return effects[:n_src], effects[n_src:]


def deletion(question: Question, order: Sequence[int]) -> Float[np.ndarray, " hidden_plus_1"]:
    """The measure with nothing hidden, then with the first position of an order, then two, …

    Positions are those of `Attribution.numbers`: the source's, then the target's. The sooner the
    curve falls, the better the order knew what mattered (Samek et al. 2017).

    Raises:
        ValueError: for a position that is none.
    """
    total = sum(question.sentence.lengths)
    for at in order:
        require_within("the positions of an order", at, total)
    found = without(question, [order[:n] for n in range(1, len(order) + 1)])
    return np.concatenate([[question.answer], found.numpy()])


def without(
    question: Question, hidden: Sequence[Sequence[int]], report: Report = float
) -> Float[Tensor, " runs"]:
    """The measure in runs that each hide some positions from every attention.

    Positions are those of `Attribution.numbers`. Runs that hide none of the source share the
    encoder's work.
    """
    n_src, n_tgt = question.sentence.lengths
    visible = torch.ones(len(hidden), n_src + n_tgt, dtype=torch.bool)
    for run, positions in enumerate(hidden):
        visible[run, list(positions)] = False
    measures = torch.empty(len(hidden), dtype=torch.float64)
    whole, done = visible[:, :n_src].all(dim=1), 0
    for same_source in (True, False):
        runs = (whole == same_source).nonzero().flatten()
        for batch in torch.split(runs, AT_ONCE):
            measures[batch] = _with_masks(question, visible[batch], same_source=same_source)
            done += len(batch)
            report(done / max(1, len(hidden)))
    return measures


def _with_masks(
    question: Question, visible: Bool[Tensor, "runs positions"], *, same_source: bool
) -> Float[Tensor, " runs"]:
    """The measure where only some positions may be seen."""
    n_src, read = question.src_mask.shape[-1], question.read
    visible = visible.to(question.src_mask.device)
    keys = visible[:, n_src : n_src + read]
    itself = torch.eye(read, dtype=torch.bool, device=visible.device)
    given = Intervention(
        src_mask=question.src_mask & visible[:, None, None, :n_src],  # (runs, 1, 1, src)
        tgt_mask=question.tgt_mask & (keys[:, None, None] | itself),  # (runs, 1, read, read)
    )
    encoded = question.encoded() if same_source else None
    with torch.inference_mode():
        return question.ask(given, len(visible), encoded=encoded).cpu().double()


_SIMPLE: Final[Mapping[str, Callable[[Question], Sides]]] = {
    "input_x_gradient": input_x_gradient,
    "value_zeroing": value_zeroing,
    "rollout": rollout,
    "attention": attention,
}
