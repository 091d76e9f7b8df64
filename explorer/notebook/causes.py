"""Causes with their pictures: what a notebook gets when it asks why."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from explorer.analysis.causes.asked import by_head
from explorer.analysis.causes.attribution import Attribution
from explorer.analysis.causes.logit_parts import LogitParts
from explorer.analysis.causes.need import HeadNeed
from explorer.analysis.causes.score_parts import ScoreParts
from explorer.figures.theme import LIGHT
from explorer.notebook.output import Output
from explorer.views.why.heads import need_picture

Seen = TypeVar("Seen")


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """A result that knows how it is drawn."""

    draw: Callable[[], Output] = field(repr=False, compare=False)

    def picture(self) -> Output:
        """The result as the app shows it."""
        return self.draw()


@dataclass(frozen=True, kw_only=True)
class AttributionSeen(Attribution, _Drawn):
    """`Attribution`, with its picture."""


@dataclass(frozen=True, kw_only=True)
class LogitPartsSeen(LogitParts, _Drawn):
    """`LogitParts`, with its pictures: by layer, and by head."""


@dataclass(frozen=True, kw_only=True)
class ScorePartsSeen(ScoreParts, _Drawn):
    """`ScoreParts`, with its picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadNeedSeen(HeadNeed):
    """`HeadNeed`, with its picture."""

    def picture(self) -> Output:
        """Every head of every layer, the one that is needed most framed."""
        changes = by_head(self.changes)
        return Output([need_picture(self, min(changes, key=lambda at: changes[at]), LIGHT)])


def with_picture(kind: type[Seen], found: Any, **more: Callable[[], Output]) -> Seen:
    """A result as one with a picture."""
    return kind(**{part.name: getattr(found, part.name) for part in fields(found)}, **more)
