"""The stops of the tour: each asks one question and opens a page at the telling place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from explorer.choices.examples import EXAMPLES
from explorer.languages import mark
from explorer.names import AttentionKind
from explorer.tour import says
from explorer.tour.tour_run import TourRun

Choices = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStop:
    """One stop: a question, the page that answers it, what to read there and what to do."""

    question: str  # marked, as are `does` and `answer`
    page: str
    says: Callable[[TourRun], str]
    does: str
    answer: str  # to the question, in one sentence
    choices: Callable[[TourRun], Choices] = lambda tour: {}
    sentence: str | None = None  # of the translator, in place of the reader's while one is there


def _hidden_word(tour: TourRun) -> Choices:
    """The cell of the word that comes next, in the decoder's mask."""
    after = min(tour.step.position + 1, len(tour.ran.tgt_labels) - 1)
    return {"attention": "decoder", "query": tour.step.position, "key": after}


def _head(kind: AttentionKind, layer: int, head: int) -> dict[str, Any]:
    return {"attention": kind, "layer": layer + 1, "head": head + 1}


def _one_weight(tour: TourRun) -> Choices:
    layer, head, query, key = tour.large_weight
    case = {"case": "model", "step": "x", "query": query, "key": key}
    return _head("encoder", layer, head) | case


def _clear_head(tour: TourRun) -> Choices:
    layer, head_roles = tour.clearest
    head = int(np.argmax([role.share for role in head_roles]))
    weights = tour.ran.attention("encoder", layer).weights[head]
    query, key = map(int, np.unravel_index(weights.argmax(), weights.shape))
    return _head("encoder", layer, head) | {"query": query, "key": key}


def _aligning_head_off(tour: TourRun) -> Choices:
    layer, head = tour.aligning
    return {
        "ask": "heads",
        "why_at": tour.doubtful.position,
        "why_head": f"cross-{layer + 1}-{head + 1}",
        "drawer": "researchers",
    }


def _feed_forward(tour: TourRun) -> Choices:
    return {"stack_shows": "stop", "stop": tour.feed_forward, "word": tour.key, "drawer": "stop"}


# The choices that the stops make.
CHOICE_KEYS: Final = (
    *("ask", "aspect", "at", "attention", "case", "drawer", "head", "key", "layer", "method"),
    *("query", "stack_shows", "step", "stop", "why_at", "why_head", "word"),
)
TOUR_STOPS: Final = (
    TourStop(
        question=mark("What does the model read?"),
        page="tokens",
        says=says.pieces,
        does=mark("Type a long word, or invent one, and see into how many pieces it falls."),
        answer=mark("Numbers: the sentence is cut into pieces, and each piece has a number."),
    ),
    TourStop(
        question=mark("How does a number come to mean something?"),
        page="stack",
        says=says.embedding,
        does=mark("Choose another word. Which words have rows most like its own?"),
        answer=mark(
            "Each number picks a row of numbers that were learnt, the embedding. Words that are "
            "used alike often have rows that are alike."
        ),
        choices=lambda tour: {
            "stack_shows": "stop",
            "stop": 0,
            "word": tour.telling_row[0],
            "drawer": "stop",
        },
    ),
    TourStop(
        question=mark("How does it know the order of the words?"),
        page="positions",
        says=says.positions,
        does=mark("Find the zeros: which words keep their vector when two others are exchanged?"),
        answer=mark(
            "In the paper, each position adds a pattern of waves of its own to the word that "
            "stands there."
        ),
        choices=lambda tour: {"aspect": "order"},
    ),
    TourStop(
        question=mark("How does one word look at another?"),
        page="steps",
        says=says.one_weight,
        does=mark("Press › beside the steps until you have reached × W_O, and follow the numbers."),
        answer=mark(
            "Its query is compared with all keys; the softmax makes shares of the products; the "
            "values are mixed by these shares."
        ),
        choices=_one_weight,
    ),
    TourStop(
        question=mark("Why are there many heads?"),
        page="attention",
        says=says.many_heads,
        does=mark("Click a few small squares: which heads have a job that you can name?"),
        answer=mark("Each head has a q, k and v of its own, so each can look for something else."),
        choices=_clear_head,
    ),
    TourStop(
        question=mark("What must it not see?"),
        page="masks",
        says=says.masks,
        does=mark(
            "Find this row in the target mask: how many cells are open, and why is the rest shut?"
        ),
        answer=mark("The decoder must not see the words it is to guess, and nobody looks at PAD."),
        choices=_hidden_word,
    ),
    TourStop(
        question=mark("What is the use of many layers?"),
        page="stack",
        says=says.layers,
        does=mark("Follow other columns down: from which layer on is it the word that it writes?"),
        answer=mark(
            "Each layer adds what it has found to the residual stream; the next one goes on from "
            "there, and the model writes from what the last one leaves."
        ),
        choices=lambda tour: {"stack_shows": "lens", "word": tour.step.position},
    ),
    TourStop(
        question=mark("Where do source and answer meet?"),
        page="attention",
        says=says.translation,
        does=mark(
            "Begin the sentence with another word, such as “Sometimes”: does the pattern follow?"
        ),
        answer=mark("In cross-attention: the decoder asks, and the encoder's memory answers."),
        choices=lambda tour: (
            _head("cross", *tour.aligning) | {"query": tour.step.position, "key": tour.key}
        ),
    ),
    TourStop(
        question=mark("How is the next word chosen?"),
        page="decoding",
        says=says.choosing,
        does=mark("Go through the answer with ›. Where is it unsure?"),
        answer=mark(
            "Logits become probabilities; greedy decoding takes the largest, writes it and reads "
            "it again."
        ),
        choices=lambda tour: {"method": "greedy", "at": tour.unsure_at + 1},
    ),
    TourStop(
        question=mark("Is the likeliest word the best one?"),
        page="decoding",
        says=says.search,
        does=mark(
            "Go through the tree with ›: where do the beams leave what *greedy* writes? Then "
            "choose *sampling*, and raise the temperature."
        ),
        answer=mark(
            "Not always: beam search keeps several beginnings alive, and sampling leaves it to "
            "chance."
        ),
        choices=lambda tour: {"method": "beam", "at": 3},
        sentence=EXAMPLES["What greedy decoding misses"].pairs[0][0],
    ),
    TourStop(
        question=mark("How did it learn all this?"),
        page="training",
        says=says.learning,
        does=mark("Press *Train* and watch attention take shape."),
        answer=mark(
            "From its mistakes: the loss is large where the right piece had a small probability, "
            "and every weight is moved to make it smaller."
        ),
    ),
    TourStop(
        question=mark("Does the head that looks there matter?"),
        page="why",
        says=says.mattering,
        does=mark(
            "Close *For researchers*: which words were needed, and which were only looked at? Then "
            "name a rival."
        ),
        answer=mark(
            "A look is no cause: take a head or a word away and see. If nothing changes, others "
            "may have stood in for it."
        ),
        choices=_aligning_head_off,
    ),
    TourStop(
        question=mark("What happens to each word by itself?"),
        page="stack",
        says=says.feed_forward,
        does=mark("Choose other words: do the same numbers stay at 0?"),
        answer=mark(
            "Attention mixes words; the feed-forward network then works on each word alone, and "
            "each adds its result to what was there."
        ),
        choices=_feed_forward,
    ),
)
