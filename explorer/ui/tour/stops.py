"""The stops of the tour: each asks one question and opens a page at the telling place.

Its words and numbers are those of the sentence on show.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from explorer.analysis.head_roles import CLEAR
from explorer.languages import listed, mark, numeral, tr
from explorer.names import PAD, AttentionKind
from explorer.ui.controls.attention import known_heads
from explorer.ui.controls.choices import value
from explorer.ui.domains import Whole
from explorer.ui.markdown import literal
from explorer.ui.parameters import (
    ASPECT,
    AT,
    ATTENTION,
    CASE,
    HEAD,
    KEY,
    LAYER,
    METHOD,
    POSITIONS,
    QUERY,
    STACK_SHOWS,
    STEP,
    STOP,
    WORD,
)
from explorer.ui.tour.seen import Seen
from explorer.weights.catalogue import TrainedHere

Choices = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStop:
    """One stop: a question, the page that answers it, what to read there and what to do."""

    question: str  # marked, as are `does` and `answer`
    page: str
    says: Callable[[Seen], str]
    does: str
    answer: str  # to the question, in one sentence
    choices: Callable[[Seen], Choices] = lambda seen: {}


def _pieces(seen: Seen) -> str:
    ran, at = seen.ran, seen.key
    count = sum(label != PAD for label in ran.src_labels)
    first = seen.written.steps[0]
    read = tr(
        "The model cannot read letters. It cuts the sentence into {count} pieces and looks each "
        "one up in a list of {vocabulary:,}. “{word}” is number **{id}**.",
        count=count,
        vocabulary=seen.settings.config.src_vocab_size,
        word=seen.word,
        id=int(ran.batch.src[ran.row, at]),
    )
    wrote = tr(
        "It writes in pieces, too. They stand under the sentence, each with its probability, from "
        "0 to 1: “{word}” {share:.2f}.",
        word=literal(first.writes),
        share=first.probability,
    )
    rows = len(ran.batch.src)
    if rows == 1:
        return f"{read} {wrote}"
    together = tr(
        "It reads {rows} sentences at once here; PAD only fills up the shorter ones.", rows=rows
    )
    return f"{read} {wrote} {together}"


def _embedding(seen: Seen) -> str:
    at, nearest = seen.telling_row
    chosen = value(WORD)
    on_show = value(STACK_SHOWS) == "stop" and value(STOP) == 0
    there = 0 if chosen is None else min(chosen, len(seen.ran.src_labels) - 1)
    if chosen is not None and on_show and seen.ran.src_labels[there] != PAD:
        at, nearest = there, seen.like(there)  # somebody looks at another one
    row = seen.ran.trace.src_embedding.embedded[0, at, :3].tolist()
    first, second, third = (numeral(number, ".3f").replace("-", "−") for number in row)
    word = literal(seen.ran.src_labels[at])
    picked = tr(
        "A number has no meaning, so it picks a row of a table that was learnt: {width} numbers "
        "(d_model) stand for “{word}”, and they begin with {first}, {second}, {third}. All that "
        "follows is arithmetic with rows like this one.",
        width=seen.settings.config.d_model,
        word=word,
        first=first,
        second=second,
        third=third,
    )
    if not nearest:
        return picked
    meaning = tr(
        "Words that are used alike often got rows that are alike; rare ones less so. The rows "
        "nearest to that of “{word}” are those of {words} (1 would be the same direction, 0 is "
        "nothing in common).",
        word=word,
        words=listed(
            [tr("“{word}” {share:.2f}", word=literal(one), share=share) for one, share in nearest]
        ),
    )
    return f"{picked} {meaning}"


def _positions(seen: Seen) -> str:
    kind = seen.settings.config.positions
    bag = tr(
        "The model reads all words at once, like a bag of words: it would not notice if two of "
        "them changed places."
    )
    if kind in ("sinusoidal", "halves"):
        answer = tr(
            "So every position has a pattern of waves of its own, which is added to the word's "
            "row. “{word}” stands at position **{position}**, counted from 0, and gets the framed "
            "row.",
            word=seen.word,
            position=seen.key,
        )
    elif kind == "learned":
        answer = tr(
            "So every position has a row of numbers that was learnt, and it is added to the "
            "word's row. “{word}” stands at position **{position}**. The picture shows the "
            "paper's way: waves.",
            word=seen.word,
            position=seen.key,
        )
    elif kind == "none":
        answer = tr("This model has no positions at all. The picture shows the paper's: waves.")
    else:
        answer = tr(
            "This model tells the order inside attention, by the distance between two words "
            "(“{word}” stands at position **{position}**). The picture shows the paper's way: "
            "waves that are added.",
            word=seen.word,
            position=seen.key,
        )
    return f"{bag} {answer}"


def _by_hand(seen: Seen) -> str:
    layer, head, query, key = seen.look
    found = seen.ran.attention("encoder", layer)
    asks, answers = (literal(found.query_labels[at]) for at in (query, key))
    made = tr(
        "Three learnt tables make three short rows of each word: a query q that asks, a key k that "
        "is compared with it, and a value v that is handed on (d_k = {width} numbers each).",
        width=seen.settings.config.d_k,
    )
    compared = tr(
        "q·k says how well two words fit, and the softmax turns these scores into shares that sum "
        "to 1. Sums of more products are larger, so ÷ √d_k brings the scores back to one size: "
        "else the softmax would nearly always choose a single word. “{asks}” gives “{answers}” "
        "**{weight:.3f}** of its attention, and takes that much of its value.",
        asks=asks,
        answers=answers,
        weight=found.weights[head, query, key],
    )
    return f"{made} {compared}"


def _many_heads(seen: Seen) -> str:
    layer, found = seen.clearest
    n_heads = seen.settings.config.n_heads
    best: dict[str, str] = {}  # for each role, its clearest head
    for number, role in sorted(enumerate(found, start=1), key=lambda one: -one[1].share):
        if role.share >= CLEAR:
            named = tr("head {number} ({job})", number=number, job=role.in_words)
            best.setdefault(role.name, named)
    if n_heads > 1:
        why = tr(
            "One head can ask one question only. So {n_heads} heads work side by side, each with "
            "weights of its own, and what they find is put together.",
            n_heads=n_heads,
        )
    else:
        why = tr(
            "One head can ask one question only. So a model may have many heads, each with "
            "weights of its own, and what they find is put together."
        )
    return f"{why} {_clearest_jobs(layer, list(best.values())[:2])}"


def _clearest_jobs(layer: int, clear: list[str]) -> str:
    """A sentence about the heads of this layer whose jobs are clear: two at most."""
    place = tr("layer {layer} of the encoder", layer=layer + 1)
    if not clear:
        return tr(
            "In {place}, no head has a job here that is easily named: they share the work.",
            place=place,
        )
    if len(clear) == 1:
        return tr(
            "In {place}, {head} has the clearest job in this sentence. (In brackets: where it "
            "looks, with how much of its attention.)",
            place=place,
            head=clear[0],
        )
    return tr(
        "In {place}, {heads} have the clearest jobs in this sentence. (In brackets: where they "
        "look, with how much of their attention.)",
        place=place,
        heads=listed(clear),
    )


def _masks(seen: Seen) -> str:
    step = seen.step
    return tr(
        "Two parts of the model are at work: the encoder reads the sentence, the decoder writes "
        "the answer. While it learns, the decoder has the whole right answer in front of it "
        "(teacher forcing); here it has its own. So what comes later is hidden: in the row "
        "“{reads} → {writes}” it has read “{reads}” and must guess “**{writes}**”; if it could "
        "look there, it would only copy. PAD is hidden from everybody.",
        reads=literal(step.reads),
        writes=literal(step.writes),
    )


def _hidden_word(seen: Seen) -> Choices:
    """The cell of the word that comes next, in the decoder's mask."""
    after = min(seen.step.position + 1, len(seen.ran.tgt_labels) - 1)
    return {ATTENTION.key: "decoder", QUERY.key: seen.step.position, KEY.key: after}


