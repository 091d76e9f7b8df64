"""Causes with their pictures: what a notebook gets when it asks why."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from explorer.analysis.causes.asked import by_head
from explorer.analysis.causes.attribution import Attribution
from explorer.analysis.causes.logit_parts import LogitParts
from explorer.analysis.causes.need import HeadNeed
from explorer.analysis.causes.score_parts import ScoreParts
from explorer.notebook.output import Output
from explorer.views.why.heads import need_picture

Drawn = TypeVar("Drawn")


@dataclass(frozen=True, kw_only=True)
class _WithPicture:
    """A result that knows how it is drawn."""

    draw: Callable[[], Output] = field(repr=False, compare=False)

    def picture(self) -> Output:
        """The result as the app shows it."""
        return self.draw()


@dataclass(frozen=True, kw_only=True)
class DrawnAttribution(Attribution, _WithPicture):
    """`Attribution`, with its picture."""


@dataclass(frozen=True, kw_only=True)
class DrawnLogitParts(LogitParts, _WithPicture):
    """`LogitParts`, with its pictures: by layer, and by head."""


@dataclass(frozen=True, kw_only=True)
class DrawnScoreParts(ScoreParts, _WithPicture):
    """`ScoreParts`, with its picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnHeadNeed(HeadNeed):
    """`HeadNeed`, with its picture."""

    def picture(self) -> Output:
        """Every head of every layer, the one that is needed most framed."""
        changes = by_head(self.changes)
        return Output([need_picture(self, min(changes, key=lambda at: changes[at]))])


def with_picture(kind: type[Drawn], result: Any, **more: Callable[[], Output]) -> Drawn:
    """A result as one with a picture."""
    return kind(**{part.name: getattr(result, part.name) for part in fields(result)}, **more)
