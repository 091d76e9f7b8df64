"""What changes if …? Two runs side by side: A as it is, B with one thing changed."""

import streamlit as st

from explorer.analysis.side_by_side import total_variation, weights_apart
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.markdown import literal
from explorer.ui.controls.buttons import page_button
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code, weights_badge
from explorer.ui.frame.running import on_page, require_words
from explorer.ui.frame.stage import drawer
from explorer.ui.lab.choices import choose
from explorer.ui.lab.panels import (
    say_how_far_apart,
    say_mistake,
    show_all_effects,
    show_answers,
    show_pictures,
)
from explorer.ui.lab.sides import both


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What changes if …?"),
        tr(
            "A is the model and the sentence above, B differs from it in one thing: see what that "
            "does to one head, to the predictions and to the answer."
        ),
    )
    require_words(settings.batch(), settings.row)
    chosen = choose(settings)
    if chosen.differs == "sentence" and not chosen.sentence.strip():
        st.info(tr("Type a sentence for B."), icon=":material/keyboard:")
        return
    with on_page():
        pair = both(settings, chosen)
    if pair.notes:
        st.caption(literal(" ".join(pair.notes)))
    show_pictures(pair, chosen)
    show_answers(pair)
    if chosen.mistake is not None:
        say_mistake(chosen.mistake)
    say_how_far_apart(pair)
    with st.container(horizontal=True, key="ways"):
        label, icon = tr("One change to one attention, step by step"), ":material/calculate:"
        page_button(label, "steps", choices={"case": "model"}, icon=icon)
        asks = {"ask": "difference", "why_other": chosen.sentence or None}
        label, icon = tr("What carries the difference?"), ":material/help_center:"
        page_button(label, "why", choices=asks, icon=icon)
    weights_badge(settings)
    if chosen.mistake is not None:
        drawer(tr("All mistakes, measured"), "effects", show_all_effects, is_large=True)
    made = () if chosen.mistake is None else (chosen.mistake.code,)
    show_code(*made, weights_apart, total_variation)


show(show_page)
