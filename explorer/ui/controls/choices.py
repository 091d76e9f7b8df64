"""The visitor's choices: kept for the session, shown by widgets, written into the address.

The explorer writes the address itself. Streamlit can bind a widget to the address, but then a
change replaces the entry in the browser's history, and Back does not undo it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import streamlit as st

from explorer.ui import internals
from explorer.ui.parameters import AROUND, PARAMETERS, WEIGHTS, Parameter, Values
from explorer.views.picture import Click

CHOSEN: Final = "chosen"  # the choices of the session, by key
SHOWN: Final = "shown"  # the values that the page on show has drawn, by key
SHOWN_BEFORE: Final = "shown_before"  # the same for each page's latest run, by page hash


class _AllValues(Mapping[str, Any]):
    """A page looks up a few of a hundred values, dozens of times: the others are not worked out."""

    def __init__(self, store: Mapping[str, Any]) -> None:
        self._store = store

    def __getitem__(self, key: str) -> Any:
        found = self._store.get(key)
        return PARAMETERS[key].usual(self) if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(PARAMETERS)

    def __len__(self) -> int:
        return len(PARAMETERS)


def chosen(parameter: Parameter) -> Any:
    """The choice; None if there is none yet."""
    return _store().get(parameter.key)


def value(parameter: Parameter) -> Any:
    """The choice, or the usual value."""
    found = chosen(parameter)
    if found is None and callable(parameter.default):
        return parameter.usual(all_values())
    return parameter.default if found is None else found


def domain_of(parameter: Parameter) -> Any:
    """The possible values, given the other choices."""
    return parameter.within(all_values()) if callable(parameter.domain) else parameter.domain


def all_values() -> Values:
    """Every parameter's value, chosen or usual, as it is when it is looked up."""
    return _AllValues(_store())


def choose(parameter: Parameter, new: Any) -> None:
    """Make a choice for the visitor; None takes the choice back."""
    choose_by_key(parameter.key, new)


def choose_clicked(parameter: Parameter, said: object) -> None:
    """Make the choice that a click stands for, or the nearest one, if there is one."""
    if (new := domain_of(parameter).read(str(said))) is not None:
        choose(parameter, new)


def choose_by_click(click: Click, point: Mapping[str, Any]) -> None:
    """Make the choices that a click on a picture means, or take them back."""
    new = {PARAMETERS[key]: said for key, said in click.choices(point).items()}
    again = click.toggles and all(chosen(parameter) == said for parameter, said in new.items())
    for parameter, said in new.items():
        if again:
            choose(parameter, None)
        else:
            choose_clicked(parameter, said)


def choose_by_key(key: str, new: Any) -> None:
    """Like `choose`, but also for sentences."""
    if new is None:
        _store_to_change().pop(key, None)
    else:
        _store_to_change()[key] = new


def text(key: str) -> str | None:
    """A sentence as typed; None if nothing has been typed."""
    found = _store().get(key)
    return None if found is None else str(found)


def replace_choices(keys: Iterable[str], said: Values) -> None:
    """Replace the choices under `keys` by those in the address, after Back or Forward."""
    store = _store_to_change()
    for key in keys:
        store.pop(key, None)
    store.update(said)


def begin_page() -> None:
    """Begin to draw a page: forget what the last run has drawn."""
    pages = st.session_state.setdefault(SHOWN_BEFORE, {})
    st.session_state[SHOWN] = pages[internals.page_hash()] = {}


def shown_before() -> dict[str, Any]:
    """The values that this page drew in its latest run, by key."""
    found: dict[str, Any] = st.session_state.get(SHOWN_BEFORE, {}).get(internals.page_hash(), {})
    return found


def on_show() -> dict[str, Any]:
    """The values that the page on show has drawn, by key; both choices and usual values."""
    found: dict[str, Any] = st.session_state.setdefault(SHOWN, {})
    return found


def _store() -> dict[str, Any]:
    kept = internals.kept_for_this_run()
    if CHOSEN not in kept:
        kept[CHOSEN] = _store_to_change()
    found: dict[str, Any] = kept[CHOSEN]
    return found


def _store_to_change() -> dict[str, Any]:
    """The same; here a run ends that another one has replaced, before it changes anything."""
    found: dict[str, Any] = st.session_state.setdefault(CHOSEN, {})
    return found


def keys_around() -> tuple[object, ...]:
    """The choices of the controls around the page, and the usual weights where none are chosen."""
    store = _store()
    return tuple(store.get(key) if key != WEIGHTS.key else value(WEIGHTS) for key in AROUND)
