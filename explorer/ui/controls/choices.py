"""The visitor's choices: kept for the session, shown by widgets, written into the address.

The explorer writes the address itself. Streamlit can bind a widget to the address (`bind`). But
then each change replaces the entry in the browser's history, so that Back does not undo it; and the
address has options and numbers as the screen shows them, in the reader's language.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import streamlit as st

from explorer.ui import internals
from explorer.ui.internals.requests import is_requested_elsewhere
from explorer.ui.parameters import AROUND, PARAMETERS, Chosen, Frame, Parameter
from explorer.ui.sources import shape_of_weights
from explorer.views.picture import Click

T = TypeVar("T")
CHOSEN: Final = "chosen"  # the choices of the session, by key
SHOWN: Final = "shown"  # the values that the page on show has drawn, by key
_DRAWN: Final = "drawn_whole"  # the same by page (its hash), of its latest run that came to its end
_ON_PAGE: Final = "shown_on_page"  # the hash of the page on show
_SHOWN_AT: Final = "shown_at"  # what the browser shows at each of its latest addresses, by key
_ADDRESSES: Final = 8


def choices() -> dict[str, Any]:
    """The choices of the session, by key: also sentences as typed.

    A run that another one has replaced ends here, before it changes any.
    """
    found: dict[str, Any] = st.session_state.setdefault(CHOSEN, {})
    return found


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
    """Make the choice that a click stands for, or the nearest one, if there is one."""
    if (new := domain_of(parameter).read(str(clicked))) is not None:
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


def begin_page() -> None:
    """Begin to draw a page: forget what the last run has drawn."""
    st.session_state[SHOWN] = {}
    st.session_state[_ON_PAGE] = internals.page_hash()


def page_is_drawn() -> None:
    """All of the page is drawn: keep what it shows, for Back."""
    st.session_state.setdefault(_DRAWN, {})[internals.page_hash()] = on_show()


def keys_shown_before() -> set[str]:
    """The keys of what was shown by the page that was just left, and earlier by the one on show.

    A run that is cut short by Back has drawn only some of them.
    """
    drawn: dict[str, dict[str, Any]] = st.session_state.get(_DRAWN, {})
    pages = st.session_state.get(_ON_PAGE, ""), internals.page_hash()
    return {*on_show()}.union(*(drawn.get(page, ()) for page in pages))


def on_show() -> dict[str, Any]:
    """The values that the page on show has drawn, by key; both choices and usual values."""
    found: dict[str, Any] = st.session_state.setdefault(SHOWN, {})
    return found


def remember_shown() -> None:
    """Note what is on show at the address that the browser has been told."""
    at, here = _shown_at(), _address()
    at[here] = at.pop(here, {}) | on_show()
    if len(at) > _ADDRESSES:
        del at[next(iter(at))]


def shows_already(key: str, reported: Any, otherwise: Any = None) -> bool:
    """Whether the browser only repeats what it was showing: then nobody has chosen anything.

    With each request, whichever widget it is for, a browser says what all its widgets show. A
    request that was sent before the browser heard of a change has the value and the address from
    before it. If it has heard of the new address, but not drawn the widget yet, it has the new
    address and the value from before: then another part of the page asks. `otherwise` is compared
    where the value that was shown is not known.
    """
    if reported == _shown_at().get(_address(), on_show()).get(key, otherwise):
        return True
    before = [shown[key] for shown in _shown_at().values() if key in shown]
    return reported in before and is_requested_elsewhere(key)


def shows_now(key: str, choice: Any) -> None:
    """Somebody has chosen this in the browser, which shows it from now on."""
    for shown in (on_show(), *_shown_at().values()):
        if key in shown:
            shown[key] = choice


def _shown_at() -> dict[object, dict[str, Any]]:
    found: dict[object, dict[str, Any]] = st.session_state.setdefault(_SHOWN_AT, {})
    return found


def _address() -> object:
    return internals.page_hash(), *st.query_params.to_dict().items()


def keys_around() -> tuple[object, ...]:
    """The weights on show, and what was chosen of the other controls around the page."""
    others = [key for key in AROUND if key != Frame.weights.key]
    return value(Frame.weights), *map(choices().get, others)
