"""The model's answer, piece by piece, with the probability of each."""

from collections.abc import Sequence

from explorer.ui.components.component import as_json, component

_component = component("answer_pieces", '<ol class="answer-pieces" tabindex="0"></ol>')


def answer_pieces(pieces: Sequence[str], probabilities: Sequence[float], name: str) -> None:
    """Draw the pieces in a line; `name` says whose probabilities they are."""
    shown = [[piece, f"{p:.2f}", round(p, 3)] for piece, p in zip(pieces, probabilities)]  # noqa: B905 (an answer that was cut off has no EOS)
    _component(key="answer_pieces", data=as_json({"name": name, "pieces": shown}))
