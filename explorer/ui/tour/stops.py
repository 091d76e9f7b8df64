"""The stops of the tour: each asks one question and opens a page at the telling place.

Its words and numbers are those of the sentence on show.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from explorer.analysis.head_roles import CLEAR
from explorer.analysis.stops import stops
from explorer.languages import listed, mark, numeral, tr
from explorer.names import PAD, AttentionKind
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
    QUERY,
    STEP,
    STOP,
    WORD,
)
from explorer.ui.tour.seen import Seen

Choices = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStop:
    """One stop: a question, the page that answers it, what to read there and what to do."""

    question: str  # marked, as is `does`
    page: str
    says: Callable[[Seen], str]
    does: str
    choices: Callable[[Seen], Choices] = lambda seen: {}


def _pieces(seen: Seen) -> str:
    ran, at = seen.ran, seen.key
    count = sum(label != PAD for label in ran.src_labels)
    return tr(
        "The model cannot read letters. It cuts the sentence into {count} pieces and looks each "
        "one up in a list of {vocabulary:,}. “{word}” is number **{id}**.",
        count=count,
        vocabulary=seen.settings.config.src_vocab_size,
        word=seen.word,
        id=int(ran.batch.src[ran.row, at]),
    )


def _embedding(seen: Seen) -> str:
    row = seen.ran.trace.src_embedding.embedded[0, seen.key, :3].tolist()
    first, second, third = (numeral(number, ".2f").replace("-", "−") for number in row)
    return tr(
        "A number has no meaning, so it picks a row of a table that was learnt: {width} numbers "
        "stand for “{word}”, and they begin with {first}, {second}, {third}. All that follows is "
        "arithmetic with rows like this one.",
        width=seen.settings.config.d_model,
        word=seen.word,
        first=first,
        second=second,
        third=third,
    )


def _positions(seen: Seen) -> str:
    kind = seen.settings.config.positions
    bag = tr("Attention sees a bag of words: it would not notice if two of them changed places.")
    if kind in ("sinusoidal", "halves"):
        answer = tr(
            "So every position has a pattern of waves of its own, which is added to the word's "
            "row. “{word}” stands at position **{position}**, counted from 0, and gets row "
            "{position} of this picture, from the top.",
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
    return tr(
        "“{asks}” asks a question: {width} numbers called q. Every word offers a key k. Their "
        "product says how well they fit, and the softmax turns all products into shares that sum "
        "to 1. “{asks}” gives “{answers}” **{weight:.3f}** of its attention: that much of its "
        "value v goes into what the head finds.",
        asks=asks,
        answers=answers,
        width=seen.settings.config.d_k,
        weight=found.weights[head, query, key],
    )


def _many_heads(seen: Seen) -> str:
    kind, layer, found = seen.clearest
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
    return f"{why} {_clearest_jobs(kind, layer, list(best.values())[:2])}"


def _clearest_jobs(kind: AttentionKind, layer: int, clear: list[str]) -> str:
    """A sentence about the heads of this layer whose jobs are clear: two at most."""
    if kind == "encoder":
        place = tr("layer {layer} of the encoder", layer=layer + 1)
    else:
        place = tr("layer {layer} of the decoder", layer=layer + 1)
    if not clear:
        return tr(
            "In {place}, no head has a job here that is easily named: they share the work.",
            place=place,
        )
    if len(clear) == 1:
        return tr(
            "In {place}, {head} has the clearest job in this sentence.", place=place, head=clear[0]
        )
    return tr(
        "In {place}, {heads} have the clearest jobs in this sentence.",
        place=place,
        heads=listed(clear),
    )


def _masks(seen: Seen) -> str:
    step = seen.step
    return tr(
        "While it learns, the decoder has the whole answer in front of it. So what comes later is "
        "hidden: at “{reads}” it must guess “**{writes}**”, and if it could look there, it would "
        "only copy. PAD, which only fills up the shorter sentences of a batch, is hidden from "
        "everybody.",
        reads=literal(step.reads),
        writes=literal(step.writes),
    )


def _hidden_word(seen: Seen) -> Choices:
    """The cell of the word that comes next, in the decoder's mask."""
    after = min(seen.step.position + 1, len(seen.ran.tgt_labels) - 1)
    return {ATTENTION.key: "decoder", QUERY.key: seen.step.position, KEY.key: after}


def _layers(seen: Seen) -> str:
    lens, at = seen.ran.logit_lens(), seen.step.position
    names = seen.ran.batch.tgt_names(lens.best[:, at].tolist())
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
    return tr(
        "Each layer adds a little to every word's numbers. Ask the decoder after each layer what "
        "it would write after “{reads}” — {guesses}.",
        reads=literal(seen.step.reads),
        guesses=said,
    )


def _translation(seen: Seen) -> str:
    layer, head = seen.aligning
    weight = seen.ran.attention("cross", layer).weights[head, seen.step.position, seen.key]
    return tr(
        "This is where source and answer meet: in cross-attention. To write “**{writes}**”, this "
        "head looks at “**{word}**” with {weight:.2f} of its attention, wherever that word "
        "stands. Nobody wrote a rule for it: it was learnt.",
        writes=literal(seen.step.writes),
        word=seen.word,
        weight=weight,
    )


