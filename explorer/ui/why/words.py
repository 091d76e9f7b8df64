"""Which words mattered? The panel."""

from typing import Final

import streamlit as st

from explorer.analysis.attention import word_positions
from explorer.analysis.causes.asked import Asked
from explorer.choices.parameters import Look
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.runtime.causes import Causes
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.attention import kind_on_show
from explorer.ui.controls.choices import chosen
from explorer.ui.running import progress
from explorer.ui.stage import drawer
from explorer.ui.why.saying import show_answer
from explorer.views.looks import telling_head, telling_layer
from explorer.views.why import words

BESIDE: Final = 8  # pieces, up to which two pictures are whole side by side on a laptop


def show_words(settings: Settings, causes: Causes) -> None:
    """Show occlusion first, then the other methods and how well they do."""
    asked = Asked.of(causes.question)
    report = progress(tr("Each piece is hidden …"), after=0.3)
    occlusion = causes.attributed("occlusion", report)
    show_answer(*words.answer(asked, occlusion))
    kind, layer, head = _head_on_show(settings)
    attention = causes.run.attention(kind, layer)
    names = words.names_of(attention, head)
    live_plot(words.occlusion_picture(asked, occlusion, names))
    st.text(words.look_and_effect(asked, occlusion, attention, head))
    report = progress(tr("Each method is asked …"), after=0.3)
    compared = words.compared(causes, asked, attention, head, report)
    beside = len(word_positions((*asked.source, *asked.prefix))) <= BESIDE
    left, right = st.columns([11, 8]) if beside else (st.container(), st.container())
    with left:
        live_plot(words.methods_picture(asked, compared))
    with right:
        live_plot(words.deletion_picture(asked, compared.curves))
    st.text(words.best_and_worst(asked, compared.curves))
    drawer(tr("What each method measures"), "methods_folded", _show_methods)


def _head_on_show(settings: Settings) -> tuple[AttentionKind, int, int]:
    """The head chosen on other pages, if its rows are those in question; else a telling one."""
    config, known = settings.config, settings.known_heads
    kind: AttentionKind = "cross" if config.has_encoder else "decoder"
    if not config.has_decoder:
        kind = "encoder"
    layer, head, trained = None, None, settings.learnt is not None
    wanted = kind_on_show(settings)
    rows_fit = wanted != "encoder" or not config.has_decoder
    if wanted in config.attention_kinds and rows_fit:
        kind, layer, head = wanted, chosen(Look.layer), chosen(Look.head)
    at = telling_layer(config, kind, known, trained=trained) if layer is None else layer - 1
    at = min(at, config.layers_of(kind) - 1)
    number = telling_head(known, kind, at) if head is None else head - 1
    return kind, at, min(number, config.n_heads - 1)


def _show_methods() -> None:
    table(
        [tr("method"), tr("what it measures"), tr("what it does not say")],
        [[tr(name), *map(tr, words.MEASURES[method])] for method, name in words.METHODS.items()],
        key="why-method-meanings",
        caption=tr("No two methods measure the same."),
    )
