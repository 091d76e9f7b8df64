"""The visitor's choices: kept for the session, shown by widgets, written into the address.

The explorer writes the address itself. Streamlit can bind a widget to the address (`bind`). But
then each change replaces the entry in the browser's history, so that Back does not undo it; and the
address has options and numbers as the screen shows them, in the reader's language.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from explorer.choices.parameters import PARAMETERS, Chosen, Parameter
from explorer.choices.sources import shape_of_weights
from explorer.ui.frame.session import session
from explorer.views.picture import Click

T = TypeVar("T")


def choices() -> dict[str, Any]:
    """The choices of the session, by key: also sentences as typed."""
    return session().chosen


def known_choices() -> Chosen:
    """The choices, and the shape of the weights that they name."""
    found = choices()
    return {**found, **(shape_of_weights(found) or {})}


def chosen(parameter: Parameter[T | None]) -> T | None:
    """The choice; None if there is none yet."""
    return choices().get(parameter.key)


def value(parameter: Parameter[T]) -> T:
    """The choice, or the usual value."""
    return parameter.of(choices())


def domain_of(parameter: Parameter[Any]) -> Any:
    """The possible values, given all that is known."""
    return parameter.within(known_choices()) if callable(parameter.domain) else parameter.domain


def choose(parameter: Parameter[T], new: T | None) -> None:
    """Make a choice for the visitor; None takes the choice back."""
    choose_by_key(parameter.key, new)


def choose_by_key(key: str, new: Any) -> None:
    """Like `choose`, but also for sentences."""
    if new is None:
        choices().pop(key, None)
    else:
        choices()[key] = new


def choose_clicked(parameter: Parameter[Any], clicked: object) -> None:
    """Make the choice that a click stands for, or the nearest one, if there is one.

    None takes the choice back.
    """
    new = None if clicked is None else domain_of(parameter).read(str(clicked))
    if new is not None or clicked is None:
        choose(parameter, new)


def choose_by_click(click: Click, point: Mapping[str, Any]) -> None:
    """Make the choices that a click on a picture means, or take them back."""
    new = {PARAMETERS[key]: choice for key, choice in click.choices(point).items()}
    again = click.toggles and all(chosen(parameter) == choice for parameter, choice in new.items())
    for parameter, choice in new.items():
        if again:
            choose(parameter, None)
        else:
            choose_clicked(parameter, choice)


def replace_choices(keys: Iterable[str], new: Chosen) -> None:
    """Replace the choices under `keys` by those in the address, after Back or Forward."""
    store = choices()
    for key in keys:
        store.pop(key, None)
    store.update(new)


def keys_shown_before() -> set[str]:
    """The keys of what the page on show shows, and any page has shown when it was drawn last."""
    here = session()
    return {*here.on_show}.union(*here.drawn.values())


def shown_before() -> dict[str, Any]:
    """The values that the last whole run of this page has drawn, by key."""
    here = session()
    return here.drawn.get(here.page, {})


def drawn(parameter: Parameter[Any], current: T) -> T:
    """Note the value that the page has drawn, so that the address says it; returns it."""
    on_show()[parameter.key] = current
    return current


def on_show() -> dict[str, Any]:
    """The values that the page on show has drawn, by key; both choices and usual values."""
    return session().on_show
