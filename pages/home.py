"""How does a Transformer work? The whole model as a map, for the sentences above."""

import streamlit as st

from explorer.names import ATTENTION_KINDS
from explorer.runtime.memory import estimate
from explorer.ui.components.model_map import model_map
from explorer.ui.controls.choices import choose
from explorer.ui.frame import show
from explorer.ui.page import heading, weights_badge
from explorer.ui.parameters import STOP
from explorer.ui.registry import open_page
from explorer.ui.running import run
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained


def open_block(target: str) -> None:
    """Remember the clicked block; its page opens once the map is drawn."""
    st.session_state.pressed_block = target


def _what_it_does(settings: Settings) -> str:
    if settings.learnt is None:
        return "Type sentences above, or change the model on the left."
    if isinstance(settings.request.source, Pretrained):
        if not settings.config.has_decoder:
            return "Type a sentence above: the model reads it."
        goes_on = "answers it" if settings.config.has_encoder else "goes on from it"
        return f"Type a text above: the model {goes_on}."
    if settings.learnt.task is None:
        return "Type an English sentence above: the model translates it into German."
    return f"Type a source above: the model answers it ({settings.learnt.title})."


def _which_model(settings: Settings) -> str:
    config = settings.config
    if config.has_encoder and config.has_decoder:
        return (
            "a real encoder–decoder Transformer, the architecture of “Attention Is All You Need”"
            if isinstance(settings.request.source, Pretrained)
            else "a real encoder–decoder Transformer, the one of “Attention Is All You Need”"
        )
    stack = "encoder" if config.has_encoder else "decoder"
    return f"a real Transformer that is {'an' if stack == 'encoder' else 'a'} {stack} alone"


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does a Transformer work?",
        f"{_what_it_does(settings)} Every number is computed live by {_which_model(settings)}. "
        "Each block shows the shape of its output for your sentences: click a block to look "
        "inside.",
    )
    ran = run(settings)
    batch, config = ran.batch, settings.config
    vocabularies = [
        f"{size:,}"
        for size, has in (
            (config.src_vocab_size, config.has_encoder),
            (config.tgt_vocab_size, config.has_decoder),
        )
        if has
    ]
    model_map(ran.loaded.model, ran.trace, len(batch.src), open_block)
    target = st.session_state.pop("pressed_block", None)
    if target and target.startswith("stack "):  # one page for all other blocks
        choose(STOP, int(target.removeprefix("stack ")))
        open_page("stack")
    elif target in ATTENTION_KINDS:  # one page for the three attentions
        open_page("attention", attention=target)
    elif target:
        open_page(target)
    size = estimate(config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    st.markdown(
        "Shapes are (sentences, tokens, d_model); for attention weights (sentences, heads, "
        f"queries, keys). This model has **{size.model // 4:,} parameters** and takes "
        f"{size.model / 2**20:,.1f} MB; the trace of one pair takes {size.trace / 2**20:,.1f} MB. "
        + (
            f"The vocabularies have {' and '.join(vocabularies)} ids."
            if len(vocabularies) > 1
            else f"The vocabulary has {vocabularies[0]} ids."
        )
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        weights_badge(settings)
        if settings.learnt is None:
            st.caption("Shapes, masks and arithmetic are real; the attention means nothing.")
        if st.button("Watch it learn", icon=":material/model_training:", type="tertiary"):
            open_page("training")
        if st.button("Watch it answer", icon=":material/edit_note:", type="tertiary"):
            open_page("decoding")


show(show_page)
