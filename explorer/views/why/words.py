"""Which words mattered? Six methods side by side, and what happens without the words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from explorer.analysis.attention import Attention, word_positions
from explorer.analysis.causes.asked import Asked, largest, place
from explorer.analysis.causes.attribution import Attribution, Method
from explorer.figures import causes as figures
from explorer.figures.causes import Words
from explorer.figures.theme import Theme
from explorer.languages import mark, numeral, side_by_side, tr
from explorer.runtime.causes import Causes
from explorer.views.picture import Picture
from explorer.views.why.parts import code_of

TAKEN: Final = 12  # words at most, in a curve of deletion
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
        mark("log p with everything, minus log p with this piece hidden from every attention"),
        mark("A piece whose work another one can do shows no effect."),
    ),
    "input_x_gradient": (
        mark("the embedding times the slope of log p there"),
        mark("It holds for tiny steps: where the model is sure, slopes are almost 0."),
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
        mark("the mean weight of all heads of all layers"),
        mark("It says where the model looks, not what comes of it."),
    ),
}


def answer(asked: Asked, occlusion: Attribution) -> tuple[str, str]:
    """The word that mattered most, in one sentence; and what that means."""
    effects = occlusion.numbers
    at = largest(effects)
    before, after = asked.question.answer, asked.question.answer - float(effects[at])
    if not asked.moves(after):
        return (
            tr("{measure}: {before}.", measure=asked.measure, before=asked.level(before)),
            tr("Whichever piece is hidden, that hardly changes: other pieces can stand in."),
        )
    return (
        tr(
            "{measure}: {before}, and {after} without “{word}”.",
            measure=asked.measure,
            before=asked.level(before),
            after=asked.level(after),
            word=asked.read(at),
        ),
        tr("Of all that was read, hiding this piece from every attention changes it most."),
    )


def look_and_effect(asked: Asked, occlusion: Attribution, attention: Attention, head: int) -> str:
    """Where the head on show looks, and whether that mattered."""
    row = attention.weights[head, asked.question.position]
    key = int(row.argmax())
    at = key if attention.kind != "decoder" else len(asked.source) + key
    said = {
        "head": place(attention.kind, attention.layer, head),
        "word": attention.key_labels[key],
        "weight": float(row[key]),
    }
    if attention.kind == "decoder" and key == asked.question.position:
        return tr("A look: {head} looks most at “{word}” ({weight:.2f}).", **said)
    after = asked.question.answer - float(occlusion.numbers[at])
    if asked.moves(after) and after > asked.question.answer:
        return tr(
            "A look that held it back: {head} looks most at “{word}” ({weight:.2f}); without this "
            "piece it rises: {after}.",
            **said,
            after=asked.level(after),
        )
    if asked.moves(after):
        return tr(
            "A look that mattered: {head} looks most at “{word}” ({weight:.2f}); without this "
            "piece: {after}.",
            **said,
            after=asked.level(after),
        )
    return tr(
        "A look is no cause: {head} looks most at “{word}” ({weight:.2f}); without this piece: "
        "{after}.",
        **said,
        after=asked.level(after),
    )


def look(asked: Asked, attention: Attention, head: int) -> Attribution:
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
    """The results of all methods, the weights of one head, and the curve of each order."""

    found: Sequence[Attribution]
    look: Attribution
    head: str
    curves: Mapping[str, np.ndarray]


def compared(causes: Causes, asked: Asked, attention: Attention, head: int) -> Compared:
    """All methods, and a head of an attention whose rows are those in question."""
    found = [causes.attributed(method) for method in METHODS]
    own, name = look(asked, attention, head), place(attention.kind, attention.layer, head)
    named = [*((tr(METHODS[one.method]), one) for one in found), (name, own)]
    curves = {title: causes.deleted(order_of(asked, one)) for title, one in named}
    return Compared(found=found, look=own, head=name, curves=curves)


def occlusion_picture(asked: Asked, found: Attribution, theme: Theme) -> Picture:
    """The effect of hiding each word that was read."""
    return Picture(
        key="why_words",
        name="why-words",
        title=tr("Which words mattered"),
        drawing=figures.by_words(
            [tr("without it")], _sides(asked, [found], theme), theme, row_height=44
        ),
        alt=_in_words(asked, found),
        caption=tr(
            "{unit} lost when one piece is hidden from every attention. Gold: the piece spoke for "
            "“{word}”, violet: against it.",
            unit=asked.unit,
            word=asked.word,
        ),
        code=code_of(asked, "words", 0),
    )


def one_picture(asked: Asked, found: Attribution, theme: Theme) -> Picture:
    """The result of one method."""
    name = tr(METHODS[found.method])
    return Picture(
        key="why_method",
        name=f"why-{found.method}",
        title=tr("Which words mattered"),
        drawing=figures.by_words([name], _sides(asked, [found], theme), theme, row_height=44),
        alt=tr(
            "{measure}, {method}: {words}.",
            measure=asked.measure,
            method=name,
            words=_words(asked, found),
        ),
    )


def methods_picture(asked: Asked, said_by: Compared, theme: Theme) -> Picture:
    """The results of the methods, a row each, with the head on show below them."""
    rows, names = [*said_by.found, said_by.look], list(said_by.curves)
    said = "; ".join(
        tr("{method}: {word} most", method=name, word=asked.read(largest(one.numbers)))
        for name, one in zip(names, rows, strict=True)
    )
    return Picture(
        key="why_methods",
        name="why-methods",
        title=tr("What other methods say"),
        drawing=figures.by_words(names, _sides(asked, rows, theme), theme),
        alt=tr("What {n} methods say of every piece. {said}.", n=len(names), said=said),
        caption=tr("Each row has colours of its own: compare the order, not the numbers."),
        code=code_of(asked, "words", 1),
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


def deletion_picture(asked: Asked, curves: Mapping[str, np.ndarray], theme: Theme) -> Picture:
    """The measure as the words are taken away in the order of each method."""
    names, left = list(curves), _left(asked, curves)
    return Picture(
        key="why_deletion",
        name="why-deletion",
        title=tr("Which method knew best"),
        drawing=figures.deletion(names, left, _best(left), theme, is_share=asked.is_share),
        alt=tr(
            "{measure}, after one piece more each time: {curves}.",
            measure=asked.measure,
            curves="; ".join(
                f"{name} {side_by_side(numeral(number, '.2f') for number in line)}"
                for name, line in zip(names, left.tolist(), strict=True)
            ),
        ),
        caption=tr(
            "{measure}, when pieces are taken away in the order of each method.",
            measure=asked.measure,
        ),
        code=code_of(asked, "words", 2),
    )


def who_knew(asked: Asked, curves: Mapping[str, np.ndarray]) -> str:
    """The method that found soonest what mattered, and the one that found it last."""
    names, left = list(curves), _left(asked, curves)
    means, best = left.mean(axis=1), _best(left)
    worst = int(means.argmax())
    if best is None:
        return tr("Whichever method says which pieces go first, about as much is left.")
    return tr(
        "Least is left in the order of {best}: it found what mattered ({least:.2f} on average). "
        "Most is left in the order of {worst} ({most:.2f}).",
        best=names[best],
        worst=names[worst],
        least=float(means[best]),
        most=float(means[worst]),
    )


def _best(left: np.ndarray) -> int | None:
    """The order in which least is left; None if they hardly differ."""
    means = np.round(left.mean(axis=1), 2)  # of those that are alike, the first
    return int(means.argmin()) if means.max() > means.min() + 0.015 else None


def _left(asked: Asked, curves: Mapping[str, np.ndarray]) -> np.ndarray:
    found: np.ndarray = np.stack(list(curves.values()))
    return np.exp(found) if asked.is_share else found


def _sides(asked: Asked, rows: Sequence[Attribution], theme: Theme) -> list[Words]:
    """Source and prefix with their numbers; PAD, and what comes later, is left out."""
    given = (
        (tr("source"), theme.encoder, asked.source, [one.source for one in rows]),
        (tr("written so far"), theme.decoder, asked.prefix, [one.prefix for one in rows]),
    )
    made = []
    for title, color, labels, found in given:
        shown = word_positions(labels)
        if not shown:
            continue
        values = np.stack([line[shown] for line in found if line is not None])
        made.append(
            Words(
                title=title,
                color=color,
                labels=[labels[at] for at in shown],
                values=values,
                said=[
                    [_number(value, one) for value in line]
                    for one, line in zip(rows, values.tolist(), strict=True)
                ],
            )
        )
    return made


def _number(value: float, found: Attribution) -> str:
    signed = found.method in ("occlusion", "input_x_gradient", "integrated_gradients")
    said = numeral(value, "+.2f" if signed else ".2f").replace("-", "−")
    return said if any(digit in said for digit in "123456789") else "0"


def _words(asked: Asked, found: Attribution) -> str:
    """Every word read with its number."""
    return side_by_side(
        f"{asked.read(at)} {_number(float(found.numbers[at]), found)}"
        for at in word_positions((*asked.source, *asked.prefix))
    )


def _in_words(asked: Asked, found: Attribution) -> str:
    return tr(
        "{measure}: {before}. {unit} lost without each piece: {words}.",
        measure=asked.measure,
        before=asked.level(asked.question.answer),
        unit=asked.unit,
        words=_words(asked, found),
    )
