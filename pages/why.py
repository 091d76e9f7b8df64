"""Why this word? Causes, one question at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.analysis.causes.attribution import attribute, occlusion
from explorer.analysis.causes.heads_off import without_heads
from explorer.analysis.causes.logit_parts import parts_of_logit
from explorer.analysis.causes.patching import patch, restored_by_heads
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.frame import show
from explorer.ui.page import heading, show_code, weights_badge
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.running import on_page, run, what_to_type
from explorer.ui.why.choices import (
    TRY,
    choose_question,
    choose_rival,
    choose_word,
    places_of,
    without_dropout,
)
from explorer.ui.why.difference import best_of_b, choose_other, show_difference, telling_word
from explorer.ui.why.heads import show_heads
from explorer.ui.why.parts import show_parts, show_score
from explorer.ui.why.words import show_words

SHOWS: Final = {
    "words": (show_words, (occlusion, attribute)),
    "parts": (show_parts, (parts_of_logit,)),
    "heads": (show_heads, (without_heads,)),
}
DIFFERENCE: Final = (patch, restored_by_heads)


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("Why this word?"),
        tr(
            "Attention shows where the model looks. Here parts are taken away or put in place of "
            "others, to see whether they mattered."
        ),
    )
    settings = without_dropout(settings)
    with st.container(horizontal=True, vertical_alignment="center", key="asks"):
        asks = choose_question()
    if settings.config.has_encoder and not settings.sources[settings.row].strip():
        st.info(what_to_type(settings.batch(), settings.row), icon=":material/keyboard:")
        return  # the pieces that frame a sentence do not count
    ran, both = run(settings), None
    if asks == "score":
        show_score(settings, ran)
        code: tuple[Callable[..., Any], ...] = (parts_of_score,)
    elif not places_of(settings, ran):
        st.info(tr("The target holds no word to ask about: type one."), icon=":material/keyboard:")
        return
    else:
        if asks == "difference":
            both = choose_other(settings, ran)
            ran = ran if both is None else both.a
        with st.container(horizontal=True, vertical_alignment="center", key="why_choices"):
            telling = None if both is None else partial(telling_word, both)
            usual = None if both is None else partial(best_of_b, b=both.b)
            at = choose_word(settings, ran, telling)
            if asks == "difference" and both is None:
                return
            causes = choose_rival(settings, ran, at, usual)
        if isinstance(causes, str):
            st.info(causes, icon=":material/info:")
            return
        draw, code = SHOWS[asks] if both is None else (partial(show_difference, both), DIFFERENCE)
        with on_page():
            draw(settings, causes)
    if asks != "words" or settings.config.n_logits:  # else there are no rivals
        st.caption(tr(TRY[asks]))
    weights_badge(settings)
    show_code(tr("The code that ran"), *code)
    ask_me(settings, "why")


show(show_page)
