"""The address bar describes the screen, and Back undoes one action."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import streamlit as st

from explorer.runtime.turns import in_turn
from explorer.ui import internals
from explorer.ui.components.component import as_json, component
from explorer.ui.controls.choices import (
    CHOSEN,
    all_values,
    choose_by_key,
    on_show,
    replace_choices,
    shown_before,
)
from explorer.ui.controls.examples import world_of
from explorer.ui.controls.sentences import current_text, keys_in_address, note_world
from explorer.ui.controls.weights import settle_weights, shape_of_weights, source_on_show
from explorer.ui.parameters import (
    AROUND,
    HERE,
    PAD_ID,
    PAIR,
    PARAMETERS,
    RUN,
    SHAPE,
    TEXT_KEYS,
    TOKENS,
    TYPED_TARGET,
    WEIGHTS,
)
from explorer.ui.query import read_address, write_address
from explorer.ui.training.session import NOW, find_again
from explorer.weights.catalogue import UNTRAINED, WeightsGoneError, writes

_history = component("history", '<span class="history" hidden></span>')
NOTES: Final = "address_notes"
READY: Final = "history_ready"  # whether the browser keeps the history
P = ParamSpec("P")
T = TypeVar("T")


def take_address() -> None:
    """Apply the choices in the address, on a first visit and after Back or Forward."""
    state = st.session_state
    first = NOTES not in state
    if first or internals.is_history_navigation():
        params = st.query_params.to_dict()
        said, notes = read_address(params, shape_of_weights)
        if first:
            for key, choice in said.items():
                choose_by_key(key, choice)
        else:
            shown = on_show() | shown_before()  # by the page just left, and earlier by this one
            replace_choices((*AROUND, *TEXT_KEYS, *shown, *said), said)
        if first:
            find_again()
        note_world(world_of(str(all_values()[WEIGHTS.key])))
        state[NOTES] = notes if first else []
    if note := settle_weights():
        note_world(world_of(str(all_values()[WEIGHTS.key])))
        state[NOTES] = [*state[NOTES], note]


def keep_history() -> None:
    """Make each action of the visitor one entry in the browser's history."""

    state = st.session_state

    def ready() -> None:
        state[READY] = True

    # A link may have to be rewritten. That waits for the script, which makes no new entry of it.
    if READY not in state and not st.query_params:
        state[READY] = True
    _history(key="history", data=as_json({"answer": READY not in state}), on_ready_change=ready)


def say_address() -> None:
    """Write what is on screen into the address.

    After Back always write it: the run that Back interrupted may have written its own address.
    """
    if READY not in st.session_state:
        return  # see `keep_history`
    try:
        said = current_address()
    except WeightsGoneError:
        return  # the run that follows chooses a model that exists
    if said != st.query_params.to_dict() or internals.is_history_navigation():
        st.query_params.from_dict(said)


def current_address() -> dict[str, str]:
    """The address of what is on screen."""
    values = dict(all_values())
    trained = source_on_show() != UNTRAINED
    answering = writes(source_on_show()) and not values[TYPED_TARGET.key]
    around = set(AROUND)
    if trained:
        around -= {p.key for p in SHAPE}
    else:
        around -= {TYPED_TARGET.key}
    if values[WEIGHTS.key] != HERE and NOW not in st.session_state:
        around -= {RUN.key}
    if values[TOKENS.key] != "ids":
        around -= {PAD_ID.key}
    chosen = st.session_state[CHOSEN]
    shown = {
        key: shown_value
        for key, shown_value in on_show().items()
        if key in PARAMETERS and chosen.get(key) is not None
    }
    if values["pairs"] < 2:
        around -= {PAIR.key}
    texts = {key: current_text(key) for key in keys_in_address(answering=answering)}
    return write_address(values | shown, around | shown.keys(), texts)


def part_of_page(
    function: Callable[P, T], *, run_every: float | None = None
) -> Callable[P, T | None]:
    """Make the function a part of a page that is redrawn alone when something in it changes."""

    @in_turn
    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        finally:
            say_address()

    return st.fragment(drawn, run_every=run_every)
