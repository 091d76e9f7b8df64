"""The address bar describes the screen, and Back undoes one action."""

from collections.abc import Callable, Mapping
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
    chosen,
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
    LANGUAGE,
    LOADED,
    MODEL,
    OTHER_WEIGHTS,
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
from explorer.ui.room.leading import tell_room
from explorer.ui.room.place import (
    address_of_room,
    count_on_nothing_kept,
    enter_by_address,
    is_left_behind,
    notice_own_deeds,
    remember_choices,
    shall_draw_all_anew,
    to_apply,
)
from explorer.ui.running import PartEndsError
from explorer.ui.training.session import NOW, find_again
from explorer.weights import loaded_here, trained_here
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
            there = _tokens_of_models() - said.keys()
            replace_choices({*AROUND, *TEXT_KEYS, *shown, *said} - there, said)
        if first:
            if gone := find_again():
                notes = [*notes, gone]
            enter_by_address()
        note_world(world_of(str(all_values()[WEIGHTS.key])))
        state[NOTES] = notes if first else []
    if note := settle_weights():
        note_world(world_of(str(all_values()[WEIGHTS.key])))
        state[NOTES] = [*state[NOTES], note]


def show_address(params: Mapping[str, str]) -> None:
    """Show what another window's address says, in place of everything that this one has chosen."""
    said, _ = read_address(params, shape_of_weights)
    said.pop(LANGUAGE.key, None)  # everybody reads in their own
    kept = {LANGUAGE.key, *(_tokens_of_models() - said.keys())}
    replace_choices({*PARAMETERS, *TEXT_KEYS} - kept, said)
    note_world(world_of(str(all_values()[WEIGHTS.key])))
    st.session_state[NOTES] = [note] if (note := settle_weights()) else []


def _tokens_of_models() -> set[str]:
    """The keys of the tokens of models that this session still has.

    An address without a token shows other weights: the model is still there to be chosen.
    """
    found = {
        MODEL.key: loaded_here.find(chosen(MODEL) or ""),
        RUN.key: trained_here.find(chosen(RUN) or ""),
    }
    return {key for key, model in found.items() if model is not None}


def keep_history() -> None:
    """Make each action of the visitor one entry in the browser's history."""
    # A link may have to be rewritten. That waits for the script, which makes no new entry of it.
    if READY not in st.session_state and not st.query_params:
        st.session_state[READY] = True
    st.fragment(_draw_history)()


@in_turn
def _draw_history() -> None:
    waits = READY not in st.session_state
    said = _history(key="history", data=as_json({"answer": waits}), on_ready_change=lambda: None)
    if waits and said.ready:
        st.session_state[READY] = True
        if not internals.is_whole_run():  # else the page does it, once it is drawn
            say_address()
    if shall_draw_all_anew():  # the browser had more to say
        st.rerun()


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
    if not internals.is_about_to_rerun():
        tell_room(st.session_state.page_on_show, said)


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
    weights = {values[WEIGHTS.key], on_show().get(OTHER_WEIGHTS.key)}  # and those of the lab's B
    if HERE not in weights and NOW not in st.session_state:
        around -= {RUN.key}
    if LOADED not in weights:
        around -= {MODEL.key}
    if values[TOKENS.key] != "ids":
        around -= {PAD_ID.key}
    store = st.session_state[CHOSEN]
    shown = {
        key: shown_value
        for key, shown_value in on_show().items()
        if key in PARAMETERS and store.get(key) is not None
    }
    if values["pairs"] < 2:
        around -= {PAIR.key}
    texts = {key: current_text(key) for key in keys_in_address(answering=answering)}
    return write_address(values | shown, around | shown.keys(), texts) | address_of_room()


def part_of_page(
    function: Callable[P, T], *, run_every: float | None = None
) -> Callable[P, T | None]:
    """Make the function a part of a page that is redrawn alone when something in it changes."""

    @in_turn
    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T | None:
        count_on_nothing_kept()
        page = st.session_state.page_on_show
        notice_own_deeds(page)
        # If it runs by itself, its script may never rest for long enough to be asked to follow.
        if (run_every and to_apply()) or is_left_behind():
            st.rerun()
        try:
            return function(*args, **kwargs)
        except PartEndsError:
            return None
        finally:
            say_address()
            if not internals.is_about_to_rerun():
                remember_choices(page)

    return st.fragment(drawn, run_every=run_every)
