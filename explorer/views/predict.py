"""The pictures of checked answers: the numbers of all options, the mask that was asked about."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from explorer.exercises.question import Mask, Question
from explorer.figures.describe import mask_in_words
from explorer.figures.exercises import SIGNS, Mark, compared_bars
from explorer.figures.masks import mask_row
from explorer.languages import between, mark, numeral, tr
from explorer.views.picture import Picture

GRADED: Final[Mapping[Mark, str]] = {
    # Translators: what a marked cell of an answer was worth.
    "right": mark("right"),
    "missed": mark("missed"),
    "too much": mark("too much"),
}
COMPARED: Final[Mapping[Mark, str]] = {
    "right": mark("right"),
    "missed": mark("the right answer"),
    "too much": mark("your answer"),
}


def bars_picture(question: Question, marks: Mapping[Any, Mark]) -> Picture:
    """The numbers behind the options; `marks` says what some were worth in the answer."""
    worth: list[Mark] = [marks.get(at, "") for at in range(len(question.options))]
    numbers = (
        tr("{label}: {value}, {mark}", label=option, value=numeral(bar, ".4g"), mark=tr(GRADED[of]))
        if of
        else tr("{label}: {value}", label=option, value=numeral(bar, ".4g"))
        for option, bar, of in zip(question.options, question.bars, worth, strict=True)
    )
    return Picture(
        key="compared",
        title=tr("Comparison"),
        drawing=compared_bars(question.measure, question.options, question.bars, worth),
        alt=tr("{name}. {numbers}.", name=question.measure, numbers=between("; ").join(numbers)),
        caption=" · ".join(f"{SIGNS[of]} {tr(COMPARED[of])}" for of in COMPARED if of in worth),
    )


def asked_mask_picture(mask: Mask) -> Picture:
    """The target mask that a question was about."""
    codes = np.array(mask.codes, np.uint8)
    return Picture(
        key="computed_mask",
        title=tr("Mask"),
        drawing=mask_row([(tr("target mask"), codes)], mask.labels, mask.labels),
        alt=mask_in_words(codes, mask.labels),
    )
