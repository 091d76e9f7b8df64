"""What happens to a word on its way? The whole stack, operation by operation."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer import layers
from explorer.analysis.logit_lens import logit_lens
from explorer.analysis.stops import Stop, likeness, residual_stream, stops
from explorer.answers.alike import has_learnt_words
from explorer.attention import MultiHeadAttention
from explorer.choices.parameters import Stack
from explorer.choices.settings import Settings
from explorer.drawing.labels import disambiguated
from explorer.languages import mark, tr
from explorer.runtime.engine import Run
from explorer.transformer import MaskedHead, Transformer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.buttons import page_button
from explorer.ui.controls.widgets import select_word
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import (
    heading,
    say_what_is_missing,
    show_code,
    weights_badge,
)
from explorer.ui.frame.running import run
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.stack.panels import (
    choose_stop,
    show_feed_forward,
    show_four_numbers,
    show_nearest_words,
    show_next_words,
    show_norm,
    show_row,
    show_stop,
    show_stream,
    shows,
    stop_on_show,
    word_on_show,
)
from explorer.views.looks import usual_word
from explorer.views.stack import labels_at, lens_picture
from explorer.weights.catalogue import Pretrained

NOTES = {
    "add & norm": mark(
        "If dropout is on, it acts on the sub-layer's output before the sum, as in the paper. "
        "After the norm, where some tutorials put it, it would also drop what the layers below "
        "have found."
    ),
    "self-attention": mark("q, k and v all come from x, the words of the source."),
    "masked self-attention": mark(
        "q, k and v all come from x, the target so far; the future is hidden."
    ),
    "cross-attention": mark(
        "q comes from x, the decoder; k and v come from memory, the encoder's last output. "
        "(Some tutorials swap these.)"
    ),
}
CODE: Mapping[str, Callable[..., Any]] = {
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
    "output head": MaskedHead.forward,
    "logits": Transformer.logits,
}


def say_about_dropout(settings: Settings, stop: Stop) -> None:
    """Which of the numbers dropout has set to zero."""
    if settings.dropout_seed is None:
        return
    if (stop.values == 0).any():
        text = tr(
            "Why are some of these values zero? Dropout is on: each number was kept with "
            "probability {kept:.0%} and scaled up by 1/{kept:.1f}. Another seed drops others; "
            "{none:.1f} in the model's settings switches it off.",
            kept=1 - settings.config.dropout,
            none=0.0,
        )
    else:
        text = tr("Dropout is on: its zeros show only right after it, such as at “+ position”.")
    st.caption(text)


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What happens to a word on its way?"),
        tr(
            "Follow the sentence through the model: the input, what each layer makes of it, and "
            "the output."
        ),
    )
    say_what_is_missing(settings)
    ran = run(settings)
    all_stops = stops(ran.loaded.model, ran.trace)
    lens = lens_picture(ran, word_on_show(ran.tgt_labels)) if settings.config.has_decoder else None
    if lens is None:
        show_one(settings, all_stops, ran)
    else:
        with stage("what")[0]:
            live_plot(lens)
        label, by_itself = tr("One operation"), shows("stop")
        drawer(
            label, "stop", show_one, settings, all_stops, ran, by_itself=by_itself, is_large=True
        )
    label = tr("Residual stream")
    drawer(label, "stream", show_stream, all_stops, ran, by_itself=shows("stream"), is_large=True)
    drawer(tr("A word as four numbers: d_model = 4"), "four", show_four_numbers, is_large=True)
    weights_badge(settings)
    show_code(logit_lens, *code_of(all_stops[stop_on_show(all_stops)]))
    ask_me(settings, "stack")


def code_of(stop: Stop) -> tuple[Callable[..., Any], ...]:
    """The code of one operation, and of the residual stream."""
    code = CODE.get(stop.name, stops)
    if stop.name == "norm" and stop.part != "output":
        code = layers.Embedding.forward
    return code, residual_stream, likeness


def show_one(settings: Settings, all_stops: list[Stop], ran: Run) -> None:
    """One stop: what comes out of one operation, for every word."""
    with st.container(horizontal=True, vertical_alignment="center", key="words"):
        at = choose_stop(all_stops)
        stop, labels = all_stops[at], labels_at(all_stops[at], ran)
        token = select_word(Stack.word, tr("Word"), labels, usual_word(labels))
    st.markdown(f"**{stop.title[:1].upper()}{stop.title[1:]}** $\\quad {stop.formula}$")
    if stop.feed_forward is not None:
        show_feed_forward(stop.feed_forward, stop, token, labels, settings.dropout_seed is not None)
    show_stop(all_stops, at, token, ran)
    if stop.name in NOTES:
        st.markdown(tr(NOTES[stop.name]))
    if stop.name.endswith("attention"):
        kind = "cross" if stop.name.startswith("cross") else stop.part.split()[0]
        place = {"attention": kind, "layer": int(stop.part.split()[1]), "case": "model"}
        label, icon = tr("This attention, step by step"), ":material/calculate:"
        page_button(label, "steps", choices=place, icon=icon)
    if stop.name == "embedding":
        show_row(stop, token, labels[token], ran)
        if has_learnt_words(settings):
            show_nearest_words(ran, stop, token, labels)
    if stop.norm is not None:
        show_norm(stop.norm, token, disambiguated(labels)[token])
    if stop.name in ("logits", "probabilities"):
        show_next_words(stop, token, ran)
    if not isinstance(settings.request.source, Pretrained):
        say_about_dropout(settings, stop)


show(show_page)