def _layers(seen: Seen) -> str:
    ran, at = seen.ran, seen.step.position
    lens = ran.logit_lens()
    names = ran.batch.tgt_names(lens.best[:, at].tolist())
    said = "; ".join(
        tr(
            "after layer {layer}: “{word}” ({share:.2f})",
            layer=layer,
            word=literal(name),
            share=float(lens.sure[layer, at]),
        )
        for layer, name in enumerate(names)
        if layer
    )
    adds = tr(
        "Each layer adds a little to every word's numbers; this running sum is called the residual "
        "stream. Ask the decoder after each layer what it would write after “{reads}” — "
        "{guesses}. That is the framed column, from top to bottom.",
        reads=literal(seen.step.reads),
        guesses=said,
    )
    if ran.batch.tgt_names([int(lens.best[0, at])])[0] == seen.step.reads:
        return adds + " " + tr("Before the first layer, it knows only the word that it has read.")
    return adds


def _translation(seen: Seen) -> str:
    layer, head = seen.aligning
    weight = seen.ran.attention("cross", layer).weights[head, seen.step.position, seen.key]
    meet = tr(
        "This is where source and answer meet: in cross-attention the decoder asks (q), and what "
        "the encoder made of the source answers (k and v). To write “**{writes}**”, this head "
        "looks at “**{word}**” with {weight:.2f} of its attention, wherever that word stands. "
        "Nobody wrote a rule for it: it was learnt.",
        writes=literal(seen.step.writes),
        word=seen.word,
        weight=weight,
    )
    known = known_heads(seen.settings)
    if known is None:
        return meet
    perfect = tr(
        "It is not perfect, but no head does better: for {share:.0%} of the words that were marked "
        "by hand in 100 sentences, it looks most at the right one.",
        share=known.aligned,
    )
    return f"{meet} {perfect}"


