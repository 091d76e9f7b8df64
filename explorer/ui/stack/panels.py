"""What the stack page shows beside the guesses: one stop, and the residual stream."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import nn

from explorer.analysis.stops import (
    LAYER_NORM,
    RMS_NORM,
    FeedForwardStep,
    NormStep,
    Stop,
)
from explorer.answers.alike import alike
from explorer.choices.parameters import Stack
from explorer.config import ModelConfig
from explorer.figures.arithmetic import (
    layer_norm_written_out,
    rms_norm_written_out,
    signed_number,
)
from explorer.languages import in_quotes, isolated, mark, numbered, numeral, side_by_side, tr
from explorer.layers import Embedding
from explorer.runtime.engine import Run
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.number_grid import number_grid
from explorer.ui.components.table import table
from explorer.ui.controls.choices import chosen, on_show, value
from explorer.ui.controls.widgets import number, segments, select
from explorer.ui.frame.page import check_badge, stepper
from explorer.views.looks import usual_word
from explorer.views.stack import (
    four_numbers_picture,
    hidden_picture,
    norm_picture,
    stop_picture,
    stream_picture,
)

_MAN = ((0.1, 0.4, 0.3, 0.19),)  # the usual numbers of the word
SHOWS = {"values": mark("values"), "change": mark("change")}


def shows(what: str) -> bool:
    """Whether an address asks for a part of the stack beside the guesses: a stop, or the stream."""
    shown = chosen(Stack.stack_shows)
    if shown is not None:
        on_show()[Stack.stack_shows.key] = shown
    return (shown or ("lens" if chosen(Stack.stop) is None else "stop")) == what


def word_on_show(labels: Sequence[str]) -> int:
    """The word whose guesses are framed."""
    word = chosen(Stack.word)
    if word is None or word >= len(labels):
        return usual_word(labels)
    on_show()[Stack.word.key] = word
    return word


def stop_on_show(all_stops: list[Stop]) -> int:
    """The chosen stop, or the first."""
    return min(value(Stack.stop) or 0, len(all_stops) - 1)


def choose_stop(all_stops: list[Stop], *, on_stream: bool = False) -> int:
    """Choose a stop, of those on the residual stream or of all."""
    offered = [at for at, stop in enumerate(all_stops) if stop.on_stream or not on_stream]

    def named(at: int) -> str:
        return numbered(at, all_stops[at].title)

    draw = partial(select, Stack.stop, tr("Look at"), offered, names=named)
    return int(stepper(Stack.stop, offered, draw))


def show_stop(all_stops: list[Stop], at: int, token: int, ran: Run) -> None:
    """Draw the tensor of a stop, or its change."""
    change = (
        all_stops[at].before is not None
        and segments(Stack.stop_shows, tr("Show"), names=SHOWS) == "change"
    )
    live_plot(stop_picture(all_stops, at, ran, token, change=change))


def show_row(stop: Stop, token: int, label: str, ran: Run) -> None:
    """The row of the table that the token's id has picked."""
    ids = (ran.batch.src if stop.side == "src" else ran.batch.tgt_in)[ran.row]
    numbers = [signed_number(float(x)) for x in stop.values[token][:8]]
    if stop.values.shape[1] > 8:
        numbers.append("…")
    text = tr(
        "“{word}” has id {id}: row {id} of E = ({numbers})",
        word=label,
        id=int(ids[token]),
        numbers=side_by_side(numbers),
    )
    with st.container(key="by_hand"):
        st.code(text, language=None, wrap_lines=True)


def show_nearest_words(ran: Run, stop: Stop, token: int, labels: tuple[str, ...]) -> None:
    """Show the words whose embeddings are most similar to that of a token."""
    (found,) = alike(ran, stop.side, [token])
    if found:
        st.text(
            tr(
                "Rows most like that of “{word}”: {words}. (1: the same direction, 0: nothing in "
                "common.)",
                word=labels[token],
                words=side_by_side(
                    f"{isolated(word)} {numeral(share, '.2f')}" for word, share in found
                ),
            )
        )


def show_stream(all_stops: list[Stop], ran: Run) -> None:
    """Draw the residual stream of the source or the target."""
    at = stop_on_show(all_stops)
    if ran.request.config.has_decoder:
        at = choose_stop(all_stops, on_stream=True)
    live_plot(stream_picture(all_stops, at, ran))


def show_norm(norm: NormStep, token: int, label: str) -> None:
    """Show the norm of one token by hand."""
    x, out = norm.x.cpu().numpy()[token], norm.out.cpu().numpy()[token]
    if isinstance(norm.norm, nn.LayerNorm):
        title, formula = tr("Norm by hand"), LAYER_NORM
        gain, bias = (p.detach().cpu().numpy() for p in (norm.norm.weight, norm.norm.bias))
        numbers = layer_norm_written_out(x, gain, bias, norm.norm.eps, out)
    else:
        assert isinstance(norm.norm, nn.RMSNorm)
        assert norm.norm.eps is not None
        title, formula = tr("Norm by hand"), RMS_NORM
        gain = norm.norm.weight.detach().cpu().numpy()
        numbers = rms_norm_written_out(x, gain, norm.norm.eps, out)
    st.markdown(f"**{title}** $\\quad {formula}$")
    with st.container(key="by_hand"):
        st.code(f"{in_quotes(label)}:\n{numbers}", language=None, wrap_lines=True)
    live_plot(norm_picture(x, out, label))


def show_feed_forward(
    step: FeedForwardStep,
    stop: Stop,
    token: int,
    labels: tuple[str, ...],
    dropout: bool,
) -> None:
    """Show the hidden layer, its zeros, and a check that all positions are treated alike."""
    title = tr("Inside the feed-forward")
    st.markdown(f"**{title}** $\\quad h = {step.formula}$")
    live_plot(hidden_picture(step, labels, token))
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
    if stop.name == "logits":
        caption = tr("The largest logits at position {position}.", position=token)
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


def show_four_numbers() -> None:
    """Embed one word with d_model = 4, using the model's own embedding layer."""
    grid, place = st.columns([2, 1])
    with grid:
        values = number_grid(Stack.man, tr("“man”, d_model = 4"), _MAN, names=[tr("man")])
    with place:
        position = number(Stack.man_at, tr("Its position in the sentence"))
    embedding = Embedding(1, ModelConfig(d_model=4, n_heads=1))
    embedding.token.weight = nn.Parameter(torch.from_numpy(values))
    with torch.inference_mode():
        trace = embedding(torch.zeros(1, position + 1, dtype=torch.long))
    columns = [
        (tr("embedding"), trace.embedded[0, -1]),
        ("× √4", trace.scaled[0, -1]),
        (tr("position"), trace.position[-1]),
        ("x", trace.out[0, -1]),
    ]
    live_plot(four_numbers_picture([(title, x.numpy()) for title, x in columns]))
