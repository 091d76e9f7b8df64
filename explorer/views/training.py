"""The pictures of a training: the heads as they take shape, and the curves."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from explorer.analysis.attention import Attention
from explorer.figures.training import curves
from explorer.languages import sentences, tr, tr_n
from explorer.tasks.tasks import Judged
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
            click=None,
        ),
        replace(
            every,
            key="learning_heads",
            name="learning-heads",
            title=tr("Learning heads"),
        ),
    )


def curves_picture(
    losses: Sequence[float],
    accuracies: Sequence[tuple[int, float]],
    *,
    steps: int,
    words: int,
    marked: int | None,
    judged: Judged,
) -> Picture:
    """The loss and the accuracy so far, of all `steps`; a model that guesses chooses of `words`."""
    share = accuracies[-1][1] if accuracies else 0.0
    highest = math.log(words)
    return Picture(
        key="curves",
        title=tr("Training"),
        drawing=curves(
            list(losses),
            list(accuracies),
            steps=max(steps, len(losses)),
            top=max([1.15 * highest, *(1.05 * loss for loss in losses[:1])]),
            marked=marked,
            judged=judged,
            height=_HEIGHT,
        ),
        alt=_curves_in_words(losses, share, judged),
    )


def _curves_in_words(losses: Sequence[float], share: float, judged: Judged) -> str:
    lines = [tr_n("Loss and accuracy of {n} step.", "Loss and accuracy of {n} steps.", len(losses))]
    if losses:
        lines.append(
            tr("Loss now {now:.3f}, at first {first:.3f}.", now=losses[-1], first=losses[0])
        )
    if judged == "pairs":
        lines.append(tr("{share:.1%} of pairs right.", share=share))
    else:
        lines.append(tr("{share:.1%} of held-out sentences right.", share=share))
    return sentences(*lines)
