"""Why this word? What mattered for it, and what wrote it."""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.analysis.causes.attribution import attribute, occlusion
from explorer.analysis.causes.heads_off import without_heads
from explorer.analysis.causes.logit_parts import parts_of_logit
from explorer.analysis.causes.patching import patch, restored_by_heads
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.choices.parameters import Why
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.runtime.causes import Causes
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import segments
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code, weights_badge
from explorer.ui.frame.running import on_page, run, what_to_type
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.why.choices import choose_rival, choose_word, places_of, without_dropout
from explorer.ui.why.difference import show_difference
from explorer.ui.why.heads import show_heads
from explorer.ui.why.parts import show_parts, show_score
from explorer.ui.why.words import show_methods, show_words

ASKS: Final = {
    "words": mark("What other methods say"),
    "difference": mark("What carries a difference?"),
    "heads": mark("Which heads are needed?"),
    "score": mark("Why look there?"),
}
CODE: Final[dict[str, tuple[Callable[..., Any], ...]]] = {
    "words": (attribute,),
    "difference": (patch, restored_by_heads),
    "heads": (without_heads,),
    "score": (parts_of_score,),
}


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("Why this word?"),
        tr(
            "Attention shows where the model looks; here parts are taken away, to see what "
            "mattered for the marked word. Click another one."
        ),
    )
    settings = without_dropout(settings)
    if settings.config.has_encoder and not settings.sources[settings.row].strip():
        st.info(what_to_type(settings.batch(), settings.row), icon=":material/keyboard:")
        return  # the pieces that frame a sentence do not count
    ran = run(settings)
    if not places_of(settings, ran):
        st.info(tr("The target holds no word to ask about: type one."), icon=":material/keyboard:")
        return
    at = choose_word(settings, ran)
    answer, what, said = stage("answer", "what", "words")
    with said:
        causes = choose_rival(settings, ran, at)
    if isinstance(causes, str):
        st.info(causes, icon=":material/info:")
        return
    with on_page():
        show_words(settings, causes, answer, what, said)
        show_parts(settings, causes, what, said)
    with said:
        weights_badge(settings)
    ask = value(Why.ask) or ""
    code = CODE.get(ask, CODE["words"])
    label, by_itself = tr("For researchers"), ask in ASKS
    if not drawer(
        label, "researchers", show_more, settings, causes, by_itself=by_itself, is_large=True
    ):
        code = ()
    show_code(occlusion, parts_of_logit, *code)
    ask_me(settings, "why")


def show_more(settings: Settings, causes: Causes) -> None:
    """What goes deeper, one question at a time."""
    ask = segments(Why.ask, tr("Question"), [*ASKS], names=ASKS)
    with on_page():
        if ask == "words":
            show_methods(settings, causes)
        elif ask == "difference":
            show_difference(settings, causes)
        elif ask == "heads":
            show_heads(settings, causes)
        else:
            show_score(settings, causes.run, causes.question.position)


show(show_page)
