"""The answer of the lab's altered model."""

from typing import Final

from explorer.answers.asking import asked_of, limit_of
from explorer.choices.settings import Settings
from explorer.runtime.engine import engine
from explorer.runtime.generation import Altered, answer_to
from explorer.text import Answer
from explorer.ui.frame.running import drafts_of, tell

LONGER: Final = 5  # tokens that a mistaken answer may have more than the right one
LONGEST: Final = 30  # tokens of a mistaken answer of which none can be guessed


def answer_with(
    settings: Settings, altered: Altered, row: int, right: Answer, *, ahead: bool, across: bool
) -> tuple[Answer, int | None]:
    """The answer of an altered model, and the tokens after which it was given up, if it was.

    Its first draft is the `right` answer; while someone types, its own answer before. With a
    mistake, its words may see those `ahead`, or those of other sentences, `across` the batch.
    """
    asked, drafts = asked_of(settings), drafts_of("lab_draft", (settings.request, altered.name))
    usual = limit_of(settings, asked, row)
    limit = min(usual, len(right.ids) + 1 + LONGER)
    if ahead or across:
        limit = min(limit, LONGEST)
    written = answer_to(
        engine(),
        settings.request,
        asked.sources if across else asked.sources[row : row + 1],
        specials=asked.specials,
        limit=min(limit, settings.config.max_len - 1),
        row=row if across else 0,
        # No guess can be checked if a word sees those that follow it; other sentences have none.
        draft=() if ahead or across else drafts.get(row, right.ids),
        prompt=() if settings.config.has_encoder else asked.prompts[row],
        altered=altered,
        tell=tell,
    )
    drafts[row] = written.ids
    answer = Answer.of(written.ids, asked.specials, written.probabilities)
    given_up = not answer.ended and len(answer.ids) == limit < usual
    return answer, limit if given_up else None
