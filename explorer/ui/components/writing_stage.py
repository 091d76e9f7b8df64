"""An answer that is written before one's eyes, with lines to the words that each piece looks at."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from explorer.analysis.writing import Writing
from explorer.figures.theme import Theme
from explorer.names import AttentionKind
from explorer.ui.components.component import as_json, component

_component = component(
    "writing_stage",
    '<section class="writing" tabindex="0" role="group"><div class="words">'
    '<ol class="keys"></ol><svg aria-hidden="true"></svg><ol class="written"></ol></div>'
    '<div class="rivals"></div><div class="says"><p aria-live="polite"></p>'
    '<span class="buttons"></span></div></section>',
)
LEAST: Final = 0.03  # weights below this get no line
MOST_LINES: Final = 6  # of one step


def writing_stage(
    writing: Writing,
    rivals: Sequence[Sequence[str]],
    theme: Theme,
    *,
    kind: AttentionKind,
    head_in_words: str,
    by_model: bool,
) -> None:
    """Draw the answer. It plays by itself once, and follows the buttons and the arrow keys.

    `rivals` are the names of each step's likeliest pieces. With `by_model` the model has chosen
    what was written; else somebody typed it.
    """
    _component(
        key="writing_stage",
        data=as_json(
            {
                "keys": writing.keys,
                "steps": [
                    {
                        "reads": step.reads,
                        "writes": step.writes,
                        "looks": _strongest(step.looks),
                        "rivals": [
                            [name, round(share, 4)]
                            for name, (_, share) in zip(names, step.rivals, strict=True)
                        ],
                    }
                    for step, names in zip(writing.steps, rivals, strict=True)
                ],
                "telling": writing.telling,
                "hue": theme.hue(kind),
                "head": head_in_words,
                "byModel": by_model,
            }
        ),
    )


def _strongest(looks: np.ndarray) -> list[tuple[int, float]]:
    order = np.argsort(-looks, kind="stable")[:MOST_LINES]
    return [(int(key), round(float(looks[key]), 3)) for key in order if looks[key] >= LEAST]
