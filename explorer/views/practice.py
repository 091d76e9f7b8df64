"""The pictures of checked answers: bars beside what was computed, the mask that was asked about."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from explorer.exercises.question import Bars
from explorer.exercises.question import Mask as AskedMask
from explorer.figures.describe import mask_in_words
from explorer.figures.exercises import SIGNS, Mark, compared_bars
from explorer.figures.masks import mask_row
from explorer.figures.theme import Theme
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


def bars_picture(
    bars: Bars,
    marks: Sequence[Mark],
    theme: Theme,
    *,
    key: str = "compared",
    signs_explained: bool = True,
) -> Picture:
    """The numbers behind a question; `marks` says what each was worth in the answer."""
    numbers = (
        tr(
            "{label}: {value}, {mark}",
            label=label,
            value=numeral(value, ".4g"),
            mark=tr(GRADED[of]),
        )
        if of
        else tr("{label}: {value}", label=label, value=numeral(value, ".4g"))
        for label, value, of in zip(bars.labels, bars.values, marks, strict=True)
    )
    used = [f"{SIGNS[of]} {tr(word)}" for of, word in COMPARED.items() if of in marks]
    return Picture(
        key=key,
        name="comparison",
        title=tr("Comparison"),
        drawing=compared_bars(bars.name, bars.labels, bars.values, marks, theme),
        alt=tr(
            "{name}. {numbers}.",
            name=bars.name or tr("Comparison"),
            numbers=between("; ").join(numbers),
        ),
        caption=" · ".join(used) if signs_explained else "",
    )


def asked_mask_picture(mask: AskedMask, theme: Theme) -> Picture:
    """The mask that a question was about."""
    codes = np.array(mask.codes, np.uint8)
    return Picture(
        key="computed_mask",
        name="mask",
        title=tr("Mask"),
        drawing=mask_row([(mask.name, codes)], mask.queries, mask.keys, theme),
        alt=mask_in_words(codes, mask.queries),
    )
