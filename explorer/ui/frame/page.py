"""Parts that all pages share."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.answers.outside import quality_here
from explorer.choices.parameters import Parameter
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.markdown import literal
from explorer.ui.components.explanations import explained
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose
from explorer.ui.frame.session import held, memory, session
from explorer.ui.frame.stage import drawer
from explorer.weights.catalogue import TrainedHere

ON_TOUR: Final = "on_tour"  # whether a stop of the tour stands on top of its own page


def heading(
    question: str,
    answer: str,
    *,
    typed: bool = False,
) -> None:
    """Show the page's question and its one-sentence answer, whose words explain themselves.

    In an answer that quotes what somebody `typed`, no word is marked. A stop of the
    tour says itself what the page is about.
    """
    on_tour = bool(memory().get(ON_TOUR))
    with st.container(key="heading_on_tour" if on_tour else "heading"):
        st.title(question, anchor=False)
        if not on_tour:
            st.markdown(answer if typed else explained(answer))


def fold(
    label: str,
    key: str,
    show: Callable[..., object],
    *args: Any,
    icon: str | None = None,
) -> bool:
    """A part that can be unfolded: `show` draws it with `args`. Returns whether it is unfolded."""
    name, is_open = folded(key)
    with st.expander(label, is_open, key=name, icon=icon, on_change="rerun"):
        if is_open:
            show(*args)
    return is_open


def folded(key: str) -> tuple[str, bool]:
    """The name, for Streamlit, of a part that can be unfolded, and whether it is now."""
    is_open = is_unfolded(key)
    return held(key, is_open, partial(unfold, key)), is_open


def is_unfolded(key: str) -> bool:
    """Whether this part of the page on show is unfolded."""
    page, is_open = memory().get("unfolded", {}).get(key, ("", False))
    return page == session().page and bool(is_open)


def unfold(key: str, is_open: bool = True) -> None:
    """Unfold a part of the page, or fold it away, as long as the page is on show."""
    memory().setdefault("unfolded", {})[key] = session().page, is_open


def show_code(*functions: Callable[..., Any]) -> None:
    """Offer the source of the code that runs on this page."""
    drawer(tr("The code that runs"), "code", show_sources, *functions)


def show_sources(*functions: Callable[..., Any]) -> None:
    """Show the source of some code."""
    for function in functions:
        st.code(inspect.getsource(function), language="python")


def weights_badge(settings: Settings) -> None:
    """Say which weights the pictures show."""
    learnt = settings.learnt
    text = tr("untrained weights, seed {seed}", seed=settings.request.seed)
    if learnt is not None:
        name, quality = learnt.shown_name, quality_here(settings)
        if learnt.task is None:
            given = {"name": literal(name), "quality": literal(quality)}
            text = tr("{name}, {title}: {quality}", title=learnt.title, **given)
        elif isinstance(settings.request.source, TrainedHere):
            text = tr("trained here on {task}: {quality}", task=name, quality=quality)
        else:
            text = tr("trained on {task}: {quality}", task=name, quality=quality)
    st.badge(text, icon=":material/science:", color="gray")


def show_missing(settings: Settings) -> None:
    """Say, in the place of a picture, what the model on show does not have."""
    learnt = settings.learnt
    name = tr("This model") if learnt is None else literal(learnt.shown_name)
    text = (
        tr("{model} is an encoder alone: it has no target, and writes nothing.", model=name)
        if settings.config.has_encoder
        else tr("{model} is a decoder alone: it has no source.", model=name)
    )
    st.info(text, icon=":material/info:")


def say_what_is_missing(settings: Settings) -> None:
    """Say which attentions a stack alone does not have."""
    if not (settings.config.has_encoder and settings.config.has_decoder):
        show_missing(settings)


def check_badge(holds: bool, text: str) -> None:
    """Show a fact computed from what is on screen: with a tick if it holds, a cross if not."""
    st.badge(
        text,
        icon=":material/check:" if holds else ":material/close:",
        color="gray" if holds else "red",
    )


def stepper(parameter: Parameter[Any], offered: Sequence[Any], draw: Callable[[], Any]) -> Any:
    """‹ and › around the widget that `draw` draws: they choose the neighbours of its value."""
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        width="content",
        key=f"stepper_{parameter.key}",
    ):
        left = st.container(width="content")
        current = draw()
        at = offered.index(current)
        ways = (
            (left, tr("Back"), ":material/chevron_left:", at - 1),
            (st.container(width="content"), tr("Next"), ":material/chevron_right:", at + 1),
        )
        for place, label, icon, to in ways:
            exists = 0 <= to < len(offered)
            with place:
                args = (parameter, offered[to] if exists else current)
                button(label, icon=icon, on_click=choose, args=args, disabled=not exists)
    return current
