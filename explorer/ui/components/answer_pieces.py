"""The model's answer, piece by piece, with the probability of each."""

from collections.abc import Sequence

from explorer.languages import numeral
from explorer.ui.components.component import as_json, component

_component = component(
    "answer_pieces",
    '<div class="answer-row"><ol class="answer-pieces" tabindex="0"></ol>'
    '<p class="outside" role="note"></p></div>',
)


def answer_pieces(
    pieces: Sequence[str],
    probabilities: Sequence[float],
    name: str,
    *,
    note: str = "",
    key: str = "answer_pieces",
) -> None:
    """Draw the pieces in a line, and a note; `name` says whose probabilities they are."""
    shown = [
        [piece, numeral(share, ".2f"), round(share, 3)]
        for piece, share in zip(pieces, probabilities, strict=True)
    ]
    _component(key=key, data=as_json({"name": name, "pieces": shown, "note": note}))
