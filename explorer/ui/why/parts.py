"""Which part wrote it, and why does a head look there? The panels."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.attention import Attention
from explorer.analysis.causes.asked import Asked
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.choices.parameters import Look
from explorer.choices.settings import Settings
from explorer.drawing.labels import disambiguated
from explorer.figures.describe import share_in_words
from explorer.languages import sentences, tr
from explorer.names import AttentionKind
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import choose_attention, choose_head
from explorer.ui.controls.widgets import select_word
from explorer.ui.frame.page import check_badge
from explorer.ui.frame.stage import drawer
from explorer.ui.why.choices import chosen_head
from explorer.ui.why.saying import show_answer
from explorer.views.looks import rows_in_words
from explorer.views.picture import Call
from explorer.views.steps.pictures import telling_query
from explorer.views.why import parts


def show_parts(
    settings: Settings, causes: Causes, what: DeltaGenerator, said: DeltaGenerator
) -> None:
    """Show the logit as a sum: by layer, and by head."""
    asked, found = Asked.of(causes.question), causes.parts()
    with what:
        left, right = st.columns([1, 2], gap=None)
    with left:
        live_plot(parts.waterfall_picture(asked, found))
    with right:
        at = chosen_head(settings, {part.kind for part in found.parts})
        live_plot(parts.heads_picture(asked, found, at), opens="attention")
    with said:
        show_answer(*parts.answer(asked, found))
        check_badge(*parts.check(found))


def show_score(settings: Settings, ran: Run, at: int) -> None:
    """Show the score behind a weight as a sum; its query is the row `at`, but for an encoder's."""
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings)
        head = choose_head(settings, kind, layer)
        attention = ran.attention(kind, layer)
        query = at
        if kind == "encoder" and settings.config.has_decoder:
            usual = telling_query(attention.query_labels)
            query = select_word(Look.query, tr("Query"), attention.query_labels, usual, width=240)
        usual = int(attention.weights[head, query].argmax())
        key = select_word(Look.key, tr("Key"), attention.key_labels, usual, width=240)
    show_parts_of_score(ran, attention, head, (query, key))


def offer_score(
    settings: Settings, ran: Run, attention: Attention, head: int, cell: tuple[int, int] | None
) -> None:
    """The parts of a score below a picture, in a drawer; without a `cell`, of a telling one."""
    label = tr("Why does this head look there?")
    drawer(label, "why_there", _show_score, settings, ran, attention, head, cell, is_large=True)


def _show_score(
    settings: Settings, ran: Run, attention: Attention, head: int, cell: tuple[int, int] | None
) -> None:
    if settings.dropout_seed is not None:
        st.caption(tr("Scores are split without dropout: switch it off in the model's settings."))
        return
    if cell is None:
        query = telling_query(attention.query_labels)
        cell = query, int(attention.weights[head, query].argmax())
    show_parts_of_score(ran, attention, head, cell)


def show_parts_of_score(ran: Run, attention: Attention, head: int, cell: tuple[int, int]) -> None:
    """Show one score as a matrix of parts; `cell` is a query and a key, by their positions."""
    kind: AttentionKind = attention.kind
    query, key = cell
    found = parts_of_score(sentence_of(ran), kind, attention.layer, head, query, key)
    looked = disambiguated(attention.key_labels)[key]
    reason = parts.score_reason(found, looked)
    seen = attention.may_attend[query, key]
    hidden = "" if seen else tr("The mask hides it, so its weight is 0, whatever its score.")
    show_answer(
        tr(
            "“{query}” looks at “{key}” with weight {weight}.",
            query=disambiguated(rows_in_words(attention), most=28)[query],
            key=looked,
            weight=share_in_words(float(attention.weights[head, query, key])),
        ),
        sentences(hidden, reason, parts.score_answer(found)),
    )
    place = {"kind": kind, "layer": attention.layer, "head": head, "query": query, "key": key}
    code = Call(method="why_score", arguments=place)
    live_plot(parts.score_picture(found, code))
