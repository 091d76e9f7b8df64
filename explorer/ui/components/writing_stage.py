"""An answer that is written before one's eyes, with lines to the words that each piece looks at."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from explorer.analysis.writing import Writing, WritingStep
from explorer.figures.theme import Theme
from explorer.languages import numeral, tr
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
                    _step(step, names) for step, names in zip(writing.steps, rivals, strict=True)
                ],
                "telling": writing.telling,
                "hue": theme.hue(kind),
                "head": head_in_words,
                "byModel": by_model,
                "texts": _texts(head_in_words, by_model=by_model),
            }
        ),
    )


def _step(step: WritingStep, names: Sequence[str]) -> dict[str, object]:
    looks = _strongest(step.looks)
    shares = [round(share, 4) for _, share in step.rivals]
    return {
        "reads": step.reads,
        "writes": step.writes,
        "looks": looks,
        "most": numeral(looks[0][1], ".2f") if looks else "",
        "rivals": [
            [name, share, _share_in_words(share)] for name, share in zip(names, shares, strict=True)
        ],
    }


def _share_in_words(share: float) -> str:
    return f"< {numeral(0.01, '.2f')}" if share < 0.005 else numeral(share, ".2f")


def _texts(head_in_words: str, *, by_model: bool) -> dict[str, str]:
    return {
        "name": tr("The answer, piece by piece, with {head}. Arrow keys step.", head=head_in_words),
        "back": tr("Step back"),
        "next": tr("Next step"),
        "play": tr("Play"),
        "again": tr("Play from the beginning"),
        "pause": tr("Pause"),
        "looks": tr(
            "Where “{writes}” is written after “{reads}”, most attention goes to “{key}” "
            "({weight}; {head})."
        )
        if by_model
        else tr("Before “{writes}”, most attention goes to “{key}” ({weight}; {head})."),
        "looksNowhere": tr(
            "Where “{writes}” is written after “{reads}”, attention goes to nothing in particular."
        )
        if by_model
        else tr("Before “{writes}”, attention goes to nothing in particular."),
        "rivals": tr("Likeliest next pieces") if by_model else tr("What the model expects next"),
    }


def _strongest(looks: np.ndarray) -> list[tuple[int, float]]:
    order = np.argsort(-looks, kind="stable")[:MOST_LINES]
    return [(int(key), round(float(looks[key]), 3)) for key in order if looks[key] >= LEAST]
