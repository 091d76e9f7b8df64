"""What happens to a word on its way? The whole stack, stop by stop."""

import numpy as np
import streamlit as st

from explorer import layers
from explorer.analysis.stops import (
    LAYER_NORM,
    FeedForwardStep,
    NormStep,
    Stop,
    residual_stream,
    statistics,
    stops,
)
from explorer.attention import MultiHeadAttention
from explorer.figures.arithmetic import layer_norm_by_hand, signed_number
from explorer.figures.equation import Matrix, equation
from explorer.figures.stack import SHOWN, stream, token_heatmap
from explorer.figures.theme import THEMES, Theme
from explorer.names import PAD
from explorer.transformer import Transformer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.choices import IN_URL, choose_word
from explorer.ui.frame import open_page, show
from explorer.ui.page import check_badge, heading, show_code, weights_badge
from explorer.ui.reading import Reading, read
from explorer.ui.settings import CASES, STREAM_MEASURES, Settings
from explorer.ui.stack.four_numbers import show_four_numbers

WHERE_FROM = {
    "add & norm": "Dropout, where it is on, works on the sub-layer's output, before the sum, as in "
    "the paper. After the norm, where some tutorials put it, the mean would not stay 0.",
    "self-attention": "q, k and v all come from x, the words of the source.",
    "masked self-attention": "q, k and v all come from x, the target so far; the future is hidden.",
    "cross-attention": "q comes from x, the decoder; k and v come from memory, the encoder's last "
    "output. (Some tutorials have it the other way round.)",
}
CODE = {
    "embedding": layers.Embedding.forward,
    "× √d_model": layers.Embedding.forward,
    "+ position": layers.Embedding.forward,
    "feed-forward": layers.FeedForward.forward,
    "add & norm": layers.Residual.leave,
    "add": layers.Residual.leave,
    "self-attention": MultiHeadAttention.forward,
    "masked self-attention": MultiHeadAttention.forward,
    "cross-attention": MultiHeadAttention.forward,
    "memory": Transformer.encode,
    "norm": Transformer.decode,
    "logits": Transformer.decode,
}


def step_to(place: int) -> None:
    """A button for the stop before or after was pressed."""
    st.session_state.stop_chosen = place


def choose_stop(way: list[Stop]) -> int:
    """Which stop: from the list, or one step back or on."""
    state = st.session_state
    names = [f"{stop.part}: {stop.name}" for stop in way]
    with st.container(horizontal=True, vertical_alignment="bottom", key="words"):
        at = min(max(0, state.get("stop_chosen") or 0), len(way) - 1)
        if "stop_chosen" not in state and "stop" in st.query_params:
            at = min(int(st.query_params["stop"]), len(way) - 1)
        st.button(
            "Back", icon=":material/arrow_back:", on_click=step_to, args=(at - 1,), disabled=at == 0
        )
        st.button(
            "Next",
            icon=":material/arrow_forward:",
            on_click=step_to,
            args=(at + 1,),
            disabled=at == len(way) - 1,
            type="primary",
        )
        return choose_word("Stop", names, 0, key="stop")


def columns_of(stop: Stop, reading: Reading) -> tuple[np.ndarray, list[str] | None, str]:
    """What is drawn of a stop: its numbers, their names, and what part of the whole they are."""
    values = stop.values.cpu().numpy()
    width = values.shape[1]
    if stop.name not in ("logits", "probabilities"):
        part = f"dimensions 0 to {SHOWN - 1} of {width}" if width > SHOWN else ""
        return values[:, :SHOWN], None, part
    words = len(reading.batch.tgt_vocab.tokens)
    known = min(width, SHOWN, 4 + words if words else SHOWN)
    names = reading.batch.tgt_names(range(known))
    return values[:, :known], names, f"ids 0 to {known - 1} of {width}"


def show_stop(
    stop: Stop,
    token: int,
    labels: tuple[str, ...],
    reading: Reading,
    theme: Theme,
) -> None:
    """The tensor, and its tokens in numbers."""
    values, names, part = columns_of(stop, reading)
    change = stop.before is not None and (
        st.segmented_control(
            "Show", ["values", "change"], default="values", required=True, key="stop_shows",
            label_visibility="collapsed", **IN_URL,
        ) == "change"
    )  # fmt: skip
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
        + ("Change since what it was made from. " if change else "")
        + (f"{zeros:.0%} of the numbers are exactly 0." if zeros else "No number is exactly 0."),
        file_name="stop",
    )


def show_statistics(stop: Stop, labels: tuple[str, ...]) -> None:
    """Mean, deviation, norm and change of every token."""
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
        + (
            "."
            if numbers.change is None
            else "; change: length of the difference to the stop it was made from."
        ),
    )


def show_stream(way: list[Stop], here: Stop, labels: tuple[str, ...], theme: Theme) -> None:
    """The residual stream of one side in one picture."""
    st.subheader("The residual stream", anchor=False)
    measure = st.segmented_control(
        "Measure", STREAM_MEASURES, default=STREAM_MEASURES[0], required=True, key="stream",
        label_visibility="collapsed", **IN_URL,
    )  # fmt: skip
    passed = residual_stream(way, here.side)
    tensors = np.stack([stop.values.cpu().numpy() for stop in passed])  # (stops, length, d_model)
    if measure == STREAM_MEASURES[2]:
        values = np.linalg.norm(tensors, axis=-1)
    elif measure == STREAM_MEASURES[1]:
        moved = np.diff(tensors, axis=0, prepend=tensors[:1])
        values = np.linalg.norm(moved, axis=-1)
    else:
        lengths = np.linalg.norm(tensors, axis=-1).clip(1e-12)
        values = (tensors * tensors[:1]).sum(axis=-1) / (lengths * lengths[:1])
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
            measure=measure,
            signed=measure == STREAM_MEASURES[0],
            here=next((n for n, stop in enumerate(passed) if stop is here), None),
        ),
        key="stream_picture",
        alt=f"{measure} of {len(labels)} tokens at {len(passed)} stops: "
        + "; ".join(f"{name} {row.mean():.2f}" for name, row in zip(names, values, strict=True)),
        caption="From left to right: what every layer reads, adds to and hands on.",
        file_name="residual-stream",
    )


