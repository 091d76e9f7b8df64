"""Which words mattered? Six methods side by side, and what happens without the words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from explorer.analysis.attention import Attention, word_positions
from explorer.analysis.causes.asked import Asked, head_in_words, largest
from explorer.analysis.causes.attribution import Attribution, Method, Report
from explorer.drawing.drawing import Drawing
from explorer.drawing.theme import INK
from explorer.figures import causes as figures
from explorer.figures.causes import Words
from explorer.figures.describe import share_in_words
from explorer.languages import between, isolated, listed, mark, numeral, sentences, side_by_side, tr
from explorer.runtime.causes import Causes
from explorer.views.picture import Picture
from explorer.views.why.parts import VISIBLE, code_of

TAKEN: Final = 12  # words at most, in a curve of deletion
SIGNED: Final = ("occlusion", "input_x_gradient", "integrated_gradients")
METHODS: Final[Mapping[Method, str]] = {
    "occlusion": mark("occlusion"),
    "input_x_gradient": mark("input × gradient"),
    "integrated_gradients": mark("integrated gradients"),
    "value_zeroing": mark("value zeroing"),
    "rollout": mark("attention rollout"),
    "attention": mark("mean of all heads"),
}
MEASURES: Final[Mapping[Method, tuple[str, str]]] = {
    "occlusion": (
        mark("what is measured, minus that with this piece hidden from every attention"),
        mark("A piece whose work another one can do shows no effect."),
    ),
    "input_x_gradient": (
        mark("the embedding times the slope of what is measured"),
        mark("It holds for tiny steps: of a log p near 0, slopes are almost 0, too."),
    ),
    "integrated_gradients": (
        mark("the same, averaged on the way from an embedding of 0"),
        mark("An embedding of 0 is no word, and no sentence lies on the way."),
    ),
    "value_zeroing": (
        mark("how far the vectors turn when the piece's value is 0, layer by layer"),
        mark("It does not ask which word is written."),
    ),
    "rollout": (
        mark("weights multiplied through the layers, half of each for the residual connection"),
        mark("It takes weights at their word, whatever the values hold."),
    ),
    "attention": (
        mark("the mean weight of all heads that look from this row"),
        mark("It says where the model looks, not what comes of it."),
    ),
}


def answer(asked: Asked, occlusion: Attribution) -> tuple[str, str]:
    """The word that mattered most, in one sentence; and what that means."""
    effects = occlusion.numbers
    at = largest(effects)
    before, after = asked.question.answer, asked.question.answer - float(effects[at])
    if not asked.is_noticeable(after):
        return (
            tr("{measure}: {before}.", measure=asked.measure, before=asked.level(before)),
            tr("Whichever piece is hidden, that hardly changes."),
        )
    return (
        tr(
            "{measure}: {before}, and {after} without “{word}”.",
            measure=asked.measure,
            before=asked.level(before),
            after=asked.level(after),
            word=asked.word_at(at),
        ),
        tr("Of all pieces that can be hidden, this one changes it most."),
    )


def look_and_effect(asked: Asked, occlusion: Attribution, attention: Attention, head: int) -> str:
    """Where the head on show looks, and whether that piece mattered, whichever head read it."""
    row = attention.weights[head, asked.question.position]
    key = int(row.argmax())
    at = key if attention.kind != "decoder" else len(asked.source) + key
    look = tr(
        "A look: {head} looks most at “{word}” ({weight}).",
        head=head_in_words(attention.kind, attention.layer, head),
        word=asked.word_at(at),
        weight=share_in_words(float(row[key])),
    )
    if attention.kind == "decoder" and key == asked.question.position:
        return look
    after = asked.question.answer - float(occlusion.numbers[at])
    if not asked.is_noticeable(after):
        effect = mark("A look is no cause: hidden from every head, this piece leaves {after}.")
    elif after < asked.question.answer:
        effect = mark(
            "This piece mattered, whichever head read it: hidden from every head, it leaves "
            "{after}."
        )
    else:
        effect = mark(
            "This piece held it back, whichever head read it: hidden from every head, it leaves "
            "{after}."
        )
    left = asked.level(after)
    if asked.rival:
        left = tr("a logit difference of {difference}", difference=left)
    return sentences(look, tr(effect, after=left))


def weights_of_head(asked: Asked, attention: Attention, head: int) -> Attribution:
    """The weights of a head at the word in question, beside what the methods say."""
    row = attention.weights[head, asked.question.position]
    own = attention.kind == "decoder"
    n_src, n_tgt = asked.question.sentence.lengths
    return Attribution(
        method="attention",
        source=(np.zeros(n_src) if own else row) if asked.source else None,
        prefix=(row if own else np.zeros(n_tgt)) if asked.prefix else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """By name: the results of all methods and the weights of one head, and what they lead to."""

    rows: Mapping[str, Attribution]
    curves: Mapping[str, np.ndarray]  # as words are taken away in the order of each that answers


def compared(
    causes: Causes, asked: Asked, attention: Attention, head: int, report: Report = float
) -> Compared:
    """All methods, and a head of an attention whose rows are those in question."""
    found: list[Attribution] = []
    steps = 2 * len(METHODS) + 1

    def report_part(share: float) -> None:
        report((len(found) + share) / steps)

    for method in METHODS:
        found.append(causes.attributed(method, report_part))
        report_part(0.0)
    own = weights_of_head(asked, attention, head)
    names = [*map(tr, METHODS.values()), head_in_words(attention.kind, attention.layer, head)]
    rows = dict(zip(names, [*found, own], strict=True))
    curves = {}
    for title, one in rows.items():
        if one.is_answer:
            curves[title] = causes.deleted(order_of(asked, one))
        report_part(len(curves))
    return Compared(rows=rows, curves=curves)


def occlusion_picture(asked: Asked, found: Attribution) -> Picture:
    """The effect of hiding each word that was read."""
    return Picture(
        key="why_words",
        title=tr("Which words mattered"),
        drawing=_by_words(asked, [tr("without it")], [found]),
        alt=tr(
            "{measure}: {before}. {unit} lost without each piece: {words}.",
            measure=asked.measure,
            before=asked.level(asked.question.answer),
            unit=asked.unit,
            words=side_by_side(
                f"{isolated(asked.word_at(at))} {_number(asked, found, at)}"
                for at in word_positions((*asked.source, *asked.prefix))
            ),
        ),
        caption=sentences(
            tr(
                "{unit} lost when a piece is hidden from every attention. Gold: it raised the "
                "word, violet: it lowered it.",
                unit=asked.unit,
            ),
            _newest_stays(asked),
        ),
        code=code_of(asked, "words", 0),
    )


def methods_picture(asked: Asked, said_by: Compared) -> Picture:
    """The results of the methods, a row each, with the head on show below them."""
    rows, names = list(said_by.rows.values()), list(said_by.rows)
    numbers = between("; ").join(
        tr("{method}: {word} most", method=name, word=asked.word_at(largest(one.numbers)))
        if one.is_answer
        else tr("{method}: no answer", method=name)
        for name, one in said_by.rows.items()
    )
    return Picture(
        key="why_methods",
        title=tr("What other methods say"),
        drawing=_by_words(asked, names, rows),
        alt=tr("What {n} methods say of every piece. {said}.", n=len(names), said=numbers),
        caption=sentences(
            tr(
                "The first three rows share their colours, and so do the others: compare the "
                "order of two methods, not their numbers."
            ),
            *map(no_answer, rows),
        ),
        code=code_of(asked, "words", 1),
    )


def no_answer(found: Attribution) -> str:
    """Why a method has no answer, as a sentence; empty if it has one."""
    if found.is_answer:
        return ""
    method = tr(METHODS[found.method])
    if found.error is None or not np.isfinite(found.error):
        return tr("No answer from {method} here: the numbers overflow.", method=method)
    return tr(
        "No answer from {method} here: the numbers should add up to the whole difference within "
        "1%, and are {error:.1%} off.",
        method=method,
        error=found.error,
    )


def order_of(asked: Asked, found: Attribution) -> list[int]:
    """The words that can be taken away, those that spoke most for the word first."""
    question = asked.question
    src, tgt = question.sentence.trace.src_mask[0, 0, 0], question.tgt_mask[0, 0]
    may = [at for at, seen in enumerate(src.tolist()) if seen]
    own = [at for at, seen in enumerate(tgt[-1].tolist()) if seen] if len(tgt) else []
    may += [len(asked.source) + at for at in own if at < question.position]
    numbers = found.numbers
    return sorted(may, key=lambda at: -numbers[at])[:TAKEN]


def deletion_picture(asked: Asked, curves: Mapping[str, np.ndarray]) -> Picture:
    """The measure as the words are taken away in the order of each method."""
    names, left = list(curves), _left(asked, curves)
    return Picture(
        key="why_deletion",
        title=tr("What is left when pieces are hidden"),
        drawing=figures.deletion(names, left, _best(left), is_share=asked.is_share),
        alt=tr(
            "{measure}, after one piece more each time: {curves}.",
            measure=asked.measure,
            curves=between("; ").join(
                f"{name} {side_by_side(numeral(number, '.2f') for number in line)}"
                for name, line in zip(names, left.tolist(), strict=True)
            ),
        ),
        caption=sentences(
            tr(
                "{measure}, when up to {n} pieces are hidden in the order of each method. "
                "Occlusion has the advantage: it is measured by hiding, too.",
                measure=asked.measure,
                n=left.shape[1] - 1,
            ),
            _newest_stays(asked),
        ),
        code=code_of(asked, "words", 2),
    )


def best_and_worst(asked: Asked, curves: Mapping[str, np.ndarray]) -> str:
    """The methods that found soonest what mattered, and those that found it last."""
    names, left = list(curves), _left(asked, curves)
    best, worst = _best(left), _best(-left)
    if not best:
        return tr("Whichever method says which pieces go first, about as much is left.")
    means = left.mean(axis=1)
    return tr(
        "Least is left in the order of {best}: {least:.2f} on average. Most is left in the order "
        "of {worst}: {most:.2f}.",
        best=listed([names[n] for n in best]),
        worst=listed([names[n] for n in worst]),
        least=float(means[best[0]]),
        most=float(means[worst[0]]),
    )


def _best(left: np.ndarray) -> list[int]:
    """The orders in which least is left, as far as it is written; none if they hardly differ."""
    means = np.round(left.mean(axis=1), 2)
    return np.flatnonzero(means == means.min()).tolist() if np.ptp(means) > 0.015 else []


def _newest_stays(asked: Asked) -> str:
    return tr("The newest piece is never hidden.") if asked.prefix else ""


def _left(asked: Asked, curves: Mapping[str, np.ndarray]) -> np.ndarray:
    found: np.ndarray = np.stack(list(curves.values()))
    return np.exp(found) if asked.is_share else found


def _by_words(asked: Asked, names: Sequence[str], rows: Sequence[Attribution]) -> Drawing:
    in_nats = [one.method in SIGNED for one in rows]
    return figures.by_words(names, _sides(asked, rows), in_nats=in_nats, least=VISIBLE)


def _sides(asked: Asked, rows: Sequence[Attribution]) -> list[Words]:
    """Source and prefix with their numbers; PAD, and what comes later, is left out."""
    source, prefix = tr("source"), tr("written so far")
    if not (asked.source and asked.prefix):  # a stack alone has only one side
        source = prefix = tr("what it reads")
    given = (
        (source, INK.encoder, asked.source, [one.source for one in rows]),
        (prefix, INK.decoder, asked.prefix, [one.prefix for one in rows]),
    )
    made = []
    for title, color, labels, found in given:
        first = 0 if labels is asked.source else len(asked.source)
        shown = word_positions(labels)
        if not shown:
            continue
        values = np.stack([line[shown] for line in found if line is not None])
        values[[not one.is_answer for one in rows]] = 0.0
        made.append(
            Words(
                title=title,
                color=color,
                labels=[labels[at] for at in shown],
                positions=shown,
                values=values,
                texts=[[_number(asked, one, first + at) for at in shown] for one in rows],
            )
        )
    return made


def _number(asked: Asked, found: Attribution, at: int) -> str:
    """A method's number for a piece; a dash where it has none, or does not hide the piece."""
    newest = len(asked.source) + len(asked.prefix) - 1 if asked.prefix else None
    if not found.is_answer or (found.method == "occlusion" and at == newest):
        return "–"
    number = numeral(found.numbers[at], "+.2f" if found.method in SIGNED else ".2f")
    return number if any(digit in number for digit in "123456789") else "0"
