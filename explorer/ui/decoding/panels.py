"""Below the pictures of the decoding page: how sure the answer is, and the greedy one."""

import math
from functools import partial

import streamlit as st

from explorer.choices.settings import Settings
from explorer.figures.arithmetic import signed_number
from explorer.languages import sentences, tr, tr_n
from explorer.ui.controls.batch import load_example
from explorer.ui.controls.buttons import button
from explorer.ui.frame.page import check_badge, weights_badge
from explorer.views.decoding import Writing, manner_in_words


def show_sureness(settings: Settings, writing: Writing) -> None:
    """Say how likely the whole answer is; and the answer, where the line has no room for it."""
    answer = writing.answer
    with st.container(horizontal=True, vertical_alignment="center", key="checks"):
        st.text(_likely(answer.log_probability))
        weights_badge(settings)
        if not answer.ended:
            n = len(answer.words)
            said = tr_n("stopped: no EOS within {n} word", "stopped: no EOS within {n} words", n)
            check_badge(False, said)
    if not settings.answered or writing.options.instead:
        st.text(tr("The whole answer: {words}", words=_spelt(settings, writing)))
    if said := manner_in_words(writing.batch.specials, writing.options):
        st.text(said)


def say_greedy(settings: Settings, greedy: Writing, writing: Writing) -> None:
    """Compare an answer with the greedy one, word by word and by their log-probabilities."""
    if greedy.labels == writing.labels:
        st.text(tr("Greedy decoding writes the same answer."))
        if writing.options.method == "beam":
            name = "What greedy decoding misses"
            icon = ":material/arrow_forward:"
            button(
                tr("A sentence on which they differ"),
                icon=icon,
                on_click=partial(load_example, name),
            )
        return
    writes = tr("Greedy decoding writes: {words}", words=_spelt(settings, greedy))
    st.text(sentences(writes, _likely(greedy.answer.log_probability)))


def _likely(total: float) -> str:
    """How likely a whole answer is, from the logarithm of that."""
    logarithm = signed_number(total, 2)
    if total <= -30:
        return tr("The whole answer has the log-probability {logarithm}.", logarithm=logarithm)
    return tr(
        "The whole answer has the probability {probability:.2g}, the product of those of its "
        "pieces (log-probability {logarithm}).",
        logarithm=logarithm,
        probability=math.exp(total),
    )


def _spelt(settings: Settings, writing: Writing) -> str:
    """The answer without EOS, as it is spelt."""
    pieces = writing.labels[:-1] if writing.answer.ended else writing.labels
    return settings.tokenizer.join(pieces) or tr("(nothing)")
