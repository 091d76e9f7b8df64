"""Which part wrote it? A logit, or the difference of two, as a sum over the parts of the model."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.question import Question
from explorer.analysis.causes.stream_parts import Part, StreamParts, exact, leaving


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitParts:
    """A logit as a sum: the contribution of each part of the model to the word in question.

    With a rival, the sum is the difference of both logits. Each norm has its scale of this run, so
    the values add up. The effect of a part on other parts counts as theirs: a value does not say
    what would happen without the part.
    """

    parts: tuple[Part, ...]
    values: Float[np.ndarray, " parts"]
    logit: float  # of the run

    @property
    def names(self) -> tuple[str, ...]:
        """The parts in words, in the reader's language."""
        return tuple(part.name for part in self.parts)

    def by_layer(self) -> tuple[list[str], Float[np.ndarray, " groups"]]:
        """The parts in the order of the model, the heads of each attention together.

        Without parts that contribute 0: a model may have no biases or position vectors.
        """
        groups: dict[str, float] = {}
        for part, value in zip(self.parts, self.values.tolist(), strict=True):
            groups[part.group] = groups.get(part.group, 0.0) + value
        groups = {name: value for name, value in groups.items() if value} or groups
        return list(groups), np.array(list(groups.values()))


def parts_of_logit(question: Question) -> LogitParts:
    """logit = Σ_parts part · w + b, where w is the token's column of the last matrix.

    With a rival, w is the difference of both columns. Norms have their scale of this run (Elhage et
    al. 2021, "direct logit attribution"). So has the gate of the activation in BERT's head,
    act(z) / z. For an encoder that predicts no words, the logit is a dimension of its output.
    """
    sentence, model = question.sentence, question.sentence.model
    whole = leaving(sentence, "decoder" if sentence.has_decoder else "encoder", question.position)
    if model.config.output == "masked":
        whole = _through_head(whole, question)
    column = _column(question)
    values = whole.rows @ column
    if model.config.n_logits and (bias := model.to_logits.bias) is not None:
        values[0] += _difference(bias, question)
    row = sentence.outcome[question.position]
    return LogitParts(
        parts=whole.parts, values=values.numpy(), logit=float(_difference(row, question))
    )


def _column(question: Question) -> Float[Tensor, " d_model"]:
    """The token's column of the last matrix, minus the rival's."""
    model = question.sentence.model
    if not model.config.n_logits:
        return _difference(torch.eye(model.config.d_model, dtype=torch.float64), question)
    column = _difference(model.to_logits.weight, question)
    return column / model.config.d_model**0.5 if model.config.scale_logits else column


def _difference(rows: Float[Tensor, "vocab *more"], question: Question) -> Float[Tensor, "*more"]:
    """The token's row, minus the rival's."""
    token = exact(rows[question.token])
    return token if question.rival is None else token - exact(rows[question.rival])


def _through_head(whole: StreamParts, question: Question) -> StreamParts:
    """Norm(act(xW + b)) with the scale of the norm and the gate of the activation as they were."""
    head = question.sentence.model.masked_head
    inside = whole.through(head.dense)
    z = inside.whole
    gate = torch.where(z == 0, 0.0, head.activate(z.clone()) / z)
    return StreamParts(inside.parts, inside.rows * gate).normed(head.norm)
