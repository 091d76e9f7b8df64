"""Which heads does the model need? Each one switched off, here and over many sentences."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from jaxtyping import Float

from explorer.analysis.causes.asked import Asked, place
from explorer.analysis.causes.need import HeadNeed
from explorer.figures.theme import Theme
from explorer.languages import mark, tr, tr_n
from explorer.names import AttentionKind
from explorer.views.picture import Picture
from explorer.views.why.parts import ClickOnHead, code_of, grid_of_heads, signed

Place = tuple[AttentionKind, int, int]  # an attention, a layer and a head, from 0
Effects = Mapping[AttentionKind, Float[np.ndarray, "layers heads"]]
VISIBLE: Final = 0.1  # nats: what changes next to nothing is pale
CONFIDENCE: Final = 1.96  # standard errors to each side, of an interval of 95 %
CHOOSES: Final = ClickOnHead(whole="why_head", toggles=True)


def largest_head(effects: Effects) -> Place:
    """The head whose number has the largest size."""
    return max(_places(effects), key=lambda at: abs(float(effects[at[0]][at[1:]])))


def restoring_head(shares: Effects) -> Place:
    """The head that brings A nearest to B; one may also lead away."""
    return max(_places(shares), key=lambda at: float(shares[at[0]][at[1:]]))


def answer(asked: Asked, effects: Effects) -> tuple[str, str]:
    """The head that does most here, and how many do next to nothing."""
    before, places = asked.question.answer, _places(effects)
    most = largest_head(effects)
    after = {at: before + float(effects[at[0]][at[1:]]) for at in places}
    idle = sum(not asked.moves(value) for value in after.values())
    said = tr(
        "{measure}: {before}, and {after} without {head}.",
        measure=asked.measure,
        before=asked.level(before),
        after=asked.level(after[most]),
        head=place(*most),
    )
    return said, tr_n(
        "Switched off alone, {n} of {all} heads changes next to nothing.",
        "Switched off one by one, {n} of {all} heads change next to nothing.",
        idle,
        all=len(places),
    )


def one_head(asked: Asked, effects: Effects, at: Place) -> str:
    """The measure without one head, in words."""
    value = asked.question.answer + float(effects[at[0]][at[1:]])
    return tr(
        "Without {head}: {after} in place of {before}.",
        head=place(*at),
        after=asked.level(value),
        before=asked.level(asked.question.answer),
    )


def off_picture(asked: Asked, effects: Effects, at: Place | None, theme: Theme) -> Picture:
    """The loss of the word in question without each head."""
    return grid_of_heads(
        effects,
        theme,
        key="why_off",
        name="why-heads-off",
        title=tr("Each head switched off"),
        what=asked.unit,
        caption=tr(
            "The change when one head gives 0. Gold: “{word}” needs it. Heads that can stand in "
            "for each other all look idle.",
            word=asked.word,
        ),
        code=code_of(asked, "heads", 0),
        mark=at,
        click=CHOOSES,
        least=VISIBLE,
        falls=True,
    )


def need_picture(found: HeadNeed, at: Place | None, theme: Theme) -> Picture:
    """The loss of all words of many sentences without each head."""
    return grid_of_heads(
        found.changes,
        theme,
        key="why_need",
        name="why-need",
        title=tr("Each head switched off, over many sentences"),
        what=tr("nats a token"),
        caption=need_in_words(found),
        code=None,
        mark=at,
        click=CHOOSES,
        least=VISIBLE,
        falls=True,
    )


def need_in_words(found: HeadNeed) -> str:
    """The head that is needed most, with its interval of confidence; or that none clearly is."""
    kind, *place_in = most = largest_head(found.changes)
    change = float(found[kind][*place_in])
    margin = CONFIDENCE * float(found.errors[kind][*place_in])
    said = (
        mark(
            "Mean change of log p over {words:,} tokens of {sentences:,} sentences. No head is "
            "clearly needed: the largest change, {change} ± {margin:.2f} (95 %), of {head}, may be "
            "chance. More sentences would tell."
        )
        if abs(change) <= margin
        else mark(
            "Mean change of log p over {words:,} tokens of {sentences:,} sentences. Needed most: "
            "{head}, {change} ± {margin:.2f} (95 %)."
        )
    )
    return tr(
        said,
        words=found.words,
        sentences=found.sentences,
        head=place(*most),
        change=signed(change),
        margin=margin,
    )


def _places(effects: Effects) -> list[Place]:
    return [
        (kind, layer, head)
        for kind, grid in effects.items()
        for layer, head in np.ndindex(grid.shape)
    ]