def _choosing(seen: Seen) -> str:
    step = seen.step
    rivals = seen.ran.batch.tgt_names([name for name, _ in step.rivals])
    others = [
        (literal(name), share)
        for name, (_, share) in zip(rivals, step.rivals, strict=True)
        if name != step.writes
    ]
    every = tr(
        "All {vocabulary:,} pieces get a probability.",
        vocabulary=seen.settings.config.tgt_vocab_size,
    )
    first = {"word": literal(step.writes), "share": step.probability}
    if others:
        other, next_share = others[0]
        said = tr(
            "“**{word}**” has **{share:.2f}**; next comes “{other}” {next_share:.2f}.",
            **first,
            other=other,
            next_share=next_share,
        )
    else:
        said = tr("“**{word}**” has **{share:.2f}**.", **first)
    greedy = tr("Greedy decoding takes the largest, and reads what it wrote before it goes on.")
    return f"{every} {said} {greedy}"


def _search(seen: Seen) -> str:
    unsure = min(seen.written.steps, key=lambda step: step.probability)
    return tr(
        "The likeliest next piece is not always on the way to the likeliest sentence. The answer "
        "on top, written greedily, is least sure at “{word}” ({share:.2f}). Beam search keeps "
        "several answers alive and takes the likeliest whole one, which is not always the better "
        "translation.",
        word=literal(unsure.writes),
        share=unsure.probability,
    )


def _learning(seen: Seen) -> str:
    return tr(
        "Nobody programmed how to do this. The {numbers:,} numbers of this model began as noise. "
        "It guessed every next piece, was told the right one, and moved each number a little, "
        "again and again. Here a small model learns to reverse a sentence while you watch.",
        numbers=seen.settings.config.n_weights,
    )


def _way_to(part: str, name: str, side: Callable[[Seen], int]) -> Callable[[Seen], Choices]:
    def choices(seen: Seen) -> Choices:
        way = stops(seen.ran.loaded.model, seen.ran.trace)
        found = [n for n, stop in enumerate(way) if (stop.part, stop.name) == (part, name)]
        return {STOP.key: found[0], WORD.key: side(seen)}

    return choices


def _head(kind: AttentionKind, layer: int, head: int) -> dict[str, Any]:
    return {ATTENTION.key: kind, LAYER.key: layer + 1, HEAD.key: head + 1}


def _one_weight(seen: Seen) -> Choices:
    layer, head, query, key = seen.look
    case = {CASE.key: "model", STEP.key: "dots", QUERY.key: query, KEY.key: key}
    return _head("encoder", layer, head) | case


def _clear_head(seen: Seen) -> Choices:
    kind, layer, found = seen.clearest
    return _head(kind, layer, int(np.argmax([role.share for role in found])))


def _writing(method: str) -> Callable[[Seen], Choices]:
    return lambda seen: {METHOD.key: method, AT.key: seen.written.telling + 1}


TOUR_STOPS: Final = (
    TourStop(
        question=mark("What does the model read?"),
        page="tokens",
        says=_pieces,
        does=mark("Type a long word, or invent one, and see into how many pieces it falls."),
    ),
    TourStop(
        question=mark("How does a number come to mean something?"),
        page="stack",
        says=_embedding,
        does=mark("Choose another word at the right and compare its row."),
        choices=_way_to("source", "embedding", lambda seen: seen.key),
    ),
    TourStop(
        question=mark("How does it know the order of the words?"),
        page="positions",
        says=_positions,
        does=mark(
            "Choose *why order matters*: what is the same without positions, and what is not?"
        ),
        choices=lambda seen: {ASPECT.key: "encoding"},
    ),
    TourStop(
        question=mark("How does one word look at another?"),
        page="steps",
        says=_by_hand,
        does=mark("Press *Next step* until you have reached × v, and follow the numbers."),
        choices=_one_weight,
    ),
    TourStop(
        question=mark("Why are there many heads?"),
        page="heads",
        says=_many_heads,
        does=mark("Click a few small squares: which heads have a job that you can name?"),
        choices=_clear_head,
    ),
    TourStop(
        question=mark("What must it not see?"),
        page="masks",
        says=_masks,
        does=mark(
            "Find this row in the target mask: how many cells are open, and why is the rest shut?"
        ),
        choices=_hidden_word,
    ),
    TourStop(
        question=mark("What is the use of many layers?"),
        page="stack",
        says=_layers,
        does=mark(
            "Scroll to the last picture of the page, the logit lens, and follow other words down "
            "through the layers."
        ),
        choices=_way_to("output", "probabilities", lambda seen: seen.step.position),
    ),
    TourStop(
        question=mark("Where does translation happen?"),
        page="attention",
        says=_translation,
        does=mark("Type a sentence with its verb in another place: does the pattern follow?"),
        choices=lambda seen: (
            _head("cross", *seen.aligning) | {QUERY.key: seen.step.position, KEY.key: seen.key}
        ),
    ),
    TourStop(
        question=mark("How is the next word chosen?"),
        page="decoding",
        says=_choosing,
        does=mark("Go through the answer with *Next*. Where is it unsure?"),
        choices=_writing("greedy"),
    ),
    TourStop(
        question=mark("Is the likeliest word the best one?"),
        page="decoding",
        says=_search,
        does=mark(
            "Follow the tree of answers below, then choose *sampling* and raise the temperature."
        ),
        choices=_writing("beam"),
    ),
    TourStop(
        question=mark("How did it learn all this?"),
        page="training",
        says=_learning,
        does=mark("Press *Train* and watch attention take shape."),
    ),
)
