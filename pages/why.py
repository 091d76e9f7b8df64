"""Why did it write this word? Causes, one question at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.analysis.causes.attribution import attribute, occlusion
from explorer.analysis.causes.heads_off import without_heads
from explorer.analysis.causes.logit_parts import parts_of_logit
from explorer.analysis.causes.patching import patch, restored_by_heads
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.languages import tr
from explorer.ui.frame import show
from explorer.ui.page import heading, predict_first, show_code, weights_badge
from explorer.ui.running import on_page, run
from explorer.ui.settings import Settings
from explorer.ui.why.choices import TRY, choose_question, choose_rival, choose_word, without_dropout
from explorer.ui.why.difference import show_difference, telling_word
from explorer.ui.why.heads import show_heads
from explorer.ui.why.parts import show_parts, show_score
from explorer.ui.why.words import show_words

SHOWS: Final = {
    "words": (show_words, (occlusion, attribute)),
    "parts": (show_parts, (parts_of_logit,)),
    "difference": (show_difference, (patch, restored_by_heads)),
    "heads": (show_heads, (without_heads,)),
}


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("Why did it write this word?"),
        tr(
            "Attention shows where the model looks. Here parts are taken away or put in place of "
            "others, to see whether they mattered."
        ),
    )
    settings = without_dropout(settings)
    with st.container(horizontal=True, vertical_alignment="center", key="asks"):
        asks = choose_question()
    ran = run(settings)
    with st.container(horizontal=True, vertical_alignment="center", key="why_choices"):
        by_difference = asks == "difference" and settings.config.n_logits
        telling = partial(telling_word, settings, ran) if by_difference else None
        at = choose_word(settings, ran, telling)
        causes = None if asks == "score" else choose_rival(settings, ran, at)
    if isinstance(causes, str):
        st.info(causes, icon=":material/info:")
        return
    if causes is None:
        show_score(settings, ran, at)
        code: tuple[Callable[..., Any], ...] = (parts_of_score,)
    else:
        draw, code = SHOWS[asks]
        with on_page():
            draw(settings, causes)
    st.caption(tr(TRY[asks]))
    weights_badge(settings)
    show_code(tr("The code that ran"), *code)
    predict_first("why")


show(show_page)
