"""The pictures of the stack page: one stop, what is inside it, the residual stream, the lens."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from explorer.analysis.stops import FeedForwardStep, Stop, likeness, residual_stream
from explorer.figures import stack as figures
from explorer.figures.arithmetic import signed_number
from explorer.figures.describe import share_in_words, with_numbers
from explorer.figures.equation import Matrix, equation
from explorer.figures.stack import SHOWN
from explorer.languages import between, numeral, sentences, side_by_side, tr
from explorer.names import PAD
from explorer.runtime.engine import Run
from explorer.views.looks import usual_word
from explorer.views.picture import Call, Click, Picture


def labels_at(stop: Stop, ran: Run) -> tuple[str, ...]:
    """The words whose vectors a stop shows."""
    return ran.src_labels if stop.side == "src" else ran.tgt_labels


def stop_picture(
    all_stops: Sequence[Stop], at: int, ran: Run, token: int, *, change: bool
) -> Picture:
    """The tensor of a stop, or its `change` from its input; one token is framed."""
    stop, labels = all_stops[at], labels_at(all_stops[at], ran)
    values, names, part = _columns_of(stop, ran)
    drawn = stop.values.cpu().numpy()
    if change and stop.before is not None:
        drawn = (stop.values - stop.before).cpu().numpy()
        values = drawn[:, : values.shape[1]]
    zeros = float((drawn == 0).mean())
    shape = f"({drawn.shape[0]}, {drawn.shape[1]})"
    captions = [_shape_and_part(shape, part)]
    if change:
        captions.append(tr("Change from its input."))
    captions.append(
        tr("{zeros} of the numbers are exactly 0.", zeros=share_in_words(zeros, 1, "%"))
    )
    code = {"stop": at, "change": change or None, "word": _unusual(token, labels)}
    caption = sentences(*captions)
    return Picture(
        key="stop_picture",
        title=tr("Stop on the way"),
        drawing=figures.token_heatmap(
            values,
            labels,
            columns=names,
            scale="weights" if stop.name == "probabilities" else "signed",
            token=token,
        ),
        alt=tr(
            "{part}, {name}: {shape}. Largest number {largest:.3f}.",
            part=stop.part_shown,
            name=stop.name_shown,
            shape=shape,
            largest=np.abs(values).max(),
        ),
        caption=caption,
        summary=f"{stop.title[:1].upper()}{stop.title[1:]}. {caption}",
        code=Call(method="stack", arguments=code),
    )


def stream_picture(all_stops: Sequence[Stop], at: int, ran: Run) -> Picture:
    """The residual stream of the side on which a stop lies."""
    here, labels = all_stops[at], labels_at(all_stops[at], ran)
    passed = residual_stream(list(all_stops), here.side)
    values = likeness(passed)
    names = [stop.stage for stop in passed]
    means = with_numbers(names, (numeral(row.mean(), ".2f") for row in values))
    lines = ((stop.part_shown, stop.sublayer_shown or stop.name_shown) for stop in passed)
    return Picture(
        key="stream_picture",
        title=tr("Residual stream"),
        drawing=figures.stream(
            values.T,
            labels,
            ["<br>".join(dict.fromkeys(two)) for two in lines],  # one, if both are the same
            here=next((n for n, stop in enumerate(passed) if stop is here), None),
        ),
        alt=tr(
            "Likeness to the start, on average: {means}",
            means=between("; ").join(means),
        ),
        caption=tr(
            "From left to right: the vectors that every layer reads, adds to and passes on, and "
            "how alike each is to its first one (1: the same direction)."
        ),
        code=Call(method="stack", arguments={"stop": at}, number=1),
    )


def lens_picture(ran: Run, token: int) -> Picture | None:
    """The word that the decoder would write after every layer; None where no word is asked for."""
    found, batch = ran.logit_lens(), ran.batch
    asked = ran.tgt_labels if batch.tgt_out is None else batch.tgt_out_labels[ran.row]
    real = [at for at, label in enumerate(asked) if label != PAD]
    if not real:
        return None
    read = [ran.tgt_labels[at] for at in real]
    words = [batch.tgt_names(line) for line in found.best[:, real].tolist()]
    sure, final = found.sure[:, real], found.final[:, real]
    names = [tr("embedding"), *(tr("layer {n}", n=n + 1) for n in range(len(words) - 1))]
    rows = [
        f"{name}: {side_by_side(with_numbers(line, map(share_in_words, shares.tolist())))}"
        for name, line, shares in zip(names, words, sure, strict=True)
    ]
    means = [
        tr("{share} at {layer}", share=share_in_words(float(line.mean())), layer=name)
        for name, line in zip(names, final, strict=True)
    ]
    framed = real.index(token) if token in real else None
    code = {"stop": 0, "word": _unusual(token, ran.tgt_labels)}
    return Picture(
        key="lens_picture",
        title=tr("Logit lens"),
        drawing=figures.lens(words, sure, final, read, names, token=framed),
        alt=tr("The likeliest next word at every position: {rows}", rows=between("; ").join(rows)),
        caption=tr(
            "The logit lens: each row treats a layer as if it were the last one, and shows the "
            "likeliest next word. The bottom row is what the model predicts: the likelier its word "
            "is in a layer, the stronger the colour, and where it is the likeliest, it is bold, "
            "with its probability. Its mean probability: {means}.",
            means=side_by_side(means),
        ),
        code=Call(method="stack", arguments=code, number=2),
        click=Click(column="word", columns=real),
    )


def norm_picture(
    x: Float[np.ndarray, " d_model"],
    out: Float[np.ndarray, " d_model"],
    word: str,
) -> Picture:
    """One token before and after a norm."""
    both = Matrix(
        name="norm",
        title=tr("before, and after"),
        values=np.stack([x, out])[:, :SHOWN],
        rows=[tr("before"), tr("after")],
        shape=(2, len(x)),
    )
    spread = {"spread": x.std(), "spread_after": out.std()}
    return Picture(
        key="norm_picture",
        title=tr("Layer norm"),
        drawing=equation([both], []),
        alt=tr(
            "{word} before and after the norm: mean {before:.3f} and {after:.3f}, standard "
            "deviation {spread:.3f} and {spread_after:.3f}.",
            word=word,
            before=x.mean(),
            after=out.mean(),
            **spread,
        ),
        caption=tr(
            "Mean {before} → {after}, standard deviation {spread:.3f} → {spread_after:.3f}.",
            before=signed_number(float(x.mean())),
            after=signed_number(float(out.mean())),
            **spread,
        ),
    )


def hidden_picture(step: FeedForwardStep, labels: Sequence[str], token: int) -> Picture:
    """The hidden layer of a feed-forward, and its zeros."""
    hidden = step.hidden.cpu().numpy()
    zeros, shape = float((hidden == 0).mean()), str(hidden.shape)
    part = tr("units 0 to {last}", last=SHOWN - 1) if hidden.shape[1] > SHOWN else ""
    captions = [_shape_and_part(shape, part)]
    if step.module.cuts_off:
        captions.append(
            tr("{zeros:.0%} of the hidden units are 0: ReLU cuts them off.", zeros=zeros)
        )
    captions.append(tr("The same weights serve every position."))
    return Picture(
        key="hidden_picture",
        title=tr("Hidden"),
        drawing=figures.token_heatmap(
            hidden[:, :SHOWN], labels, what=tr("hidden unit"), token=token
        ),
        alt=tr("Hidden layer {shape}: {zeros:.0%} zeros.", shape=shape, zeros=zeros),
        caption=sentences(*captions),
    )


def four_numbers_picture(columns: Sequence[tuple[str, Float[np.ndarray, " four"]]]) -> Picture:
    """A word as a column of four numbers: looked up, scaled, its position, and their sum."""
    listed = [
        f"{title} {side_by_side(numeral(x, '.3f') for x in numbers.tolist())}"
        for title, numbers in columns
    ]
    rows = [tr("dimension {row}", row=row) for row in range(4)]
    matrices = [
        Matrix(name=f"man{n}", title=title, values=numbers[:, None], rows=rows)
        for n, (title, numbers) in enumerate(columns)
    ]
    return Picture(
        key="four_numbers",
        title=tr("Embedding of man"),
        drawing=equation(matrices, ["→", "+", "="]),
        alt=tr("“man” as a column of four numbers: {columns}", columns=between("; ").join(listed)),
        caption=tr(
            "One word, one column of numbers. A trained model often puts words that are used alike "
            "near each other; here the numbers are yours."
        ),
    )


def _columns_of(stop: Stop, ran: Run) -> tuple[np.ndarray, list[str] | None, str]:
    """The numbers to draw for a stop, their names, and which part of the whole they are."""
    values = stop.values.cpu().numpy()
    width = values.shape[1]
    if stop.name not in ("logits", "probabilities"):
        part = ""
        if width > SHOWN:
            part = tr("dimensions 0 to {last} of {all}", last=SHOWN - 1, all=width)
        return values[:, :SHOWN], None, part
    words = len(ran.batch.tgt_vocab.tokens)
    if 4 + words > SHOWN:  # the first ids are no more telling than others
        ids = np.sort(np.argsort(-values.max(axis=0), kind="stable")[:SHOWN])
        part = tr("the {n} ids with the largest values, of {all:,}", n=SHOWN, all=width)
        return values[:, ids], ran.batch.tgt_names(ids.tolist()), part
    known = min(width, SHOWN, 4 + words if words else SHOWN)
    names = ran.batch.tgt_names(range(known))
    part = tr("ids 0 to {last} of {all}", last=known - 1, all=width)
    return values[:, :known], names, part


def _shape_and_part(shape: str, part: str) -> str:
    """The shape of a tensor, and the part of it that is drawn."""
    if part:
        return tr("Shape {shape}, shown: {part}.", shape=shape, part=part)
    return tr("Shape {shape}.", shape=shape)


def _unusual(token: int, labels: Sequence[str]) -> int | None:
    return None if token == usual_word(labels) else token
