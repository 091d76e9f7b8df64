"""A person's choices: kept for the session, shown by widgets, said by the address.

The explorer keeps the address itself, because a widget that Streamlit binds to it cannot be taken
back: its changes replace the entry in the browser's history, and Back does not undo them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

import streamlit as st

from explorer.ui import internals
from explorer.ui.parameters import AROUND, PARAMETERS, Parameter, Values, Whole

CHOSEN: Final = "chosen"  # where a session keeps what was chosen, by key
SHOWN: Final = "shown"  # and what the page on show makes of it
HELD: Final = "held"  # the widgets that were told what to show


def chosen(parameter: Parameter) -> Any:
    """What was chosen; None as long as nobody has."""
    return _store().get(parameter.key)


def value(parameter: Parameter) -> Any:
    """What was chosen, or the usual value."""
    found = chosen(parameter)
    return parameter.usual(all_values()) if found is None else found


def all_values() -> Values:
    """Every parameter's value, chosen or usual."""
    values: dict[str, Any] = {}
    for key, parameter in PARAMETERS.items():
        found = _store().get(key)
        values[key] = parameter.usual(values) if found is None else found
    return values


def choose(parameter: Parameter, new: Any) -> None:
    """Make a choice for the person: None takes the choice back."""
    choose_by_key(parameter.key, new)


def choose_by_key(key: str, new: Any) -> None:
    """As `choose`; for sentences, too."""
    if new is None:
        _store().pop(key, None)
    else:
        _store()[key] = new


def text(key: str) -> str | None:
    """A sentence as it was typed; None where nobody has typed one."""
    found = _store().get(key)
    return None if found is None else str(found)


def replace_choices(keys: Iterable[str], said: Values) -> None:
    """Back or Forward: these choices are those that the address says, and no others."""
    store = _store()
    for key in keys:
        store.pop(key, None)
    store.update(said)


def begin_page() -> None:
    """A page is drawn from its beginning: what the last one showed no longer counts."""
    st.session_state[SHOWN] = {}


def on_show() -> dict[str, Any]:
    """What the page on show has drawn, by key: a choice, or the usual value in its place."""
    found: dict[str, Any] = st.session_state.setdefault(SHOWN, {})
    return found