def _choosing(seen: Seen) -> str:
    step, batch = seen.unsure, seen.ran.batch
    assert batch.tgt_out is not None
    written = int(batch.tgt_out[seen.ran.row, step.position])
    other, other_share = next(rival for rival in step.rivals if rival[0] != written)
    logits = seen.ran.trace.logits[0, step.position].tolist()
    every = tr(
        "Each of the {vocabulary:,} pieces gets a score, its logit, and the softmax turns the "
        "scores into probabilities.",
        vocabulary=seen.settings.config.tgt_vocab_size,
    )
    said = tr(
        "Here it was least sure: “**{word}**” has the logit {logit:.2f} and the probability "
        "**{share:.2f}**, the likeliest other piece is “{other}” with {other_logit:.2f} and "
        "{other_share:.2f}.",
        word=literal(step.writes),
        logit=logits[written],
        share=step.probability,
        other=literal(batch.tgt_names([other])[0]),
        other_logit=logits[other],
        other_share=other_share,
    )
    greedy = tr("Greedy decoding takes the largest, and reads what it wrote before it goes on.")
    return f"{every} {said} {greedy}"


def _search(seen: Seen) -> str:
    return tr(
        "The likeliest next piece is not always on the way to the likeliest sentence. Beam search "
        "keeps several beginnings alive, each with a score (nearer to 0 is better), and takes the "
        "best whole answer: the likeliest one, which need not be right. Greedy decoding was least "
        "sure at “{word}” ({share:.2f}): what do the beams do there? Sampling draws the next piece "
        "by chance; the temperature divides the logits first, so a high one gives unlikely pieces "
        "a better chance.",
        word=literal(seen.unsure.writes),
        share=seen.unsure.probability,
    )


def _learning(seen: Seen) -> str:
    began = tr(
        "Nobody programmed how to do this. The {numbers:,} numbers of this model began as noise. "
        "It guessed every next piece and was told the right one. The loss says how surprised it "
        "was (−ln of the probability of the right piece). Its gradient says in which direction to "
        "move each number so that the loss gets smaller, and each was moved a little, again and "
        "again. Held-out sentences, which it never learns from, test it.",
        numbers=seen.settings.config.n_weights,
    )
    if isinstance(seen.settings.request.source, TrainedHere):
        now = tr(
            "This small model was trained here: the answer at the top of the page is its own. Move "
            "*Replay* to see how its attention took shape."
        )
    else:
        now = tr("Here a small model learns to reverse a sentence while you watch.")
    return f"{began} {now}"


def _head(kind: AttentionKind, layer: int, head: int) -> dict[str, Any]:
    return {ATTENTION.key: kind, LAYER.key: layer + 1, HEAD.key: head + 1}


def _one_weight(seen: Seen) -> Choices:
    layer, head, query, key = seen.look
    case = {CASE.key: "model", STEP.key: "x", QUERY.key: query, KEY.key: key}
    return _head("encoder", layer, head) | case


def _clear_head(seen: Seen) -> Choices:
    layer, found = seen.clearest
    return _head("encoder", layer, int(np.argmax([role.share for role in found])))


def _writing(method: str) -> Callable[[Seen], Choices]:
    return lambda seen: {
        METHOD.key: method,
        AT.key: seen.written.steps.index(seen.unsure) + 1,
    }


