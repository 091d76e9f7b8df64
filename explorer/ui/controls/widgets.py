"""Widgets that show a choice, and take a new one.

The choice is the widget's value in the session, and its default as well: the browser is told a new
value only once, and may miss it if the next run comes before it has drawn the widget.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from explorer.languages import numbered, numeral, spoken, tr
from explorer.numerals import NumberError
from explorer.runtime.shares import NUMBER_LENGTH, SENTENCE_LENGTH
from explorer.ui import internals
from explorer.ui.controls.choices import (
    choose,
    choose_by_key,
    domain_of,
    known_choices,
    on_show,
    shows_already,
    shows_now,
)
from explorer.ui.domains import Number, Whole, in_language
from explorer.ui.markdown import literal
from explorer.ui.parameters import PARAMETERS, Parameter

_HELD: Final = "held"  # each widget as it was drawn last: for whom, its value, its option's name
_RESEND: Final = "told_again"  # the widgets that have to be told what they show, by their keys
_CUT: Final = "cut_texts"  # the beginnings that were kept of long texts, by field
Then = Callable[[], None]  # what follows from a change
Names = Mapping[Any, str] | Callable[[Any], str]  # of options; those in a mapping are marked texts


def in_words(option: Any) -> str:
    """An option of a menu: a marked text, a name that is the same everywhere, or a number."""
    return tr(option) if isinstance(option, str) else numeral(option)


def number(
    parameter: Parameter[Any],
    label: str,
    *,
    most: int | None = None,
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A field for a number, up to `most`, typed in the reader's language; empty, the usual one.

    A browser's own number field drops a comma where it expects a point: “0,25” would be 25. What
    cannot be read changes nothing: it stays in the field, with a sentence below. `more` goes to the
    widget.
    """
    domain, current = domain_of(parameter), parameter.of(known_choices())
    if most is not None:
        domain, current = replace(domain, high=most), min(current, most)
    written, refused = in_language(domain, current), ""
    typed, instead_of = drafts().get(parameter.key, ("", None))
    if typed and instead_of == current:
        try:
            domain.typed(typed)  # readable by now, if the language has changed
        except NumberError as error:
            written, refused = typed, str(error)
    elif typed:
        del drafts()[parameter.key]  # the number was changed elsewhere
    _set_value(parameter, written)
    st.text_input(
        label,
        written,
        max_chars=NUMBER_LENGTH,
        key=parameter.key,
        on_change=_store_number,
        args=(parameter, domain, current, on_change),
        **more,
    )
    if refused:
        st.caption(literal(refused))
    return _drawn(parameter, current)


def slider(
    parameter: Parameter[Any],
    label: str,
    *,
    most: int | None = None,
    on_change: Then | None = None,
    **more: Any,
) -> int:
    """A slider over whole numbers, up to `most`."""
    domain = domain_of(parameter)
    high = domain.high if most is None else most
    current = min(max(parameter.of(known_choices()), domain.low), high)
    _set_value(parameter, current, high)
    more |= _of_widget(parameter, on_change)
    return int(_drawn(parameter, st.slider(label, domain.low, high, current, **more)))


def toggle(
    parameter: Parameter[bool], label: str, *, on_change: Then | None = None, **more: Any
) -> bool:
    """A switch."""
    current = parameter.of(known_choices())
    _set_value(parameter, current)
    more |= _of_widget(parameter, on_change)
    return bool(_drawn(parameter, st.toggle(label, current, **more)))


