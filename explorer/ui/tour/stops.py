"""The stops of the tour: each asks one question and opens a page at the telling place.

Its words and numbers are those of the sentence on show.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from explorer.analysis.head_roles import CLEAR
from explorer.analysis.stops import stops
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

    question: str
    page: str
    says: Callable[[Seen], str]
    does: str
    choices: Callable[[Seen], Choices] = lambda seen: {}


def _pieces(seen: Seen) -> str:
    ran, at = seen.ran, seen.key
    count = sum(label != PAD for label in ran.src_labels)
    return (
        f"The model cannot read letters. It cuts the sentence into {count} pieces and looks each "
        f"one up in a list of {seen.settings.config.src_vocab_size:,}. “{seen.word}” is number "
        f"**{int(ran.batch.src[ran.row, at])}**."
    )


def _embedding(seen: Seen) -> str:
    row = seen.ran.trace.src_embedding.embedded[0, seen.key, :3].tolist()
    return (
        "A number has no meaning, so it picks a row of a table that was learnt: "
        f"{seen.settings.config.d_model} numbers stand for “{seen.word}”, and they begin with "
        f"{', '.join(f'{number:.2f}' for number in row).replace('-', '−')}. All that follows is "
        "arithmetic with rows "
        "like this one."
    )


def _positions(seen: Seen) -> str:
    kind = seen.settings.config.positions
    bag = "Attention sees a bag of words: it would not notice if two of them changed places. "
    if kind in ("sinusoidal", "halves"):
        return bag + (
            "So every position has a pattern of waves of its own, which is added to the word's "
            f"row. “{seen.word}” stands at position **{seen.key}**, counted from 0, and gets row "
            f"{seen.key} of this picture, from the top."
        )
    if kind == "learned":
        return bag + (
            "So every position has a row of numbers that was learnt, and it is added to the "
            f"word's row. “{seen.word}” stands at position **{seen.key}**. The picture shows the "
            "paper's way: waves."
        )
    if kind == "none":
        return bag + "This model has no positions at all. The picture shows the paper's: waves."
    return bag + (
        "This model tells the order inside attention, by the distance between two words "
        f"(“{seen.word}” stands at position **{seen.key}**). The picture shows the paper's way: "
        "waves that are added."
    )


def _by_hand(seen: Seen) -> str:
    layer, head, query, key = seen.look
    found = seen.ran.attention("encoder", layer)
    asks, answers = (literal(found.query_labels[at]) for at in (query, key))
    return (
        f"“{asks}” asks a question: {seen.settings.config.d_k} numbers called q. Every word offers "
        f"a key k. Their product says how well they fit, and the softmax turns all products into "
        f"shares that sum to 1. “{asks}” gives “{answers}” "
        f"**{found.weights[head, query, key]:.3f}** of its attention: that much of its value v "
        "goes into what the head finds."
    )


def _many_heads(seen: Seen) -> str:
    kind, layer, found = seen.clearest
    n_heads = seen.settings.config.n_heads
    best: dict[str, str] = {}  # for each role, its clearest head
    for number, role in sorted(enumerate(found, start=1), key=lambda one: -one[1].share):
        if role.share >= CLEAR:
            best.setdefault(role.name, f"head {number} ({role.in_words})")
    clear = list(best.values())[:2]
    many = f"{n_heads} heads work side by side" if n_heads > 1 else "a model may have many heads"
    return (
        f"One head can ask one question only. So {many}, each with weights of its own, and what "
        f"they find is put together. In layer {layer + 1} of the {kind}, "
        + (
            f"{' and '.join(clear)} ha{'ve' if len(clear) > 1 else 's'} the clearest "
            f"job{'s' * (len(clear) > 1)} in this sentence."
            if clear
            else "no head has a job here that is easily named: they share the work."
        )
    )


def _masks(seen: Seen) -> str:
    step = seen.step
    return (
        "While it learns, the decoder has the whole answer in front of it. So what comes later is "
        f"hidden: at “{literal(step.reads)}” it must guess “**{literal(step.writes)}**”, and if it "
        "could look there, it would only copy. PAD, which only fills up the shorter sentences of a "
        "batch, is hidden from everybody."
    )


def _hidden_word(seen: Seen) -> Choices:
    """The cell of the word that comes next, in the decoder's mask."""
    after = min(seen.step.position + 1, len(seen.ran.tgt_labels) - 1)
    return {ATTENTION.key: "decoder", QUERY.key: seen.step.position, KEY.key: after}


