"""Parts that all pages share."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.ui.markdown import literal
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained, TrainedHere

SCALES: Final = {"unit": "0 to 1", "largest": "0 to largest"}


def heading(question: str, answer: str) -> None:
    """Show the page's question and its one-sentence answer."""
    with st.container(key="heading"):
        st.title(question, anchor=False)
        st.markdown(answer)


def show_code(title: str, *functions: Callable[..., Any]) -> None:
    """Show, folded away, the source of the code that has just run."""
    folded = st.expander(title, key="code", on_change="rerun")
    if folded.open:
        for function in functions:
            folded.code(inspect.getsource(function), language="python")


def weights_badge(settings: Settings) -> None:
    """Say which weights the pictures show."""
    learnt, icon = settings.learnt, ":material/science:"
    if learnt is None:
        st.badge(f"untrained weights, seed {settings.request.seed}", icon=icon, color="orange")
        return
    if isinstance(settings.request.source, Pretrained):
        badge = f"{literal(learnt.name)}, {learnt.title}: {learnt.quality}"
        st.badge(badge, icon=icon, color="blue")
        return
    if learnt.task is None:
        st.badge(f"translator, {learnt.title}: {learnt.quality}", icon=icon, color="blue")
        return
    where = "trained here" if isinstance(settings.request.source, TrainedHere) else "trained"
    st.badge(f"{where} on {learnt.name}: {learnt.quality}", icon=icon, color="blue")


def lacks(settings: Settings, what: str) -> None:
    """Say, in the place of a picture, what the model on show does not have."""
    config, learnt = settings.config, settings.learnt
    alone = "an encoder" if config.has_encoder else "a decoder"
    name = "This model" if learnt is None else literal(learnt.name)
    st.info(f"{name} is {alone} alone: it has no {what}.", icon=":material/info:")


def say_what_is_missing(settings: Settings) -> None:
    """Say which attentions a stack alone does not have."""
    if not settings.config.has_decoder:
        lacks(settings, "decoder and no cross-attention")
    elif not settings.config.has_encoder:
        lacks(settings, "encoder and no cross-attention")


def check_badge(holds: bool, text: str) -> None:
    """Show a fact computed from what is on screen: with a tick if it holds, a cross if not."""
    st.badge(
        text,
        icon=":material/check:" if holds else ":material/close:",
        color="green" if holds else "red",
    )
