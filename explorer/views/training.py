"""The pictures of a training: the heads as they take shape, and the loss."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from explorer.analysis.attention import Attention
from explorer.figures.training import loss_curve
from explorer.languages import tr
from explorer.views.attention import Choices, all_heads, one_head
from explorer.views.picture import Picture

_HEIGHT: Final = 280


def learning_pictures(attention: Attention, head: int) -> tuple[Picture, Picture]:
    """A head and all heads of its layer, while their model learns."""
    view = Choices(attention.kind, attention.layer, head)
    one = one_head(attention, view, small=_HEIGHT)
    every = all_heads(attention, view, small=_HEIGHT)
    return (
        replace(
            one,
            key="learning_head",
            name="learning-head",
            title=tr("Learning head"),
            code=None,
            click=None,
        ),
        replace(
            every,
            key="learning_heads",
            name="learning-heads",
            title=tr("Learning heads"),
        ),
    )


def loss_picture(losses: Sequence[float], *, steps: int, words: int, marked: int | None) -> Picture:
    """The loss so far, of all `steps`; a model that guesses chooses of `words`."""
    highest = math.log(words)
    return Picture(
        key="loss",
        title=tr("Training"),
        drawing=loss_curve(
            list(losses),
            steps=max(steps, len(losses)),
            top=max([1.15 * highest, *(1.05 * loss for loss in losses[:1])]),
            marked=marked,
        ),
        alt=_loss_in_words(losses),
    )


def _loss_in_words(losses: Sequence[float]) -> str:
    if not losses:
        return tr("loss per target word (nats)")
    return tr("Loss now {now:.3f}, at first {first:.3f}.", now=losses[-1], first=losses[0])
