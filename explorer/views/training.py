"""The pictures of a training: the heads as they take shape, the curves, and the room's board."""

import math
from collections.abc import Sequence
from typing import Final

from explorer.analysis.attention import ATTENTION_NAMES, Attention
from explorer.figures import attention as figures
from explorer.figures.theme import Theme
from explorer.figures.training import curves
from explorer.languages import tr, tr_n
from explorer.tasks.tasks import Judged
from explorer.views.attention import each_looks, name_of
from explorer.views.looks import heads_of, in_words
from explorer.views.picture import PicksName, Picture

_HEIGHT: Final = 280


def learning_head_picture(attention: Attention, head: int, theme: Theme) -> Picture:
    """One head while its model learns."""
    kind = attention.kind
    return Picture(
        key="learning_head",
        name="learning-head",
        title=tr("Learning head"),
        drawing=figures.one_head(
            heads_of(attention), head, theme, kind=kind, height=_HEIGHT, compact=True
        ),
        alt=f"{name_of(kind, attention.layer, head)} {in_words(attention, head)}",
    )


def learning_heads_picture(attention: Attention, head: int, theme: Theme) -> Picture:
    """All heads of its layer."""
    kind = attention.kind
    what = tr(
        "{attention}, layer {layer}, all heads.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=attention.layer + 1,
    )
    return Picture(
        key="learning_heads",
        name="learning-heads",
        title=tr("Learning heads"),
        drawing=figures.all_heads(
            heads_of(attention), head, theme, kind=kind, height=_HEIGHT, cell_width=40
        ),
        alt=f"{what} {each_looks(attention)}",
        click=PicksName(choice="head"),
    )


def curves_picture(
    losses: Sequence[float],
    accuracies: Sequence[tuple[int, float]],
    theme: Theme,
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
        name="training",
        title=tr("Training"),
        drawing=curves(
            list(losses),
            list(accuracies),
            theme,
            steps=max(steps, len(losses)),
            top=max([1.15 * highest, *(1.05 * loss for loss in losses[:1])]),
            marked=marked,
            judged=judged,
            height=_HEIGHT,
        ),
        alt=_curves_in_words(losses, share, judged),
    )


def _curves_in_words(losses: Sequence[float], share: float, judged: Judged) -> str:
    said = [tr_n("Loss and accuracy of {n} step.", "Loss and accuracy of {n} steps.", len(losses))]
    if losses:
        said.append(
            tr("Loss now {now:.3f}, at first {first:.3f}.", now=losses[-1], first=losses[0])
        )
    if judged == "pairs":
        said.append(tr("{share:.1%} of pairs right.", share=share))
    else:
        said.append(tr("{share:.1%} of held-out sentences right.", share=share))
    return " ".join(said)
