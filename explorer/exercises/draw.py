"""Questions by their address, and sets of them drawn from a seed."""

from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, zip_longest
from random import Random
from typing import Final

from explorer.exercises import attention, causes, decoding, masks, positions, stack, steps
from explorer.exercises.facts import KINDS, Asked, NoFactsError
from explorer.exercises.question import Topic
from explorer.runtime.engine import Run

FILES: Final = (masks, positions, attention, steps, stack, decoding, causes)  # fill `KINDS`
SET_SIZE: Final = 10  # questions
_FIRST: Final = 29  # with it, the set 0 begins with what is lost without a word, and the next word
_IN_TURN: Final = ("why", "decoding", "attention", "masks", "positions", "steps", "stack")
_TRIES: Final = 40  # chance may find nothing in one row, and something in another
_GONE: Final = {
    "target_row": "encoder_row target_block",
    "one_more_pad": "open_cells",
    "scores_shape": "source_mask_shape target_mask_shape shape_at_stop logits_shape",
    "longer_part": "which_encoding slowest more_alike squared_length",
    "without_positions": "other_place",
    "looks_most": "left_over",
    "score": "cells_of_score",
    "share_of_value": "contributes_most",
    "attention_parameters": "residual_sum feed_forward_parameters mean_after_norm cut_to_zero",
    "next_word": "from_logits hotter",
    "least_sure": "log_probability",
    "look_or_cause": "needed_head",
    "lost_word": "probability_left missing_part runs_of_occlusion",
}
# The kind that is nearest to each that there was: a link to it still asks something.
NEAREST: Final[Mapping[str, str]] = {old: new for new in _GONE for old in _GONE[new].split()}


def ask(kind: str, run: Run, draw: int) -> Asked | None:
    """A question of this kind about a run; None if there is nothing to ask.

    The same kind, sentence, model and draw always give the same question.
    """
    rng = Random(draw)
    for _ in range(_TRIES):
        with suppress(NoFactsError):
            about = KINDS[kind]
            return Asked(kind, draw, about.facts(about.source(run, rng), rng))
    return None


def kinds_in_turn(seed: int, topic: Topic | None = None) -> list[str]:
    """The kinds of a topic in random order; or of all topics, one of each in turn."""
    topics = [topic] if topic else _IN_TURN
    lines = [[k for k in _shuffled(seed) if KINDS[k].topic == one] for one in topics]
    return [kind for kind in chain(*zip_longest(*lines)) if kind]


def _shuffled(seed: int) -> list[str]:
    """All kinds: each has a place of its own, and a new one leaves the order of the others."""
    return sorted(KINDS, key=lambda kind: Random(f"{_FIRST + seed} {kind}").random())


def size_of_set(topic: Topic | None = None) -> int:
    """How many questions a set has: no kind is asked twice."""
    return min(SET_SIZE, len(kinds_in_turn(0, topic)))


def ask_in_set(
    run: Run, seed: int, number: int, topic: Topic | None = None, kind: str | None = None
) -> Asked | None:
    """The question at one place of a set, counted from 1; of this kind, if one is given.

    Where the run has no data for it, it is of a kind that the set does not have, or of any other.
    """
    kinds, at = kinds_in_turn(seed, topic), number - 1
    more = kinds[SET_SIZE:]
    wanted = [*([kind] if kind else []), *kinds[at : at + 1], *more[at:], *more[:at], *kinds]
    found = (ask(one, run, SET_SIZE * seed + at) for one in dict.fromkeys(wanted))
    return next((asked for asked in found if asked), None)
