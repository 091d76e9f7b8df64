"""Pieces in a line, such as those of an answer, with the probability of each."""

from collections.abc import Callable, Sequence
from typing import Any

from explorer.figures.describe import share_in_words
from explorer.languages import tr
from explorer.ui.components.component import component

_component = component(
    "answer_pieces",
    '<div class="answer-row"><ol class="answer-pieces" tabindex="0"></ol>'
    '<button type="button" class="more"></button><span class="sure"></span>'
    '<p class="outside" role="note"></p></div>',
)


def answer_pieces(
    pieces: Sequence[str],
    probabilities: Sequence[float] | None,
    name: str,
    *,
    words: str = "",
    note: str = "",
    sure: str = "",
    in_picture: bool = False,
    chosen: int | None = None,
    on_picked: Callable[[int], None] | None = None,
    key: str = "answer_pieces",
) -> None:
    """Draw the pieces in a line, and a note; `name` says whose they are, `words` what they spell.

    `sure` says how sure the model was of all of them. A click on a piece is told to the picture
    of the page if it is `in_picture`; or, before the next run, to `on_picked`, counted from 0, as
    is the one that is `chosen`.
    """
    if probabilities is None:
        shown = [[piece, "", 0] for piece in pieces]
    else:
        shown = [
            [piece, share_in_words(share), round(share, 3)]
            for piece, share in zip(pieces, probabilities, strict=True)
        ]
    points = "picture" if in_picture else "page" if on_picked is not None else ""
    data: dict[str, object] = {"name": name, "words": words, "pieces": shown, "note": note}
    data |= {"sure": sure, "more": tr("{number} more"), "points": points, "chosen": chosen}

    def picked(piece: Any) -> None:
        if on_picked is not None and isinstance(piece, int) and 0 <= piece < len(shown):
            on_picked(piece)

    _component(key=key, data=data, on={"picked": picked})
