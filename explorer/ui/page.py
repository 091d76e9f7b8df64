"""What pages have in common."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.tasks.tasks import judged_on
from explorer.ui.settings import Settings
from explorer.weights.catalogue import TrainedHere

SCALES: Final = {"unit": "0 to 1", "largest": "0 to largest"}


def heading(question: str, answer: str) -> None:
    """The page's one question, answered in one sentence."""
    with st.container(key="heading"):
        st.title(question, anchor=False)
        st.markdown(answer)


def show_code(title: str, *functions: Callable[..., Any]) -> None:
    """The real source of what was just computed, folded away."""
    folded = st.expander(title, key="code", on_change="rerun")
    if folded.open:
        for function in functions:
            folded.code(inspect.getsource(function), language="python")


def weights_badge(settings: Settings) -> None:
    """Which weights the pictures show."""
    learnt, icon = settings.learnt, ":material/science:"
    if learnt is None:
        st.badge(f"untrained weights, seed {settings.request.seed}", icon=icon, color="orange")
        return
    where = "trained here" if isinstance(settings.request.source, TrainedHere) else "trained"
    share = f"{learnt.accuracy:.1%} of {judged_on(learnt.task)} right"
    st.badge(f"{where} on {learnt.task.name}: {share}", icon=icon, color="blue")


def check_badge(holds: bool, text: str) -> None:
    """A fact that was computed for what is on screen: a tick if it holds, a cross if not."""
    st.badge(
        text,
        icon=":material/check:" if holds else ":material/close:",
        color="green" if holds else "red",
    )
