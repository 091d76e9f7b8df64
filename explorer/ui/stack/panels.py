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
from explorer.figures.arithmetic import layer_norm_by_hand, rms_norm_by_hand, signed_number
from explorer.figures.equation import Matrix, equation
from explorer.figures.stack import SHOWN, lens, stream, token_heatmap
from explorer.figures.theme import Theme
from explorer.names import PAD
from explorer.runtime.engine import Run
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import segments, select_word
from explorer.ui.page import check_badge
from explorer.ui.parameters import STOP, STOP_SHOWS, STREAM

MEASURES = {"similarity": "likeness to the start", "change": "change", "norm": "norm"}


def choose_stop(way: list[Stop]) -> int:
    """Choose a stop, from the list or with Back and Next."""
    names = [f"{stop.part}: {stop.name}" for stop in way]
    last = len(way) - 1
    with st.container(horizontal=True, vertical_alignment="bottom", key="words"):
        buttons = st.container(horizontal=True, width="content")
        at = select_word(STOP, "Stop", names, 0)
        with buttons:
            st.button(
                "Back",
                icon=":material/arrow_back:",
                on_click=choose,
                args=(STOP, max(0, at - 1)),
                disabled=at == 0,
            )
            st.button(
                "Next",
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
        part = f"dimensions 0 to {SHOWN - 1} of {width}" if width > SHOWN else ""
        return values[:, :SHOWN], None, part
    words = len(ran.batch.tgt_vocab.tokens)
    if 4 + words > SHOWN:  # the first ids are no more telling than others
        ids = np.sort(np.argsort(-values.max(axis=0), kind="stable")[:SHOWN])
        part = f"the {SHOWN} ids with the largest {stop.name}, of {width:,}"
        return values[:, ids], ran.batch.tgt_names(ids.tolist()), part
    known = min(width, SHOWN, 4 + words if words else SHOWN)
    names = ran.batch.tgt_names(range(known))
    return values[:, :known], names, f"ids 0 to {known - 1} of {width}"


def show_stop(
    stop: Stop,
    token: int,
    labels: tuple[str, ...],
    ran: Run,
    theme: Theme,
) -> None:
    """Draw the tensor of a stop, or its change."""
    values, names, part = columns_of(stop, ran)
    change = stop.before is not None and (segments(STOP_SHOWS, "Show") == "change")
    drawn = stop.values
    if change and stop.before is not None:
        drawn = stop.values - stop.before
        values = drawn.cpu().numpy()[:, : values.shape[1]]
    zeros = float((drawn == 0).float().mean())
    shape = f"({len(stop.values)}, {stop.values.shape[1]})"
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
        alt=f"{stop.part}, {stop.name}: {shape}. Largest number {np.abs(values).max():.3f}.",
        caption=f"Shape {shape}{', shown: ' + part if part else ''}. "
        + ("Change from its input. " if change else "")
        + (f"{zeros:.0%} of the numbers are exactly 0." if zeros else "No number is exactly 0."),
        file_name="stop",
    )


def show_statistics(stop: Stop, labels: tuple[str, ...]) -> None:
    """A table of the mean, deviation, norm and change of every token."""
    numbers = statistics(stop)
    columns = [numbers.mean, numbers.deviation, numbers.norm]
    names = ["token", "mean", "std", "norm"]
    if numbers.change is not None:
        columns.append(numbers.change)
        names.append("change")
    table(
        names,
        [
            [f"{at} · {label}", *(signed_number(float(column[at])) for column in columns)]
            for at, label in enumerate(labels)
        ],
        key="token-statistics",
        caption="Over all dimensions of each token"
        + ("." if numbers.change is None else "; change: length of the difference from its input."),
    )


def show_stream(way: list[Stop], here: Stop, labels: tuple[str, ...], theme: Theme) -> None:
    """Draw the residual stream of one side."""
    st.subheader("The residual stream", anchor=False)
    measure = segments(STREAM, "Measure", names=MEASURES.__getitem__)
    passed = residual_stream(way, here.side)
    values = stream_measure(passed, measure)
    names = [
        f"{stop.part}: {f'after {stop.sublayer}' if stop.sublayer else stop.name}"
        for stop in passed
    ]
    live_plot(
        stream(
            values.T,
            labels,
            names,
            theme,
            measure=MEASURES[measure],
            signed=measure == "similarity",
            here=next((n for n, stop in enumerate(passed) if stop is here), None),
        ),
        key="stream_picture",
        alt=f"{MEASURES[measure]} of {len(labels)} tokens at {len(passed)} stops: "
        + "; ".join(f"{name} {row.mean():.2f}" for name, row in zip(names, values, strict=True)),
        caption="From left to right: the vectors that every layer reads, adds to and passes on.",
        file_name="residual-stream",
    )


