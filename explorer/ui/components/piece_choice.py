"""Pieces in a line, of which one is chosen, each with its probability."""

from collections.abc import Callable, Sequence
from typing import Any

from explorer.languages import numeral
from explorer.ui.components.component import component

_component = component("piece_choice", '<ol class="piece-choice" role="radiogroup"></ol>')


def choose_piece(
    pieces: Sequence[str],
    probabilities: Sequence[float] | None,
    name: str,
    *,
    chosen: int,
    on_pick: Callable[[int], None],
    key: str,
) -> None:
    """Draw the pieces; `on_pick` is called with the number of another one before the next run."""

    def picked(number: Any) -> None:
        if 0 <= number < len(pieces):
            on_pick(int(number))

    shares = [None] * len(pieces) if probabilities is None else probabilities
    shown = [
        [piece, "" if share is None else numeral(share, ".2f"), round(share or 0.0, 3)]
        for piece, share in zip(pieces, shares, strict=True)
    ]
    data = {"name": name, "pieces": shown, "chosen": chosen}
    _component(key=key, data=data, on={"picked": picked})
