"""How does a Transformer work? The whole model as a map, for the sentences above."""

import re

import streamlit as st

from explorer.answers.written import telling_head
from explorer.choices.settings import Settings
from explorer.languages import between, sentences, tr
from explorer.names import ATTENTION_KINDS
from explorer.runtime.memory import estimate
from explorer.text import Batch
from explorer.ui.components.explanations import explained
from explorer.ui.components.model_map import model_map
from explorer.ui.components.player import play_at_once
from explorer.ui.controls.buttons import button, page_button
from explorer.ui.controls.parts import other_parts
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, weights_badge
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.running import run
from explorer.ui.frame.stage import drawer
from explorer.ui.home.answer import show_answer
from explorer.views.about import vocabularies_in_words
from explorer.weights.catalogue import Pretrained


def open_block(target: str) -> None:
    """Open the page of a clicked block."""
    if re.fullmatch(r"stack \d{1,3}", target, re.ASCII):  # one page for all other blocks
        open_page("stack", stack_shows="stop", stop=int(target.removeprefix("stack ")))
    elif target in ATTENTION_KINDS:  # one page for the three attentions
        open_page("attention", attention=target)
    else:
        open_page(target)


def _what_it_does(settings: Settings) -> str:
    if settings.learnt is None or (settings.config.has_decoder and not settings.answered):
        return tr("Type a text above.")
    if isinstance(settings.request.source, Pretrained):
        return tr("Type a text above.")
    if settings.learnt.task is None:
        return tr("Type an English sentence above: the model translates it into German.")
    return tr("Type a source above: the model answers it ({task}).", task=settings.learnt.title)


def _which_model(settings: Settings) -> str:
    config = settings.config
    if not (config.has_encoder and config.has_decoder):
        return tr("Every number is computed live by a real Transformer.")
    if others := other_parts(config):
        return tr(
            "Every number is computed live by the encoder–decoder Transformer of “Attention Is "
            "All You Need” (here with {parts}).",
            parts=between(", ").join(others),
        )
    return tr(
        "Every number is computed live by the encoder–decoder Transformer of “Attention Is All "
        "You Need”."
    )


def _watch_it_choose() -> None:
    open_page("decoding", at=1)
    play_at_once()


def show_entrances(settings: Settings) -> None:
    """The three ways on from here."""
    with st.container(horizontal=True, key="doors"):
        if settings.config.has_decoder:
            watch = tr("Watch it choose every word")
            button(watch, icon=":material/edit_note:", on_click=_watch_it_choose)
        page_button(tr("Watch it learn"), "training", icon=":material/model_training:")
        page_button(tr("Take the tour"), "tour", icon=":material/explore:", type="primary")


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(tr("How does a Transformer work?"), _what_it_does(settings))
    ran = run(settings)
    batch = ran.batch
    show_answer(settings, ran)
    show_entrances(settings)
    st.subheader(tr("Inside: what every part makes of this sentence"), anchor=False)
    st.markdown(explained(_which_model(settings)))
    layer, _ = telling_head(settings, "cross")
    model_map(
        ran.loaded.model,
        ran.trace,
        len(batch.src),
        {"src": ran.src_labels, "tgt": ran.tgt_labels},
        layers={"src": 0, "tgt": max(0, layer) if settings.learnt else 0},
        on_open=open_block,
    )
    drawer(tr("Shapes, memory and quality"), "shapes", _show_shapes, settings, batch)


def _show_shapes(settings: Settings, batch: Batch) -> None:
    config = settings.config
    size = estimate(config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    about = tr(
        "Shapes are (sentences, tokens, d_model); for attention weights (sentences, heads, "
        "queries, keys). This model has **{parameters:,} parameters** and takes {model:,.1f} MB; "
        "the trace of one pair takes {trace:,.1f} MB.",
        parameters=size.model // 4,
        model=size.model / 2**20,
        trace=size.trace / 2**20,
    )
    st.markdown(sentences(about, vocabularies_in_words(config)))
    weights_badge(settings)


show(show_page)
