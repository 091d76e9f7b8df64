"""The answer on show, as it is written piece by piece."""

import streamlit as st

from explorer.analysis.lines import Lines, lines
from explorer.analysis.writing import Writing, writing
from explorer.answers.outside import is_foreign
from explorer.answers.written import answer_of, kind_of_looks, telling_head
from explorer.choices.examples import WORLDS
from explorer.choices.parameters import text_key
from explorer.choices.settings import Settings
from explorer.languages import sentences, tr
from explorer.markdown import literal
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.ui.components.writing_stage import writing_stage
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose_by_key
from explorer.ui.frame.registry import open_page
from explorer.ui.taking.noted import note
from explorer.views.home import answer_picture
from explorer.weights.catalogue import TRANSLATOR
from explorer.weights.pieces import BYTE


def show_answer(settings: Settings, ran: Run) -> None:
    """Draw how the answer comes about, if there is one."""
    if is_foreign(settings, settings.row):
        st.info(
            tr("The translator reads English alone, and this does not look like it."),
            icon=":material/translate:",
        )
        button(
            tr("Show an English sentence"),
            icon=":material/arrow_forward:",
            on_click=choose_by_key,
            args=(text_key("src", settings.row), WORLDS[TRANSLATOR][0][0]),
        )
        return
    encoder_alone = not settings.config.has_decoder
    found = _reading(settings, ran) if encoder_alone else answer_of(settings, ran)
    if found is None or not found.steps:
        return
    stacks = _stacks(ran, max(step.row for step in found.steps) + 1)
    note(lambda: answer_picture(found, stacks))
    writing_stage(
        found,
        stacks,
        [ran.batch.tgt_names([id_ for id_, _ in step.rivals]) for step in found.steps],
        head_in_words=_head_in_words(settings),
        by_model=settings.answered,
        aligns=telling_head(settings, kind_of_looks(settings))[1] is not None,
        on_asked=lambda at: open_page("why", why_at=at),
    )
    notes = []
    if len(stacks) == 2:
        notes.append(tr("The decoder looks across in each of its layers; one look is drawn."))
    byte = next((piece for piece in ran.src_labels if piece.startswith(BYTE)), None)
    if byte is not None:
        notes.append(
            tr(
                "{byte} is a byte: a character without a piece of its own is read as bytes.",
                byte=literal(byte),
            )
        )
    if settings.learnt is None:
        notes.append(tr("Untrained weights: the mechanics are real, the pattern means nothing."))
    else:
        notes.append(tr("A look is no cause: what comes out depends on all heads and layers."))
    st.caption(sentences(*notes))


def _stacks(ran: Run, n_rows: int) -> dict[AttentionKind, Lines]:
    """The lines of each stack; of the decoder, those of the rows that write the answer."""
    config = ran.request.config
    found: dict[AttentionKind, Lines] = {}
    if config.has_encoder:
        found["encoder"] = lines(ran.trace, "encoder", ran.src_labels)
    if config.has_decoder:
        found["decoder"] = lines(ran.trace, "decoder", ran.tgt_labels, n_rows)
    return found


def _head_in_words(settings: Settings) -> str:
    """The attention that the lines show, in words."""
    layer, head = telling_head(settings, kind_of_looks(settings))
    if head is None:
        return tr("layer {layer}, all heads averaged", layer=layer + 1)
    return tr(
        "layer {layer}, head {head}, the one of {heads} that aligns best",
        layer=layer + 1,
        head=head + 1,
        heads=settings.config.n_heads * settings.config.n_decoder_layers,
    )


def _reading(settings: Settings, ran: Run) -> Writing:
    """The attention of an encoder alone at each word, and the words that it would expect there."""
    attention = ran.attention("encoder", settings.config.n_encoder_layers - 1)
    words = [query for query, is_word in enumerate(attention.query_is_word) if is_word]
    has_logits = settings.config.n_logits > 0
    logits = ran.trace.logits[0] if has_logits else ran.trace.memory[0, :, :0]
    return writing(attention, logits, dict.fromkeys(words), None)
