"""Parts that all pages share."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.exercises.question import Topic
from explorer.ui.controls.choices import choose, value
from explorer.ui.markdown import literal
from explorer.ui.parameters import SCALE
from explorer.ui.registry import open_page
from explorer.ui.settings import Settings
from explorer.ui.words import explained
from explorer.weights.catalogue import Pretrained, TrainedHere

TOPIC_NAMES: Final = {
    "all": "all topics",
    "masks": "masks",
    "positions": "positions",
    "attention": "attention",
    "steps": "step by step",
    "stack": "the stack",
    "decoding": "decoding",
}
PALE: Final = 0.3  # a picture whose largest weight is smaller looks empty on a scale from 0 to 1
SCALES: Final = {"unit": "0 to 1", "largest": "0 to largest"}


def heading(question: str, answer: str) -> None:
    """Show the page's question and its one-sentence answer, whose words explain themselves."""
    with st.container(key="heading"):
        st.title(question, anchor=False)
        st.markdown(explained(answer))


def offer_own_scale(largest: float) -> None:
    """If all weights are small, say why the picture looks empty, and offer stronger colours."""
    if value(SCALE) != "unit" or largest >= PALE:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="pale"):
        st.caption(
            f"The largest weight here is {largest:.2f}, so on a scale from 0 to 1 all cells are "
            "pale.",
            width="content",
        )
        st.button(
            f"Colours from 0 to {largest:.2f}",
            icon=":material/contrast:",
            type="tertiary",
            on_click=choose,
            args=(SCALE, "largest"),
        )


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


def predict_first(topic: Topic) -> None:
    """Lead to questions about this topic, to be answered before looking."""
    what = "the steps" if topic == "steps" else TOPIC_NAMES[topic]
    if st.button(
        f"Predict first: test yourself on {what}",
        icon=":material/quiz:",
        type="tertiary",
        key="predict_first",
    ):
        open_page("practice", topic=topic, question=1)