def show_lens(ran: Run, theme: Theme, token: int | None) -> None:
    """Draw what the decoder would write after every layer."""
    st.subheader("What would it write after each layer?", anchor=False)
    found, batch = ran.logit_lens(), ran.batch
    asked = ran.tgt_labels if batch.tgt_out is None else batch.tgt_out_labels[ran.row]
    real = [at for at, label in enumerate(asked) if label != PAD]
    if not real:
        return
    read = [ran.tgt_labels[at] for at in real]
    words = [ran.batch.tgt_names(line) for line in found.best[:, real].tolist()]
    sure, final = found.sure[:, real], found.final[:, real]
    names = ["embedding", *(f"layer {n + 1}" for n in range(len(words) - 1))]
    live_plot(
        lens(words, sure, read, names, theme, token=real.index(token) if token in real else None),
        key="lens_picture",
        alt="The likeliest next word at every position: "
        + "; ".join(
            f"{name}: " + ", ".join(map("{} {:.2f}".format, line, shares))
            for name, line, shares in zip(names, words, sure, strict=True)
        ),
        caption="The logit lens: each row treats a layer as if it were the last (final norm, "
        "logits, softmax) and shows the likeliest next word. The bottom row is what the model "
        "predicts; its words have a mean probability of "
        + ", ".join(f"{line.mean():.2f} at {name}" for name, line in zip(names, final, strict=True))
        + ".",
        file_name="logit-lens",
    )


def show_norm(norm: NormStep, token: int, label: str, theme: Theme) -> None:
    """Show the norm of one token by hand."""
    x, out = norm.x.cpu().numpy()[token], norm.out.cpu().numpy()[token]
    if isinstance(norm.norm, nn.LayerNorm):
        name, formula = "layer norm", LAYER_NORM
        gain, bias = (p.detach().cpu().numpy() for p in (norm.norm.weight, norm.norm.bias))
        numbers = layer_norm_by_hand(x, gain, bias, norm.norm.eps, out)
    else:
        assert isinstance(norm.norm, nn.RMSNorm)
        assert norm.norm.eps is not None
        name, formula = "RMS norm", RMS_NORM
        gain = norm.norm.weight.detach().cpu().numpy()
        numbers = rms_norm_by_hand(x, gain, norm.norm.eps, out)
    st.markdown(f"**{name[:1].upper()}{name[1:]} by hand** $\\quad {formula}$")
    with st.container(key="by_hand"):
        st.code(f"“\u2068{label}\u2069”:\n{numbers}", language=None, wrap_lines=True)
    live_plot(
        equation(
            [
                Matrix(
                    name="norm",
                    title="before, and after",
                    values=np.stack([x, out])[:, :SHOWN],
                    rows=["before", "after"],
                    shape=(2, len(x)),
                )
            ],
            [],
            theme,
        ),
        key="norm_picture",
        alt=f"{label} before and after the {name}: mean {x.mean():.3f} and {out.mean():.3f}, "
        f"standard deviation {x.std():.3f} and {out.std():.3f}.",
        caption=f"Mean {signed_number(float(x.mean()))} → {signed_number(float(out.mean()))}, "
        f"standard deviation {x.std():.3f} → {out.std():.3f}.",
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
    st.markdown(f"**Inside the feed-forward** $\\quad h = {step.formula}$")
    part = f", shown: units 0 to {SHOWN - 1}" if hidden.shape[1] > SHOWN else ""
    live_plot(
        token_heatmap(hidden[:, :SHOWN], labels, theme, what="hidden unit", token=token),
        key="hidden_picture",
        alt=f"Hidden layer {hidden.shape}: {(hidden == 0).mean():.0%} zeros.",
        caption=f"Shape {hidden.shape}{part}. "
        + (
            f"{(hidden == 0).mean():.0%} of the hidden units are 0: ReLU cuts them off. "
            if step.module.cuts_off
            else ""
        )
        + "The same weights serve every position.",
        file_name="hidden",
    )
    if not dropout:
        apart = float((step.alone(token) - stop.values[token]).abs().max())
        check_badge(
            apart < 1e-4,
            f"this word alone comes out the same ({apart:.0e})",
        )


def show_next_words(stop: Stop, token: int, ran: Run) -> None:
    """A table of the most probable words: the next ones, or BERT's guesses of the word itself."""
    writes = ran.request.config.has_decoder
    row = stop.values[token].cpu().numpy()
    best = np.argsort(-row)[:8]
    names = ran.batch.tgt_names(best.tolist())
    table(
        ["next word" if writes else "word", "id", stop.name],
        [[name, at, f"{row[at]:.4f}"] for name, at in zip(names, best.tolist(), strict=True)],
        key="next-words",
        caption=f"The largest {stop.name} {'after' if writes else 'at'} position {token}.",
    )
