"""One call from sentences to the heads that a model needs for them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from explorer.analysis.causes.asked import by_head
from explorer.analysis.causes.need import HeadNeed
from explorer.notebook.output import Output
from explorer.views.why.heads import need_picture
from explorer.weights.loaded import Loaded, load
from explorer.weights.needed import need_in_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnHeadNeed(HeadNeed):
    """`HeadNeed`, with its picture."""

    def picture(self) -> Output:
        """Every head of every layer, the one that is needed most framed."""
        changes = by_head(self.changes)
        return Output([need_picture(self, min(changes, key=lambda at: changes[at]))])


def need(model: Loaded | str | Path, sentences: Sequence[str | tuple[str, str]]) -> DrawnHeadNeed:
    """For each attention, the mean change of log-probability without each of its heads.

    A sentence alone is measured by what the model itself answers to it, a pair by its target. A
    head is switched off by giving 0 as its output.

    >>> need("reverse", ["one two three"])["cross"].shape  # (layers, heads)
    (2, 4)

    Raises:
        ValueError: if there is no sentence or no such model, or it predicts no words.
    """
    loaded = model if isinstance(model, Loaded) else load(model)
    *_, (_, result) = need_in_steps(loaded, sentences)
    assert result is not None
    return DrawnHeadNeed(**{part.name: getattr(result, part.name) for part in fields(result)})
