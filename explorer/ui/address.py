"""The address bar describes the screen, and Back undoes one action."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

import streamlit as st

from explorer.runtime.turns import in_turn
from explorer.ui import internals
from explorer.ui.components.component import component
from explorer.ui.controls.choices import (
    choices,
    chosen,
    keys_shown_before,
    on_show,
    remember_shown,
    replace_choices,
    value,
)
from explorer.ui.controls.examples import world_of
from explorer.ui.controls.sentences import current_text, keys_in_address, set_world
from explorer.ui.controls.weights import settle_weights, source_on_show
from explorer.ui.domains import default_heads
from explorer.ui.internals.requests import changes_together
from explorer.ui.parameters import (
    AROUND,
    HERE,
    LOADED,
    PARAMETERS,
    TEXT_KEYS,
    Chosen,
    Frame,
    Lab,
    Parameter,
)
from explorer.ui.query import read_address, write_address
from explorer.ui.room.leading import tell_room
from explorer.ui.room.own_way import notice_own_way, remember_choices
from explorer.ui.room.place import address_of_room, enter_by_address
from explorer.ui.running import PartEndsError
from explorer.ui.sources import SHAPE
from explorer.ui.training.session import NOW, find_again
from explorer.weights import loaded_here, trained_here
from explorer.weights.catalogue import UNTRAINED, WeightsGoneError, writes

_history = component("history", '<span class="history" hidden></span>')
NOTES: Final = "address_notes"
READY: Final = "history_ready"  # whether the browser keeps the history
P = ParamSpec("P")
T = TypeVar("T")


@changes_together()
def take_address() -> None:
    """Apply the choices in the address, on a first visit and after Back or Forward."""
    if NOTES not in st.session_state:
        new, notes = read_address(st.query_params.to_dict())
        replace_choices((), new)
        if gone := find_again():
            notes = [*notes, gone]
        enter_by_address()
        _is_applied(notes)
    elif internals.is_history_navigation():
        new, _ = read_address(st.query_params.to_dict())
        _replace({*AROUND, *TEXT_KEYS, *keys_shown_before()}, new)
    else:
        _settle()


def show_address(params: Mapping[str, str]) -> None:
    """Show what another window's address says, in place of everything that this one has chosen."""
    new, _ = read_address(params)
    new.pop(Frame.lang.key, None)  # everybody reads in their own
    _replace({*PARAMETERS, *TEXT_KEYS} - {Frame.lang.key}, new)


@changes_together()
def _replace(keys: set[str], new: Chosen) -> None:
    replace_choices(keys - _tokens_of_models(), new)
    _is_applied([])


def _is_applied(notes: list[str]) -> None:
    set_world(world_of(value(Frame.weights)))
    st.session_state[NOTES] = notes
    _settle()


def _settle() -> None:
    if note := settle_weights():
        set_world(world_of(value(Frame.weights)))
        st.session_state[NOTES] = [*st.session_state[NOTES], note]


def _tokens_of_models() -> set[str]:
    """The keys of the tokens of models that this session still has.

    An address without a token shows other weights: the model is still there to be chosen.
    """
    found = {
        Frame.model.key: loaded_here.find(chosen(Frame.model) or ""),
        Frame.run.key: trained_here.find(chosen(Frame.run) or ""),
    }
    return {key for key, model in found.items() if model is not None}


def keep_history() -> None:
    """Make each action of the visitor one entry in the browser's history."""
    # A link may have to be rewritten. That waits until the browser's script runs, which makes no
    # new entry for it.
    if READY not in st.session_state and not st.query_params:
        st.session_state[READY] = True
    st.fragment(_draw_history)()


@in_turn
def _draw_history() -> None:
    heard = st.session_state.get("history", {}).get("ready")
    if READY not in st.session_state and heard:
        st.session_state[READY] = True
        if not internals.is_whole_run():  # else the page does it, once it is drawn
            say_address()
    waits = READY not in st.session_state
    _history(key="history", data={"answer": waits}, on_ready_change=lambda: None)


def say_address() -> None:
    """Write what is on screen into the address.

    After Back always write it: the run that Back interrupted may have written its own address.
    """
    if READY not in st.session_state:
        return  # see `keep_history`
    try:
        address = current_address()
    except WeightsGoneError:
        return  # the run that follows chooses a model that exists
    if address != st.query_params.to_dict() or internals.is_history_navigation():
        st.query_params.from_dict(address)
    remember_shown()
    if not internals.is_about_to_rerun():
        tell_room(st.session_state.page_on_show, address)


def current_address() -> dict[str, str]:
    """The address of what is on screen."""
    source, answers = source_on_show(), not value(Frame.typed_target)
    weights = {value(Frame.weights), on_show().get(Lab.other_weights.key)}  # A's and B's
    unsaid: list[Parameter[Any]] = [Frame.typed_target] if source == UNTRAINED else [*SHAPE]
    if HERE not in weights and NOW not in st.session_state:
        unsaid.append(Frame.run)
    if LOADED not in weights:
        unsaid.append(Frame.model)
    if value(Frame.tokens) != "ids":
        unsaid.append(Frame.pad_id)
    if value(Frame.pairs) < 2:
        unsaid.append(Frame.pair)
    # What is folded away keeps its choice, and says what it would show.
    fits = {
        Frame.heads: default_heads(value(Frame.d_model), value(Frame.heads)),
        Frame.pair: min(value(Frame.pair), value(Frame.pairs)),
    }
    drawn = {parameter.key: at for parameter, at in fits.items()} | on_show()
    shown = {key: at for key, at in drawn.items() if choices().get(key) is not None}
    keys = {*AROUND} - {parameter.key for parameter in unsaid} | shown.keys()
    texts = keys_in_address(answering=writes(source) and answers)
    address = write_address({**choices(), **shown}, keys, {key: current_text(key) for key in texts})
    return address | address_of_room()


def part_of_page(
    function: Callable[P, T], *, run_every: float | None = None
) -> Callable[P, T | None]:
    """Make the function a part of a page that is redrawn alone when something in it changes."""

    @in_turn
    @wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T | None:
        page = st.session_state.page_on_show
        notice_own_way(page)
        try:
            return function(*args, **kwargs)
        except PartEndsError:
            return None
        finally:
            say_address()
            if not internals.is_about_to_rerun():
                remember_choices(page)

    return st.fragment(drawn, run_every=run_every)
