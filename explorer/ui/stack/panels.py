"""The pictures of the stack page: one stop, and the residual stream."""

import numpy as np
import streamlit as st
from torch import nn

from explorer.analysis.stops import (
    LAYER_NORM,
    RMS_NORM,
    FeedForwardStep,
    NormStep,
    Stop,
    residual_stream,
    statistics,
    stream_measure,
)
from explorer.figures.arithmetic import (
    layer_norm_by_hand,
    rms_norm_by_hand,
    signed_number,
)
from explorer.figures.equation import Matrix, equation
from explorer.figures.stack import SHOWN, lens, stream, token_heatmap
from explorer.figures.theme import Theme
from explorer.languages import mark, numeral, side_by_side, tr, tr_n
from explorer.names import PAD
from explorer.runtime.engine import Run
from explorer.ui.alike import alike
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.choices import choose, chosen, value
from explorer.ui.controls.widgets import segments, select_word
from explorer.ui.page import check_badge
from explorer.ui.parameters import STACK_SHOWS, STOP, STOP_SHOWS, STREAM

STACK_SHOWN = {
    "stop": mark("one operation"),
    "stream": mark("residual stream"),
    "lens": mark("guess after each layer"),
}
SHOWS = {"values": mark("values"), "change": mark("change")}
MEASURES = {
    "similarity": mark("likeness to the start"),
    "change": mark("change"),
    # Translators: the length of a vector.
    "norm": mark("vector norm"),
}


def choose_shown(*, has_lens: bool) -> str:
    """Choose what to see of the stack, one of `STACK_SHOWN`."""
    offered = [shown for shown in STACK_SHOWN if has_lens or shown != "lens"]
    if value(STACK_SHOWS) is None and chosen(STREAM) is not None and chosen(STOP) is None:
        choose(STACK_SHOWS, "stream")  # an address that measures the residual stream is about it
    shown: str = segments(
        STACK_SHOWS, tr("Show"), offered, names=lambda name: tr(STACK_SHOWN[name])
    )
    return shown


def choose_stop(way: list[Stop]) -> int:
    """Choose a stop, from the list or with Back and Next."""
    names = [stop.title for stop in way]
    last = len(way) - 1
    buttons = st.container(horizontal=True, width="content")
    at = select_word(STOP, tr("Look at"), names, 0)
    with buttons:
        st.button(
            tr("Back"),
            icon=":material/arrow_back:",
            on_click=choose,
            args=(STOP, max(0, at - 1)),
            disabled=at == 0,
        )
        st.button(
            tr("Next"),
            icon=":material/arrow_forward:",
            on_click=choose,
            args=(STOP, min(last, at + 1)),
            disabled=at == last,
            type="primary",
        )
    return at


def columns_of(stop: Stop, ran: Run) -> tuple[np.ndarray, list[str] | None, str]:
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
        if stop.name == "logits":
            part = tr("the {n} ids with the largest logits, of {all:,}", n=SHOWN, all=width)
        else:
            part = tr("the {n} ids with the largest probabilities, of {all:,}", n=SHOWN, all=width)
        return values[:, ids], ran.batch.tgt_names(ids.tolist()), part
    known = min(width, SHOWN, 4 + words if words else SHOWN)
    names = ran.batch.tgt_names(range(known))
    part = tr("ids 0 to {last} of {all}", last=known - 1, all=width)
    return values[:, :known], names, part


def show_stop(
    stop: Stop,
    token: int,
    labels: tuple[str, ...],
    ran: Run,
    theme: Theme,
) -> None:
    """Draw the tensor of a stop, or its change."""
    values, names, part = columns_of(stop, ran)
    change = (
        stop.before is not None
        and segments(STOP_SHOWS, tr("Show"), names=lambda what: tr(SHOWS[what])) == "change"
    )
    drawn = stop.values
    if change and stop.before is not None:
        drawn = stop.values - stop.before
        values = drawn.cpu().numpy()[:, : values.shape[1]]
    zeros = float((drawn == 0).float().mean())
    shape = f"({len(stop.values)}, {stop.values.shape[1]})"
    captions = [_shape_and_part(shape, part)]
    if change:
        captions.append(tr("Change from its input."))
    if zeros:
        captions.append(tr("{zeros:.0%} of the numbers are exactly 0.", zeros=zeros))
    else:
        captions.append(tr("No number is exactly 0."))
    live_plot(
        token_heatmap(
            values,
            labels,
            theme,
            columns=names,
            scale="weights" if stop.name == "probabilities" else "signed",
            token=token,
        ),
        key="stop_picture",
        alt=tr(
            "{part}, {name}: {shape}. Largest number {largest:.3f}.",
            part=stop.part_shown,
            name=stop.name_shown,
            shape=shape,
            largest=np.abs(values).max(),
        ),
        caption=" ".join(captions),
        file_name="stop",
    )