def select_slider(
    parameter: Parameter[Any],
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    shown: Any = None,
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A slider over a few options; `shown` is drawn in place of the choice."""
    options, current = _offered(parameter, options, usual, shown=shown)
    more |= _of_widget(parameter, on_change)
    found = st.select_slider(label, options, current, in_words, **more)
    return _drawn(parameter, _among(found, options))


def select(
    parameter: Parameter[Any],
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Names = in_words,
    nothing: str | None = None,
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A menu. With `nothing`, a placeholder text, no option need be chosen: then the value is None.

    Otherwise it is `usual` until one is chosen, or the first option.
    """
    options, current = _offered(parameter, options, usual, names, may_be_none=nothing is not None)
    more |= _of_widget(parameter, on_change)
    index: Any = None if nothing else options.index(current)
    found = st.selectbox(label, options, index, _in_words(names), placeholder=nothing, **more)
    return _drawn(parameter, _among(found, options))


def select_word(
    parameter: Parameter[int | None], label: str, words: Sequence[str], usual: int, **more: Any
) -> int:
    """A menu of words, by position; without a choice the value is `usual`."""
    positions = range(len(words))

    def named(position: int) -> str:
        return numbered(position, words[position])

    return int(select(parameter, label, positions, usual=usual, names=named, **more))


def segments(
    parameter: Parameter[Any],
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Names = in_words,
    label_visibility: str = "collapsed",
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A row of buttons, exactly one of them pressed: `usual` until one is chosen, or the first."""
    options, current = _offered(parameter, options, usual)
    more |= _of_widget(parameter, on_change) | {"label_visibility": label_visibility}
    found = st.segmented_control(
        label, options, default=current, required=True, format_func=_in_words(names), **more
    )
    return _drawn(parameter, _among(found, options))


def field(key: str, label: str, current: str, *, placeholder: str | None = None) -> str:
    """A text field that reports while somebody types; of a long text, the beginning stays."""
    if st.session_state.get(key) != current or _take_resend(key):
        st.session_state[key] = current

    def take() -> None:
        typed = st.session_state.get(key)
        # None: it was sent late, from a field of the page before.
        if typed is not None and not shows_already(key, typed):
            kept = typed[:SENTENCE_LENGTH]
            if kept != typed:
                st.session_state.setdefault(_CUT, {})[key] = kept
            choose_by_key(key, kept)
            shows_now(key, typed)

    # With `max_chars` the browser would drop a longer text without a word.
    found = st.text_input(
        label, current, key=key, live=True, placeholder=placeholder, on_change=take
    )
    if key in PARAMETERS and is_cut(key, current):
        st.caption(cut_in_words())
    on_show()[key] = found
    return found or ""


def resend_values(keys: Iterable[str]) -> None:
    """Send the browser the values of these widgets, even if it has just reported the same ones.

    It may have been sent other values at the same moment.
    """
    st.session_state.setdefault(_RESEND, set()).update(keys)


def _take_resend(key: str) -> bool:
    """Whether this widget's value must be sent again; withdraws the request."""
    waiting: set[str] = st.session_state.get(_RESEND, set())
    if key not in waiting:
        return False
    waiting.remove(key)
    return True


def is_cut(key: str, text: str) -> bool:
    """Whether this text in a field is only the beginning of what was typed."""
    return bool(text) and st.session_state.get(_CUT, {}).get(key) == text


def cut_in_words() -> str:
    """The message for a text that was cut."""
    return tr(
        "A text may have up to {most:,} characters, and this one had more: only its beginning was "
        "kept. Type or paste a shorter one.",
        most=SENTENCE_LENGTH,
    )


def as_number(choice: object, otherwise: int) -> int:
    """A choice as a number.

    If the options have been replaced in the meantime, Streamlit passes the choice as text.
    """
    if isinstance(choice, int):
        return choice
    digits = re.match(r"\d{1,9}", str(choice), re.ASCII)
    return int(digits[0]) if digits else otherwise


def _set_value(
    parameter: Parameter[Any], current: Any, most: int | None = None, name: str | None = None
) -> None:
    """Set the widget's value, but only if it differs: somebody may be typing.

    On another page, or with another limit, Streamlit sees a new widget and has no value for it. In
    another language, or where another word now stands at a position, the browser still knows the
    option of a menu by its old `name`.
    """
    state, widget = st.session_state, (internals.page_hash(), most, spoken())
    held: dict[str, Any] = state.setdefault(_HELD, {})
    before, its_value, its_name = held.get(parameter.key, (None, None, None))
    held[parameter.key] = widget, current, name
    same = before == widget and parameter.key in state
    renamed = its_value == current and its_name != name
    if _take_resend(parameter.key) or not same or renamed or state[parameter.key] != current:
        state[parameter.key] = current


def _store(parameter: Parameter[Any], then: Then | None) -> None:
    """Store the new value of a widget."""
    new = st.session_state.get(parameter.key)
    if new is None and parameter.key not in st.session_state:
        return  # sent late, from a widget of the page before
    if isinstance(new, str):  # maybe the text of an option that is no longer offered
        domain = domain_of(parameter)
        is_number = isinstance(domain, Whole)
        new = max(domain.low, as_number(new, domain.low)) if is_number else domain.read(new)
    _change(parameter, new, then)


def _change(parameter: Parameter[Any], new: Any, then: Then | None) -> None:
    """Choose a new value, unless the browser shows it already.

    Streamlit forgets the value of a widget that is folded away, and takes it for new when a browser
    sends it again.
    """
    if shows_already(parameter.key, new, parameter.of(known_choices())):
        return
    choose(parameter, new)
    if then is not None:
        then()
    shows_now(parameter.key, new)


def _store_number(
    parameter: Parameter[Any], domain: Number, current: Any, then: Then | None
) -> None:
    """Store the number that was typed; or the text, if it is none that is possible."""
    typed = st.session_state.get(parameter.key)
    if typed is None:
        return  # sent late, from a field of the page before
    drafts().pop(parameter.key, None)
    new = None
    if typed.strip():
        try:
            new = domain.typed(typed)
        except NumberError:
            drafts()[parameter.key] = (typed, current)
            return
    _change(parameter, new, then)


def drafts() -> dict[str, tuple[Any, Any]]:
    """The typed texts that cannot be read, and their replacements, by key."""
    found: dict[str, tuple[Any, Any]] = st.session_state.setdefault("drafts_of_numbers", {})
    return found


def _of_widget(parameter: Parameter[Any], then: Then | None) -> dict[str, Any]:
    """The arguments that all widgets share."""
    return {"key": parameter.key, "on_change": _store, "args": (parameter, then)}


def _drawn(parameter: Parameter[Any], current: Any) -> Any:
    on_show()[parameter.key] = current
    return current


def _in_words(names: Names) -> Callable[[Any], str]:
    return names if callable(names) else lambda option: tr(names.get(option, option))


def _offered(
    parameter: Parameter[Any],
    options: Sequence[Any] | None,
    usual: Any,
    names: Names | None = None,
    *,
    shown: Any = None,
    may_be_none: bool = False,
) -> tuple[list[Any], Any]:
    """The options, or all that are possible; and the one that is on show from now on.

    `names` are those of a menu.
    """
    offered = list(domain_of(parameter).options if options is None else options)
    usual = offered[0] if usual is None else usual
    current = parameter.of(known_choices()) if shown is None else shown
    if current is None and not may_be_none:
        current = usual
    if current is not None and current not in offered:
        current = _nearest(current, offered) if isinstance(current, int) else usual
    name = _in_words(names)(current) if names and current is not None else None
    _set_value(parameter, current, name=name)
    return offered, current


def _nearest(wanted: int, options: Sequence[Any]) -> Any:
    """The largest number below it, or the first option."""
    below = [option for option in options if isinstance(option, int) and option <= wanted]
    return max(below, default=options[0])


def _among(found: Any, options: Sequence[Any]) -> Any:
    """The choice if it is still offered, else the nearest option."""
    if found is None or found in options:
        return found
    return _nearest(as_number(found, 0), options)
