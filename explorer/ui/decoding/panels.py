"""The parts of the decoding page around its pictures: a verdict, and the greedy answer."""

import math

import streamlit as st

from explorer.choices.settings import Settings
from explorer.figures.arithmetic import signed_number
from explorer.languages import tr, tr_n
from explorer.text import Answer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.answers import verdict_in_words, verdict_on
from explorer.ui.controls.attention import choose_head
from explorer.ui.page import check_badge, weights_badge
from explorer.views.decoding import Writing, alignment_picture, manner_in_words


def show_verdict(settings: Settings, writing: Writing) -> None:
    """Show the answer and how it compares with the right one."""
    answer, pieces = writing.answer, writing.labels
    found = Answer.of(
        [word.chosen for word in answer.words],
        writing.batch.specials,
        [float(word.probabilities[word.chosen]) for word in answer.words],
    )
    verdict = verdict_on(settings, writing.batch, writing.row, found)
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        if not answer.ended:
            text = tr_n(
                "stopped: no EOS within {n} word", "stopped: no EOS within {n} words", len(pieces)
            )
            check_badge(False, text)
        elif verdict is not None and verdict.kind in ("right", "wrong"):
            right = verdict.kind == "right"
            check_badge(right, tr("right") if right else tr("not the right answer"))
        elif verdict is not None:
            outside = verdict.kind == "outside"
            said_of = tr("outside of what it learnt") if outside else tr("doubtful")
            st.badge(said_of, icon=":material/help:", color="gray")
    words = settings.tokenizer.join(pieces[:-1] if answer.ended else pieces)
    total = answer.log_probability
    whole = tr("The whole answer: {words}", words=words or tr("(nothing)"))
    logarithm = signed_number(total, 2)
    if total > -30:
        sure = tr(
            "Its log-probability: {logarithm}, a probability of {probability:.2g} (the product of "
            "all its pieces' probabilities).",
            logarithm=logarithm,
            probability=math.exp(total),
        )
    else:
        sure = tr("Its log-probability: {logarithm}.", logarithm=logarithm)
    st.text(f"{whole}\n{sure}")
    if verdict is not None and verdict.kind != "right":
        st.text(verdict_in_words(verdict))
    if said := manner_in_words(writing.batch.specials, writing.options):
        st.text(said)


def say_greedy(settings: Settings, greedy: Writing, writing: Writing) -> None:
    """Compare an answer with the greedy one, word by word and by their log-probabilities."""
    pieces = greedy.labels
    if pieces == writing.labels:
        st.text(tr("Greedy decoding writes the same answer."))
        return
    words = settings.tokenizer.join(pieces[:-1] if greedy.answer.ended else pieces)
    writes = tr("Greedy decoding writes: {words}", words=words or tr("(nothing)"))
    logarithm = signed_number(greedy.answer.log_probability, 2)
    sure = tr("Its log-probability: {logarithm}.", logarithm=logarithm)
    st.text(f"{writes}\n{sure}")


def show_alignment(settings: Settings, writing: Writing, layer: int) -> None:
    """Draw which source words each word of the answer has looked at so far."""
    with st.container(horizontal=True, vertical_alignment="center", key="alignment_choices"):
        st.subheader(tr("The whole answer and its source"), anchor=False, width="content")
        head = choose_head(settings, "cross", layer, width=125)
    live_plot(alignment_picture(writing, layer, head))