def say_alike(ran: Run, stop: Stop, token: int, labels: tuple[str, ...]) -> None:
    """Which other words have nearly the same row in the table."""
    (found,) = alike(ran, stop.side, [token])
    if found:
        st.text(
            tr(
                "Rows most like that of “{word}”: {words}. (1: the same direction, 0: nothing in "
                "common.)",
                word=labels[token],
                words=side_by_side(f"{word} {numeral(share, '.2f')}" for word, share in found),
            )
        )


def _shape_and_part(shape: str, part: str) -> str:
    """The shape of a tensor, and the part of it that is drawn."""
    if part:
        return tr("Shape {shape}, shown: {part}.", shape=shape, part=part)
    return tr("Shape {shape}.", shape=shape)


def show_statistics(stop: Stop, labels: tuple[str, ...]) -> None:
    """A table of the mean, deviation, norm and change of every token."""
    numbers = statistics(stop)
    columns = [numbers.mean, numbers.deviation, numbers.norm]
    # Translators: “std” is the standard deviation.
    deviation = tr("std")
    names = [tr("token"), tr("mean"), deviation, tr("vector norm")]
    caption = tr("Over all dimensions of each token.")
    if numbers.change is not None:
        columns.append(numbers.change)
        names.append(tr("change"))
        caption = tr(
            "Over all dimensions of each token; change: length of the difference from its input."
        )
    table(
        names,
        [
            [f"{at} · {label}", *(signed_number(float(column[at])) for column in columns)]
            for at, label in enumerate(labels)
        ],
        key="token-statistics",
        caption=caption,
    )


def show_stream(way: list[Stop], here: Stop, labels: tuple[str, ...], theme: Theme) -> None:
    """Draw the residual stream of one side."""
    measure = segments(STREAM, tr("Measure"), names=lambda name: tr(MEASURES[name]))
    passed = residual_stream(way, here.side)
    values = stream_measure(passed, measure)
    names = [stop.stage for stop in passed]
    means = [
        f"{name} {numeral(row.mean(), '.2f')}" for name, row in zip(names, values, strict=True)
    ]
    live_plot(
        stream(
            values.T,
            labels,
            names,
            theme,
            measure=tr(MEASURES[measure]),
            signed=measure == "similarity",
            here=next((n for n, stop in enumerate(passed) if stop is here), None),
        ),
        key="stream_picture",
        alt=tr(
            "{measure} of {tokens} at {stops}: {means}",
            measure=tr(MEASURES[measure]),
            tokens=tr_n("{n} token", "{n} tokens", len(labels)),
            stops=tr_n("{n} stop", "{n} stops", len(passed)),
            means="; ".join(means),
        ),
        caption=tr(
            "From left to right: the vectors that every layer reads, adds to and passes on."
        ),
        file_name="residual-stream",
    )


def show_lens(ran: Run, theme: Theme, token: int | None) -> None:
    """Draw what the decoder would write after every layer."""
    found, batch = ran.logit_lens(), ran.batch
    asked = ran.tgt_labels if batch.tgt_out is None else batch.tgt_out_labels[ran.row]
    real = [at for at, label in enumerate(asked) if label != PAD]
    if not real:
        return
    read = [ran.tgt_labels[at] for at in real]
    words = [ran.batch.tgt_names(line) for line in found.best[:, real].tolist()]
    sure, final = found.sure[:, real], found.final[:, real]
    names = [tr("embedding"), *(tr("layer {n}", n=n + 1) for n in range(len(words) - 1))]
    rows = [
        f"{name}: {side_by_side(map(_word_and_share, line, shares))}"
        for name, line, shares in zip(names, words, sure, strict=True)
    ]
    means = [
        tr("{share:.2f} at {layer}", share=line.mean(), layer=name)
        for name, line in zip(names, final, strict=True)
    ]
    live_plot(
        lens(words, sure, read, names, theme, token=real.index(token) if token in real else None),
        key="lens_picture",
        alt=tr("The likeliest next word at every position: {rows}", rows="; ".join(rows)),
        caption=tr(
            "The logit lens: each row treats a layer as if it were the last one, and shows the "
            "likeliest next word with its probability. The bottom row is what the model predicts; "
            "a word is bold where it agrees with that row. The mean probability of the words of "
            "the bottom row: {means}.",
            means=side_by_side(means),
        ),
        file_name="logit-lens",
    )


def _word_and_share(word: str, share: float) -> str:
    return f"{word} {numeral(share, '.2f')}"