def number(
    parameter: Parameter,
    label: str,
    *,
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A number to type, or nothing where the parameter has no usual value.

    `shown` is drawn in place of what was chosen; `more` goes to the widget.
    """
    domain: Any = parameter.within(all_values())
    _hold(parameter, value(parameter) if shown is None else shown)
    found = st.number_input(
        label,
        domain.low,
        domain.high,
        None if parameter.default is None else "min",
        **_of_widget(parameter, on_change),
        **more,
    )
    return _drawn(parameter, found)


def slider(
    parameter: Parameter,
    label: str,
    *,
    most: int | None = None,
    on_change: Callable[[], None] | None = None,
    shown: int | None = None,
    **more: Any,
) -> int:
    """A slider over whole numbers, up to `most`."""
    domain: Any = parameter.within(all_values())
    high = domain.high if most is None else most
    current = value(parameter) if shown is None else shown
    _hold(parameter, min(max(current, domain.low), high), high)
    found = st.slider(label, domain.low, high, **_of_widget(parameter, on_change), **more)
    return int(_drawn(parameter, found))


def stops(
    parameter: Parameter,
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A slider over a few options."""
    options = _options(parameter, options)
    wanted = value(parameter) if shown is None else shown
    _hold(parameter, _nearest(usual if wanted is None else wanted, options))
    found = st.select_slider(
        label, options, format_func=str, **_of_widget(parameter, on_change), **more
    )
    return _drawn(parameter, _among(found, options))


def select(
    parameter: Parameter,
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Callable[[Any], str] = str,
    nothing: str | None = None,
    on_change: Callable[[], None] | None = None,
    **more: Any,
) -> Any:
    """A menu. A choice that is no longer offered is shown as the nearest one below it.

    As long as nobody has chosen, it is `usual`, or the first; with `nothing`, the text that stands
    there then, it is None.
    """
    options = _options(parameter, options)
    wanted = value(parameter)
    if wanted is None and nothing is None:
        wanted = options[0] if usual is None else usual
    _hold(parameter, None if wanted is None else _nearest(wanted, options))
    index: Any = None if nothing else 0
    found = st.selectbox(
        label,
        options,
        index,
        names,
        placeholder=nothing,
        **_of_widget(parameter, on_change),
        **more,
    )
    return _drawn(parameter, _among(found, options))


def select_word(parameter: Parameter, label: str, words: Sequence[str], usual: int) -> int:
    """A menu of words, by position; as long as nobody has chosen, it is `usual`."""
    return int(
        select(
            parameter,
            label,
            range(len(words)),
            usual=usual,
            names=lambda position: f"{position} · {words[position]}",
        )
    )


def segments(
    parameter: Parameter,
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Callable[[Any], str] = str,
    label_visibility: Literal["visible", "collapsed"] = "collapsed",
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A row of buttons of which one is pressed."""
    options = _options(parameter, options)
    wanted = value(parameter) if shown is None else shown
    if wanted not in options:
        wanted = options[0] if usual is None else usual
    _hold(parameter, wanted)
    found = st.segmented_control(
        label,
        options,
        required=True,
        format_func=names,
        label_visibility=label_visibility,
        **_of_widget(parameter, on_change),
        **more,
    )
    return _drawn(parameter, _among(found, options))


def toggle(
    parameter: Parameter, label: str, *, on_change: Callable[[], None] | None = None
) -> bool:
    """A switch."""
    _hold(parameter, value(parameter))
    return bool(_drawn(parameter, st.toggle(label, **_of_widget(parameter, on_change))))


def field(
    key: str,
    label: str,
    current: str,
    *,
    placeholder: str | None = None,
    most: int | None = None,
) -> str:
    """A field of text that is followed while one types."""
    if st.session_state.get(key) != current:
        st.session_state[key] = current

    def take() -> None:
        choose_by_key(key, st.session_state[key])

    found = st.text_input(
        label, key=key, live=True, placeholder=placeholder, max_chars=most, on_change=take
    )
    on_show()[key] = found
    return found or ""


def as_number(said: object, otherwise: int) -> int:
    """A choice as a number.

    Streamlit hands on as text what was chosen from options that have been replaced meanwhile.
    """
    if isinstance(said, int):
        return said
    digits = re.match(r"\d{1,9}", str(said), re.ASCII)
    return int(digits[0]) if digits else otherwise


def _store() -> dict[str, Any]:
    found: dict[str, Any] = st.session_state.setdefault(CHOSEN, {})
    return found


def _hold(parameter: Parameter, current: Any, most: int | None = None) -> None:
    """Have the widget show this. (What it shows already is left alone: somebody may be typing.)

    On another page, or with another limit, it is another widget for Streamlit, and shows nothing.
    """
    state, widget = st.session_state, (internals.page_hash(), most)
    held: dict[str, Any] = state.setdefault(HELD, {})
    same = held.get(parameter.key) == widget and parameter.key in state
    if not same or state[parameter.key] != current:
        held[parameter.key] = widget
        state[parameter.key] = current


def _take(parameter: Parameter, then: Callable[[], None] | None) -> None:
    """A widget was changed."""
    new = st.session_state[parameter.key]
    if isinstance(new, str):  # perhaps the text of an option that is no longer offered
        domain = parameter.within(all_values())
        new = as_number(new, domain.low) if isinstance(domain, Whole) else domain.read(new)
    choose(parameter, new)
    if then is not None:
        then()


def _of_widget(parameter: Parameter, then: Callable[[], None] | None) -> dict[str, Any]:
    """What all widgets are given."""
    return {"key": parameter.key, "on_change": _take, "args": (parameter, then)}


def _drawn(parameter: Parameter, current: Any) -> Any:
    on_show()[parameter.key] = current
    return current


def _options(parameter: Parameter, options: Sequence[Any] | None) -> list[Any]:
    domain: Any = parameter.within(all_values()) if options is None else None
    return list(domain.options if options is None else options)


def _nearest(wanted: Any, options: Sequence[Any]) -> Any:
    if wanted in options:
        return wanted
    below = [option for option in options if isinstance(option, int) and option <= wanted]
    return max(below, default=options[0])


def _among(found: Any, options: Sequence[Any]) -> Any:
    """What was chosen, where it is still offered; else the nearest."""
    if found is None or found in options:
        return found
    return _nearest(as_number(found, 0), options) if isinstance(options[0], int) else options[0]


def keys_around() -> tuple[object, ...]:
    """What the controls around the page hold."""
    return tuple(_store().get(key) for key in AROUND)
