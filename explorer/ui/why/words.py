"""Which words mattered? The panels: what is lost without each, and what other methods say."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.causes.asked import Asked
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.runtime.causes import Causes
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.attention import kind_on_show, look_on_show
from explorer.ui.frame.running import progress
from explorer.ui.why.saying import show_answer
from explorer.views.looks import telling_head, telling_layer
from explorer.views.why import words


def show_words(
    settings: Settings,
    causes: Causes,
    answered: DeltaGenerator,
    what: DeltaGenerator,
    said: DeltaGenerator,
) -> None:
    """Show what is lost without each piece, and whether that is where a head looks."""
    asked = Asked.of(causes.question)
    report = progress(tr("Each piece is hidden …"), after=0.3)
    found = causes.attributed("occlusion", report)
    kind, layer, head = _head_on_show(settings)
    with what:
        live_plot(words.occlusion_picture(asked, found))
    with answered:
        show_answer(*words.answer(asked, found))
    with said:
        st.text(words.look_and_effect(asked, found, causes.run.attention(kind, layer), head))


def show_methods(settings: Settings, causes: Causes) -> None:
    """Show what other methods say of the same, and how well they do."""
    asked = Asked.of(causes.question)
    kind, layer, head = _head_on_show(settings)
    attention = causes.run.attention(kind, layer)
    report = progress(tr("Each method is asked …"), after=0.3)
    compared = words.compared(causes, asked, attention, head, report)
    live_plot(words.methods_picture(asked, compared))
    live_plot(words.deletion_picture(asked, compared.curves))
    st.text(words.best_and_worst(asked, compared.curves))
    table(
        [tr("method"), tr("what it measures"), tr("what it does not say")],
        [[tr(name), *map(tr, words.MEASURES[method])] for method, name in words.METHODS.items()],
        key="why-method-meanings",
        caption=tr("No two methods measure the same."),
    )


def _head_on_show(settings: Settings) -> tuple[AttentionKind, int, int]:
    """The head chosen on other pages, if its rows are those in question; else a telling one."""
    config, known = settings.config, settings.known_heads
    if kind_on_show(settings) != "encoder" or not config.has_decoder:
        return look_on_show(settings)
    layer = telling_layer(config, "cross", known, trained=settings.learnt is not None)
    return "cross", layer, telling_head(known, "cross", layer)