def show_norm(norm: NormStep, token: int, label: str, theme: Theme) -> None:
    """Show the norm of one token by hand."""
    x, out = norm.x.cpu().numpy()[token], norm.out.cpu().numpy()[token]
    if isinstance(norm.norm, nn.LayerNorm):
        title, formula = tr("Layer norm by hand"), LAYER_NORM
        alt = mark(
            "{word} before and after the layer norm: mean {before:.3f} and {after:.3f}, standard "
            "deviation {spread:.3f} and {spread_after:.3f}."
        )
        gain, bias = (p.detach().cpu().numpy() for p in (norm.norm.weight, norm.norm.bias))
        numbers = layer_norm_by_hand(x, gain, bias, norm.norm.eps, out)
    else:
        assert isinstance(norm.norm, nn.RMSNorm)
        assert norm.norm.eps is not None
        title, formula = tr("RMS norm by hand"), RMS_NORM
        alt = mark(
            "{word} before and after the RMS norm: mean {before:.3f} and {after:.3f}, standard "
            "deviation {spread:.3f} and {spread_after:.3f}."
        )
        gain = norm.norm.weight.detach().cpu().numpy()
        numbers = rms_norm_by_hand(x, gain, norm.norm.eps, out)
    st.markdown(f"**{title}** $\\quad {formula}$")
    with st.container(key="by_hand"):
        st.code(f"“\u2068{label}\u2069”:\n{numbers}", language=None, wrap_lines=True)
    live_plot(
        equation(
            [
                Matrix(
                    name="norm",
                    title=tr("before, and after"),
                    values=np.stack([x, out])[:, :SHOWN],
                    rows=[tr("before"), tr("after")],
                    shape=(2, len(x)),
                )
            ],
            [],
            theme,
        ),
        key="norm_picture",
        alt=tr(
            alt,
            word=label,
            before=x.mean(),
            after=out.mean(),
            spread=x.std(),
            spread_after=out.std(),
        ),
        caption=tr(
            "Mean {before} → {after}, standard deviation {spread:.3f} → {spread_after:.3f}.",
            before=signed_number(float(x.mean())),
            after=signed_number(float(out.mean())),
            spread=x.std(),
            spread_after=out.std(),
        ),
        file_name="layer-norm",
    )


def show_feed_forward(
    step: FeedForwardStep,
    stop: Stop,
    token: int,
    labels: tuple[str, ...],
    theme: Theme,
    dropout: bool,
) -> None:
    """Show the hidden layer, its zeros, and a check that all positions are treated alike."""
    hidden = step.hidden.cpu().numpy()
    zeros, shape = float((hidden == 0).mean()), str(hidden.shape)
    title = tr("Inside the feed-forward")
    st.markdown(f"**{title}** $\\quad h = {step.formula}$")
    part = tr("units 0 to {last}", last=SHOWN - 1) if hidden.shape[1] > SHOWN else ""
    captions = [_shape_and_part(shape, part)]
    if step.module.cuts_off:
        captions.append(
            tr("{zeros:.0%} of the hidden units are 0: ReLU cuts them off.", zeros=zeros)
        )
    captions.append(tr("The same weights serve every position."))
    live_plot(
        token_heatmap(hidden[:, :SHOWN], labels, theme, what=tr("hidden unit"), token=token),
        key="hidden_picture",
        alt=tr("Hidden layer {shape}: {zeros:.0%} zeros.", shape=shape, zeros=zeros),
        caption=" ".join(captions),
        file_name="hidden",
    )
    if not dropout:
        apart = float((step.alone(token) - stop.values[token]).abs().max())
        check_badge(
            apart < 1e-4,
            tr("this word alone comes out the same ({apart:.0e})", apart=apart),
        )


def show_next_words(stop: Stop, token: int, ran: Run) -> None:
    """A table of the most probable words: the next ones, or BERT's guesses of the word itself."""
    writes = ran.request.config.has_decoder
    row = stop.values[token].cpu().numpy()
    best = np.argsort(-row)[:8]
    names = ran.batch.tgt_names(best.tolist())
    if stop.name == "logits" and writes:
        caption = tr("The largest logits after position {position}.", position=token)
    elif stop.name == "logits":
        caption = tr("The largest logits at position {position}.", position=token)
    elif writes:
        caption = tr("The largest probabilities after position {position}.", position=token)
    else:
        caption = tr("The largest probabilities at position {position}.", position=token)
    table(
        [tr("next word") if writes else tr("word"), tr("id"), stop.name_shown],
        [
            [name, at, numeral(row[at], ".4f")]
            for name, at in zip(names, best.tolist(), strict=True)
        ],
        key="next-words",
        caption=caption,
    )