def _layers(seen: Seen) -> str:
    lens, at = seen.ran.logit_lens(), seen.step.position
    names = seen.ran.batch.tgt_names(lens.best[:, at].tolist())
    said = "; ".join(
        f"after layer {layer}: “{literal(name)}” ({lens.sure[layer, at]:.2f})"
        for layer, name in enumerate(names)
        if layer
    )
    return (
        "Each layer adds a little to every word's numbers. Ask the decoder after each layer what "
        f"it would write after “{literal(seen.step.reads)}” — {said}."
    )


def _translation(seen: Seen) -> str:
    layer, head = seen.aligning
    writes = literal(seen.step.writes)
    weight = seen.ran.attention("cross", layer).weights[head, seen.step.position, seen.key]
    return (
        "This is where source and answer meet: in cross-attention. To write "
        f"“**{writes}**”, this head looks at “**{seen.word}**” with {weight:.2f} "
        "of its attention, wherever that word stands. Nobody wrote a rule for it: it was learnt."
    )


def _choosing(seen: Seen) -> str:
    step = seen.step
    rivals = seen.ran.batch.tgt_names([name for name, _ in step.rivals])
    others = [
        f"“{literal(name)}” {share:.2f}"
        for name, (_, share) in zip(rivals, step.rivals, strict=True)
        if name != step.writes
    ]
    return (
        f"All {seen.settings.config.tgt_vocab_size:,} pieces get a probability. "
        f"“**{literal(step.writes)}**” has **{step.probability:.2f}**"
        + (f"; next comes {others[0]}." if others else ".")
        + " Greedy decoding takes the largest, and reads what it wrote before it goes on."
    )


def _search(seen: Seen) -> str:
    unsure = min(seen.written.steps, key=lambda step: step.probability)
    return (
        "The likeliest next piece is not always on the way to the likeliest sentence. The answer "
        f"on top, written greedily, is least sure at “{literal(unsure.writes)}” "
        f"({unsure.probability:.2f}). Beam search keeps several answers alive and takes the "
        "likeliest whole one, which is not always the better translation."
    )


def _learning(seen: Seen) -> str:
    return (
        f"Nobody programmed how to do this. The {seen.settings.config.n_weights:,} numbers of this "
        "model began as noise. It guessed every next piece, was told the right one, and moved each "
        "number a little, again and again. Here a small model learns to reverse a sentence while "
        "you watch."
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
        question="What does the model read?",
        page="tokens",
        says=_pieces,
        does="Type a long word, or invent one, and see into how many pieces it falls.",
    ),
    TourStop(
        question="How does a number come to mean something?",
        page="stack",
        says=_embedding,
        does="Choose another word at the right and compare its row.",
        choices=_way_to("source", "embedding", lambda seen: seen.key),
    ),
    TourStop(
        question="How does it know the order of the words?",
        page="positions",
        says=_positions,
        does="Choose *why order matters*: what is the same without positions, and what is not?",
        choices=lambda seen: {ASPECT.key: "encoding"},
    ),
    TourStop(
        question="How does one word look at another?",
        page="steps",
        says=_by_hand,
        does="Press *Next step* until you have reached × v, and follow the numbers.",
        choices=_one_weight,
    ),
    TourStop(
        question="Why are there many heads?",
        page="heads",
        says=_many_heads,
        does="Click a few small squares: which heads have a job that you can name?",
        choices=_clear_head,
    ),
    TourStop(
        question="What must it not see?",
        page="masks",
        says=_masks,
        does="Find this row in the target mask: how many cells are open, and why is the rest shut?",
        choices=_hidden_word,
    ),
    TourStop(
        question="What is the use of many layers?",
        page="stack",
        says=_layers,
        does="Scroll to the last picture of the page, the logit lens, and follow other words down "
        "through the layers.",
        choices=_way_to("output", "probabilities", lambda seen: seen.step.position),
    ),
    TourStop(
        question="Where does translation happen?",
        page="attention",
        says=_translation,
        does="Type a sentence with its verb in another place: does the pattern follow?",
        choices=lambda seen: (
            _head("cross", *seen.aligning) | {QUERY.key: seen.step.position, KEY.key: seen.key}
        ),
    ),
    TourStop(
        question="How is the next word chosen?",
        page="decoding",
        says=_choosing,
        does="Go through the answer with *Next*. Where is it unsure?",
        choices=_writing("greedy"),
    ),
    TourStop(
        question="Is the likeliest word the best one?",
        page="decoding",
        says=_search,
        does="Follow the tree of answers below, then choose *sampling* and raise the temperature.",
        choices=_writing("beam"),
    ),
    TourStop(
        question="How did it learn all this?",
        page="training",
        says=_learning,
        does="Press *Train* and watch attention take shape.",
    ),
)