def show_norm(norm: NormStep, token: int, label: str, theme: Theme) -> None:
    """One token's layer norm by hand."""
    x, out = norm.x.cpu().numpy()[token], norm.out.cpu().numpy()[token]
    gain, bias = (p.detach().cpu().numpy() for p in (norm.norm.weight, norm.norm.bias))
    st.markdown(f"**Layer norm by hand** $\\quad {LAYER_NORM}$")
    with st.container(key="by_hand"):
        numbers = layer_norm_by_hand(x, gain, bias, norm.norm.eps, out)
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
        alt=f"{label} before and after the layer norm: mean {x.mean():.3f} and {out.mean():.3f}, "
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
    """The hidden layer, its zeros, and that every position is treated alike."""
    hidden = step.hidden.cpu().numpy()
    st.markdown("**Inside the feed-forward** $\\quad h = \\max(0,\\ xW_1 + b_1)$")
    part = f", shown: units 0 to {SHOWN - 1}" if hidden.shape[1] > SHOWN else ""
    live_plot(
        token_heatmap(hidden[:, :SHOWN], labels, theme, what="hidden unit", token=token),
        key="hidden_picture",
        alt=f"Hidden layer {hidden.shape}: {(hidden == 0).mean():.0%} zeros.",
        caption=f"Shape {hidden.shape}{part}. {(hidden == 0).mean():.0%} of the hidden units are "
        "0: ReLU cut them off. The same weights serve every position.",
        file_name="hidden",
    )
    if not dropout:
        apart = float((step.alone(token) - stop.values[token]).abs().max())
        check_badge(
            apart < 1e-4,
            f"this word alone comes out the same ({apart:.0e})",
        )


def show_next_words(stop: Stop, token: int, reading: Reading) -> None:
    """The most probable next words after the token in focus."""
    row = stop.values[token].cpu().numpy()
    best = np.argsort(-row)[:8]
    names = reading.batch.tgt_names(best.tolist())
    table(
        ["next word", "id", stop.name],
        [[name, at, f"{row[at]:.4f}"] for name, at in zip(names, best.tolist(), strict=True)],
        key="next-words",
        caption=f"The largest {stop.name} after position {token}.",
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "What happens to a word on its way?",
        "Walk the sentence through the model, stop by stop: what comes in, what each layer makes "
        "of it, what comes out.",
    )
    theme = THEMES[settings.theme]
    reading = read(settings)
    way = stops(reading.loaded.model, reading.trace)
    at = choose_stop(way)
    stop = way[at]
    labels = reading.src_labels if stop.side == "src" else reading.tgt_labels
    st.markdown(f"**{stop.part.capitalize()}: {stop.name}** $\\quad {stop.formula}$")
    left, right = st.columns([3, 2])
    with right:
        words = [n for n, label in enumerate(labels) if label != PAD]
        token = choose_word("Word", labels, words[-1] if words else 0, key="word")
        show_statistics(stop, labels)
        weights_badge(settings)
    with left:
        show_stop(stop, token, labels, reading, theme)
        if stop.name in WHERE_FROM:
            st.markdown(WHERE_FROM[stop.name])
        if stop.name.endswith("attention") and st.button(
            "This attention, step by step", icon=":material/calculate:"
        ):
            kind = "cross" if stop.name.startswith("cross") else stop.part.split()[0]
            open_page("steps", attention=kind, layer=int(stop.part.split()[1]), case=CASES[0])
        if stop.name == "embedding":
            ids = (reading.batch.src if stop.side == "src" else reading.batch.tgt_in)[reading.row]
            numbers = ", ".join(signed_number(float(x)) for x in stop.values[token][:8])
            with st.container(key="by_hand"):
                st.code(
                    f"“\u2068{labels[token]}\u2069” has id {int(ids[token])}: "
                    f"row {int(ids[token])} of E = "
                    f"({numbers}{', …' if stop.values.shape[1] > 8 else ''})",
                    language=None,
                    wrap_lines=True,
                )
            folded = st.expander(
                "A word as four numbers: d_model = 4", key="four", on_change="rerun"
            )
            if folded.open:
                with folded:
                    show_four_numbers(theme)
        if stop.norm is not None:
            show_norm(stop.norm, token, labels[token], theme)
        if stop.feed_forward is not None:
            show_feed_forward(stop.feed_forward, stop, token, labels, theme, settings.dropout > 0)
        if stop.part == "output" and stop.name != "norm":
            show_next_words(stop, token, reading)
    st.caption(
        "Why are some of these values zero? Dropout is on: each number was kept with probability "
        f"{1 - settings.dropout:.0%} and scaled up by 1/{1 - settings.dropout:.1f}. Another seed "
        "drops others; 0.0 in the sidebar switches it off."
        if settings.dropout and (stop.values == 0).any()
        else "Dropout is on: what it set to zero shows where the numbers come right out of it, as "
        "after “+ position”."
        if settings.dropout
        else "Switch dropout on in the sidebar to see which numbers it sets to zero, and what "
        "becomes of that further up."
    )
    show_stream(way, stop, labels, theme)
    show_code("The code that ran", CODE.get(stop.name, stops))


show(show_page)
