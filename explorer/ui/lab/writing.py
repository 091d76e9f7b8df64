"""The answer of the lab's side that makes a mistake."""

from functools import partial
from typing import Final

from explorer.mistakes.catalogue import Mistake
from explorer.runtime.engine import engine
from explorer.runtime.generation import Altered, answer_to
from explorer.runtime.mistaken import twin
from explorer.text import Answer
from explorer.ui.asking import asked_of, drafts_of, limit_of
from explorer.ui.running import tell
from explorer.ui.settings import Settings

LONGER: Final = 5  # tokens that a mistaken answer may have more than the right one
LONGEST: Final = 30  # tokens of a mistaken answer of which none can be guessed


def answer_with(
    settings: Settings, mistake: Mistake, row: int, right: Answer
) -> tuple[Answer, int | None]:
    """The answer with a mistake, and the number of tokens after which it was given up, if it was.

    Its first draft is the right answer; while someone types, the mistaken one before.
    """
    asked, drafts = asked_of(settings), drafts_of("lab_draft", (settings.request, mistake.id))
    usual = limit_of(settings, asked, row)
    limit = min(usual, len(right.ids) + 1 + LONGER)
    if mistake.ahead or mistake.across:
        limit = min(limit, LONGEST)
    written = answer_to(
        engine(),
        settings.request,
        asked.sources if mistake.across else asked.sources[row : row + 1],
        specials=asked.specials,
        limit=min(limit, settings.config.max_len - 1),
        row=row if mistake.across else 0,
        # No guess can be checked if a word sees those that follow it; other sentences have none.
        draft=() if mistake.ahead or mistake.across else drafts.get(row, right.ids),
        prompt=() if settings.config.has_encoder else asked.prompts[row],
        altered=Altered(mistake.id, partial(twin, mistake=mistake)),
        tell=tell,
    )
    drafts[row] = written.ids
    answer = Answer.of(written.ids, asked.specials, written.probabilities)
    given_up = not answer.ended and len(answer.ids) == limit < usual
    return answer, limit if given_up else None
