"""Which heads does the model need? Each one switched off, here and over many sentences."""

from typing import Final

from explorer.analysis.causes.asked import Asked, Effects, Head, by_head, head_in_words
from explorer.analysis.causes.need import HeadNeed
from explorer.languages import mark, sentences, tr, tr_n
from explorer.views.picture import Picture
from explorer.views.why.parts import VISIBLE, ClickOnHead, code_of, grid_of_heads

LEAST_NEED: Final = 0.005  # nats a token: what is less is written as 0
CONFIDENCE: Final = 1.96  # standard errors to each side, of an interval of 95 %
CHOOSES: Final = ClickOnHead(whole="why_head", toggles=True)


def telling_head(asked: Asked, effects: Effects) -> Head | None:
    """The head with the largest effect on the word in question; None if no head has one."""
    changes = by_head(effects)
    most = max(changes, key=lambda at: abs(changes[at]))
    return most if asked.is_noticeable(asked.question.answer + changes[most]) else None


def restoring_head(shares: Effects) -> Head:
    """The head that moves A nearest to B; a head may also move it away."""
    numbers = by_head(shares)
    return max(numbers, key=lambda at: numbers[at])


def answer(asked: Asked, effects: Effects, at: Head | None) -> tuple[str, str]:
    """The measure without the head `at`, if there is one, and how many do next to nothing."""
    before, changes = asked.question.answer, by_head(effects)
    idle = sum(not asked.is_noticeable(before + change) for change in changes.values())
    about = {"measure": asked.measure, "before": asked.level(before)}
    level = tr("{measure}: {before}.", **about)
    if at is not None:
        after = asked.level(before + changes[at])
        level = tr(
            "{measure}: {before}, and {after} without {head}.",
            **about,
            after=after,
            head=head_in_words(*at),
        )
    return level, tr_n(
        "Switched off alone, {n} of {all} heads changes next to nothing.",
        "Switched off one by one, {n} of {all} heads change next to nothing.",
        idle,
        all=len(changes),
    )


def off_picture(asked: Asked, effects: Effects, at: Head | None) -> Picture:
    """The loss of the word in question without each head."""
    return grid_of_heads(
        {kind: -grid for kind, grid in effects.items()},
        key="why_off",
        title=tr("Each head switched off"),
        what=asked.unit,
        caption=tr(
            "{unit} lost when one head gives 0. Gold: the head raised it, violet: lowered it. "
            "Heads that can stand in for each other all look idle.",
            unit=asked.unit,
        ),
        code=code_of(asked, "heads", 0, head=at),
        mark=at,
        click=CHOOSES,
        least=VISIBLE,
    )


def need_picture(found: HeadNeed, at: Head | None) -> Picture:
    """The loss of all words of many sentences without each head."""
    return grid_of_heads(
        {kind: -grid for kind, grid in found.changes.items()},
        key="why_need",
        title=tr("Each head switched off, over many sentences"),
        what=tr("lost nats a token"),
        caption=need_in_words(found),
        code=None,
        mark=at,
        click=CHOOSES,
    )


def need_in_words(found: HeadNeed) -> str:
    """The head that is needed most, with its interval of confidence; or that none clearly is."""
    changes, errors = by_head(found.changes), by_head(found.errors)
    clear = [at for at in changes if -changes[at] - CONFIDENCE * errors[at] >= LEAST_NEED]
    most = min(clear or changes, key=lambda at: changes[at])
    lost, margin = -changes[most], CONFIDENCE * errors[most]
    measured = tr_n(
        "Mean loss of log p without a head, over {n:,} sentence ({words:,} tokens).",
        "Mean loss of log p without a head, over {n:,} sentences ({words:,} tokens).",
        found.sentences,
        words=found.words,
    )
    if found.sentences == 1:
        text = mark(
            "Most is lost without {head}: {lost:z.2f} nats a token. One sentence says little of "
            "others."
        )
    elif not clear:
        text = mark(
            "No head is clearly needed: most is lost without {head}, {lost:z.2f} ± {margin:.2f} "
            "nats a token (95%)."
        )
    else:
        text = mark(
            "Needed: {head}, without which {lost:z.2f} ± {margin:.2f} nats a token are lost (95%, "
            "for this head alone: others may be needed as much)."
        )
    return sentences(measured, tr(text, head=head_in_words(*most), lost=lost, margin=margin))
