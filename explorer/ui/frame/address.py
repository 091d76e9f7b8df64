"""The address bar describes the screen, and Back undoes one action.

The address of a request says nothing: it may be older than what the browser was told last. It
counts once, in a session's first run. After that Back and Forward are events of `history.js`.
"""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from explorer.choices.domains import default_heads
from explorer.choices.examples import world_of
from explorer.choices.pages import PAGES
from explorer.choices.parameters import (
    AROUND,
    HERE,
    LOADED,
    PARAMETERS,
    TEXT_KEYS,
    Chosen,
    Frame,
    Parameter,
)
from explorer.choices.query import read_address, write_address
from explorer.choices.sources import SHAPE
from explorer.ui.controls.choices import (
    choices,
    chosen,
    keys_shown_before,
    on_show,
    replace_choices,
    value,
)
from explorer.ui.controls.sentences import (
    current_text,
    keys_in_address,
    pairs_on_show,
    set_world,
)
from explorer.ui.controls.weights import settle_weights, source_on_show
from explorer.ui.frame.session import memory, session
from explorer.ui.room.leading import tell_room
from explorer.ui.room.place import address_of_room, enter_by_address
from explorer.ui.training.watched import NOW, find_again
from explorer.weights import loaded_here, trained_here
from explorer.weights.catalogue import UNTRAINED, WeightsGoneError, writes

NOTES: Final = "address_notes"


def take_address(params: Mapping[str, str]) -> None:
    """Apply the choices in the address with which a visitor has come."""
    session().address = {**params}
    new, notes = read_address(params)
    replace_choices((), new)
    if gone := find_again():
        notes = [*notes, gone]
    enter_by_address(params)
    _is_applied(notes)


def show_address(params: Mapping[str, str]) -> None:
    """Show what another window's address says, in place of everything that this one has chosen."""
    new, _ = read_address(params)
    new.pop(Frame.lang.key, None)  # everybody reads in their own
    _replace({*PARAMETERS, *TEXT_KEYS} - {Frame.lang.key}, new)


def _replace(keys: set[str], new: Chosen) -> None:
    replace_choices(keys - _tokens_of_models(), new)
    _is_applied([])


def _is_applied(notes: list[str]) -> None:
    set_world(world_of(value(Frame.weights)))
    memory()[NOTES] = notes
    settle()


def settle() -> None:
    """Make the choices name a model that exists."""
    if note := settle_weights():
        set_world(world_of(value(Frame.weights)))
        memory()[NOTES] = [*memory()[NOTES], note]


def _tokens_of_models() -> set[str]:
    """The keys of the tokens of models that this session still has.

    An address without a token shows other weights: the model is still there to be chosen.
    """
    found = {
        Frame.model.key: loaded_here.find(chosen(Frame.model) or ""),
        Frame.run.key: trained_here.find(chosen(Frame.run) or ""),
    }
    return {key for key, model in found.items() if model is not None}


def go_back(to: Mapping[str, Any]) -> None:
    """Show what an address in the browser's history says, after Back or Forward."""
    page, params = to["page"] or "home", to["params"]
    if page not in PAGES:
        return
    params = {str(key): str(text) for key, text in params.items()}
    new, _ = read_address(params)
    _replace({*AROUND, *TEXT_KEYS, *keys_shown_before()}, new)
    here = session()
    here.page, here.address, here.is_back = page, params, True


def say_address() -> None:
    """Write what is on screen into the address, and tell the room that this window leads."""
    try:
        address = current_address()
    except WeightsGoneError:
        return  # the run that follows chooses a model that exists
    here = session()
    if here.is_back or address != here.address:
        st.query_params.from_dict(address)
        here.address, here.is_back = address, False
    tell_room(here.page, address)


def current_address() -> dict[str, str]:
    """The address of what is on screen."""
    source, answers = source_on_show(), not value(Frame.typed_target)
    unsaid: list[Parameter[Any]] = [Frame.typed_target] if source == UNTRAINED else [*SHAPE]
    if value(Frame.weights) != HERE and NOW not in memory():
        unsaid.append(Frame.run)
    if value(Frame.weights) != LOADED:
        unsaid.append(Frame.model)
    if value(Frame.tokens) != "ids":
        unsaid.append(Frame.pad_id)
    if pairs_on_show() < 2:
        unsaid.append(Frame.pair)
    # What is folded away keeps its choice, and says what it would show.
    fits = {
        Frame.heads: default_heads(value(Frame.d_model), value(Frame.heads)),
        Frame.pair: min(value(Frame.pair), pairs_on_show()),
    }
    drawn = {parameter.key: at for parameter, at in fits.items()} | on_show()
    shown = {key: at for key, at in drawn.items() if choices().get(key) is not None}
    keys = {*AROUND} - {parameter.key for parameter in unsaid} | shown.keys()
    texts = keys_in_address(answering=writes(source) and answers)
    address = write_address({**choices(), **shown}, keys, {key: current_text(key) for key in texts})
    return address | address_of_room()