def _own_positions(seen: Seen) -> Choices:
    """As many rows of the encoding as the sentence has, with the word framed."""
    lengths = POSITIONS.within({})
    assert isinstance(lengths, Whole)
    rows = min(max(len(seen.ran.src_labels), lengths.low), lengths.high)
    return {ASPECT.key: "encoding", POSITIONS.key: rows, WORD.key: seen.key}


# The choices that the stops make.
PLACES: Final = tuple(
    parameter.key
    for parameter in (
        ASPECT, AT, ATTENTION, CASE, HEAD, KEY, LAYER, METHOD, POSITIONS, QUERY, STACK_SHOWS, STEP,
        STOP, WORD,
    )
)  # fmt: skip
TOUR_STOPS: Final = (
    TourStop(
        question=mark("What does the model read?"),
        page="tokens",
        says=_pieces,
        does=mark("Type a long word, or invent one, and see into how many pieces it falls."),
        answer=mark("Numbers: the sentence is cut into pieces, and each piece has a number."),
    ),
    TourStop(
        question=mark("How does a number come to mean something?"),
        page="stack",
        says=_embedding,
        does=mark("Choose another word at the right. Which words have rows most like its own?"),
        answer=mark(
            "Each number picks a row of numbers that were learnt, the embedding. Words that are "
            "used alike have rows that are alike."
        ),
        choices=lambda seen: {STACK_SHOWS.key: "stop", STOP.key: 0, WORD.key: seen.telling_row[0]},
    ),
    TourStop(
        question=mark("How does it know the order of the words?"),
        page="positions",
        says=_positions,
        does=mark(
            "Choose *why order matters*: what is the same without positions, and what is not?"
        ),
        answer=mark(
            "Each position adds a pattern of waves of its own to the word that stands there."
        ),
        choices=_own_positions,
    ),
    TourStop(
        question=mark("How does one word look at another?"),
        page="steps",
        says=_by_hand,
        does=mark("Press *Next step* until you have reached × W_O, and follow the numbers."),
        answer=mark(
            "Its query is compared with all keys; the softmax makes shares of the products; the "
            "values are mixed by these shares."
        ),
        choices=_one_weight,
    ),
    TourStop(
        question=mark("Why are there many heads?"),
        page="heads",
        says=_many_heads,
        does=mark("Click a few small squares: which heads have a job that you can name?"),
        answer=mark("Each head has a q, k and v of its own, so each can look for something else."),
        choices=_clear_head,
    ),
    TourStop(
        question=mark("What must it not see?"),
        page="masks",
        says=_masks,
        does=mark(
            "Find this row in the target mask: how many cells are open, and why is the rest shut?"
        ),
        answer=mark("The decoder must not see the words it is to guess, and nobody looks at PAD."),
        choices=_hidden_word,
    ),
    TourStop(
        question=mark("What is the use of many layers?"),
        page="stack",
        says=_layers,
        does=mark("Follow other columns down: from which layer on is it the word that it writes?"),
        answer=mark("Each layer adds to the residual stream, and the guess gets better."),
        choices=lambda seen: {STACK_SHOWS.key: "lens", WORD.key: seen.step.position},
    ),
    TourStop(
        question=mark("Where does translation happen?"),
        page="attention",
        says=_translation,
        does=mark(
            "Begin the sentence with another word, such as “Tomorrow”: does the pattern follow?"
        ),
        answer=mark("In cross-attention: the decoder asks, and the encoder's memory answers."),
        choices=lambda seen: (
            _head("cross", *seen.aligning) | {QUERY.key: seen.step.position, KEY.key: seen.key}
        ),
    ),
    TourStop(
        question=mark("How is the next word chosen?"),
        page="decoding",
        says=_choosing,
        does=mark("Go through the answer with *Next*. Where is it unsure?"),
        answer=mark(
            "Logits become probabilities; greedy decoding takes the largest, writes it and reads "
            "it again."
        ),
        choices=_writing("greedy"),
    ),
    TourStop(
        question=mark("Is the likeliest word the best one?"),
        page="decoding",
        says=_search,
        does=mark(
            "Go through the tree with *Next*, then choose *sampling* and raise the temperature."
        ),
        answer=mark(
            "Not always: beam search keeps several beginnings alive, and sampling leaves it to "
            "chance."
        ),
        choices=_writing("beam"),
    ),
    TourStop(
        question=mark("How did it learn all this?"),
        page="training",
        says=_learning,
        does=mark("Press *Train* and watch attention take shape."),
        answer=mark(
            "From its mistakes: the loss is large where the right piece had a small probability, "
            "and every weight is moved to make it smaller."
        ),
    ),
)
