"""One call from sentences to the heads that a model needs for them."""

from collections.abc import Sequence
from pathlib import Path

from explorer.analysis.causes.need import How
from explorer.notebook.causes import DrawnHeadNeed, with_picture
from explorer.weights.loaded import Loaded, load
from explorer.weights.needed import need_in_steps


def need(
    model: Loaded | str | Path,
    sentences: Sequence[str | tuple[str, str]],
    how: How = "zero",
) -> DrawnHeadNeed:
    """For each attention, the mean change of log-probability without each of its heads.

    A sentence alone is measured by what the model itself answers to it, a pair by its target. A
    head is switched off by giving 0 as its output, or its "mean" over all words.

    >>> need("reverse", ["one two three"])["cross"].shape  # (layers, heads)
    (2, 4)

    Raises:
        ValueError: if there is no sentence or no such model, or it predicts no words.
    """
    loaded = model if isinstance(model, Loaded) else load(model)
    *_, (_, result) = need_in_steps(loaded, sentences, how)
    assert result is not None
    return with_picture(DrawnHeadNeed, result)
