"""Widgets that show a choice, and take a new one.

The choice is the widget's value in the session, and its default as well: the browser is told a new
value only once, and may miss it if the next run comes before it has drawn the widget.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

import streamlit as st

from explorer.languages import numeral, spoken, tr
from explorer.numerals import NumberError
from explorer.runtime.shares import NUMBER, SENTENCE
from explorer.ui import internals
from explorer.ui.controls.choices import choose, choose_by_key, domain_of, on_show, value
from explorer.ui.domains import Whole, in_language
from explorer.ui.markdown import literal
from explorer.ui.parameters import PARAMETERS, Parameter

HELD: Final = "held"  # the widgets whose value was set
_AGAIN: Final = "told_again"  # the widgets that have to be told what they show, by their keys
_CUT: Final = "cut_texts"  # the beginnings that were kept of long texts, by field


def in_words(option: Any) -> str:
    """An option of a menu: a marked text, a name that is the same everywhere, or a number."""
    return tr(option) if isinstance(option, str) else numeral(option)


def number(
    parameter: Parameter,
    label: str,
    *,
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A field for a number, typed in the reader's language; empty, it has its usual value.

    A browser's own number field drops a comma where it expects a point: “0,25” would be 25. What
    cannot be read changes nothing: it stays in the field, with a sentence below. `shown` is drawn
    in place of the choice; `more` goes to the widget.
    """
    domain = domain_of(parameter)
    current = value(parameter) if shown is None else shown
    written, refused = in_language(domain, current), ""
    typed, instead_of = _refused().get(parameter.key, ("", None))
    if typed and instead_of == current:
        try:
            domain.typed(typed)  # readable by now, if the language has changed
        except NumberError as error:
            written, refused = typed, str(error)
    elif typed:
        del _refused()[parameter.key]  # the number was changed elsewhere
    _hold(parameter, written)
    st.text_input(
        label,
        written,
        max_chars=NUMBER,
        key=parameter.key,
        on_change=_take_number,
        args=(parameter, current, on_change),
        **more,
    )
    if refused:
        st.caption(literal(refused))
    return _drawn(parameter, current)


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
    domain = domain_of(parameter)
    high = domain.high if most is None else most
    current = min(max(value(parameter) if shown is None else shown, domain.low), high)
    _hold(parameter, current, high)
    found = st.slider(label, domain.low, high, current, **_of_widget(parameter, on_change), **more)
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
    current = _nearest(usual if wanted is None else wanted, options)
    _hold(parameter, current)
    found = st.select_slider(
        label, options, current, format_func=in_words, **_of_widget(parameter, on_change), **more
    )
    return _drawn(parameter, _among(found, options))


def select(
    parameter: Parameter,
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Callable[[Any], str] = in_words,
    nothing: str | None = None,
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A menu. A choice that is no longer offered is shown as the nearest one below it.

    Without a choice the value is `usual`, or the first option. With `nothing`, a placeholder text,
    it is None.
    """
    options = _options(parameter, options)
    wanted = value(parameter) if shown is None else shown
    if wanted is None and nothing is None:
        wanted = options[0] if usual is None else usual
    current = None if wanted is None else _nearest(wanted, options)
    _hold(parameter, current)
    index: Any = None if nothing else options.index(current)
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


def select_word(
    parameter: Parameter, label: str, words: Sequence[str], usual: int, **more: Any
) -> int:
    """A menu of words, by position; without a choice the value is `usual`."""
    return int(
        select(
            parameter,
            label,
            range(len(words)),
            usual=usual,
            names=lambda position: f"{position} · {words[position]}",
            **more,
        )
    )


def segments(
    parameter: Parameter,
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Callable[[Any], str] = in_words,
    label_visibility: Literal["visible", "collapsed"] = "collapsed",
    on_change: Callable[[], None] | None = None,
    shown: Any = None,
    **more: Any,
) -> Any:
    """A row of buttons, exactly one of them pressed."""
    options = _options(parameter, options)
    wanted = value(parameter) if shown is None else shown
    if wanted not in options:
        wanted = options[0] if usual is None else usual
    _hold(parameter, wanted)
    found = st.segmented_control(
        label,
        options,
        default=wanted,
        required=True,
        format_func=names,
        label_visibility=label_visibility,
        **_of_widget(parameter, on_change),
        **more,
    )
    return _drawn(parameter, _among(found, options))


def toggle(
    parameter: Parameter,
    label: str,
    *,
    on_change: Callable[[], None] | None = None,
    shown: bool | None = None,
) -> bool:
    """A switch."""
    current = value(parameter) if shown is None else shown
    _hold(parameter, current)
    return bool(_drawn(parameter, st.toggle(label, current, **_of_widget(parameter, on_change))))


def field(
    key: str,
    label: str,
    current: str,
    *,
    placeholder: str | None = None,
) -> str:
    """A text field that reports while somebody types; of a long text, the beginning stays."""
    if st.session_state.get(key) != current or _is_told_again(key):
        st.session_state[key] = current

    def take() -> None:
        said = st.session_state.get(key)
        # None: it was sent late, from a field of the page before.
        if said is not None:
            kept = said[:SENTENCE]
            if kept != said:
                st.session_state.setdefault(_CUT, {})[key] = kept
            choose_by_key(key, kept)

    # With `max_chars` the browser would drop a longer text without a word.
    found = st.text_input(
        label, current, key=key, live=True, placeholder=placeholder, on_change=take
    )
    if key in PARAMETERS and is_cut(key, current):
        st.caption(cut_in_words())
    on_show()[key] = found
    return found or ""


def tell_again(keys: Iterable[str]) -> None:
    """Tell the browser what these widgets show, even if it has just said so.

    It may have been told something else at the same moment.
    """
    st.session_state.setdefault(_AGAIN, set()).update(keys)


def _is_told_again(key: str) -> bool:
    """Whether a widget has to be told, once."""
    waiting: set[str] = st.session_state.get(_AGAIN, set())
    if key not in waiting:
        return False
    waiting.remove(key)
    return True


def is_cut(key: str, text: str) -> bool:
    """Whether this text in a field is only the beginning of what was typed."""
    return bool(text) and st.session_state.get(_CUT, {}).get(key) == text


def cut_in_words() -> str:
    """What is said of such a text."""
    return tr(
        "A text may have up to {most:,} characters, and this one had more: only its beginning was "
        "kept. Type or paste a shorter one.",
        most=SENTENCE,
    )


def as_number(said: object, otherwise: int) -> int:
    """A choice as a number.

    If the options have been replaced in the meantime, Streamlit passes the choice as text.
    """
    if isinstance(said, int):
        return said
    digits = re.match(r"\d{1,9}", str(said), re.ASCII)
    return int(digits[0]) if digits else otherwise


def _hold(parameter: Parameter, current: Any, most: int | None = None) -> None:
    """Set the widget's value, but only if it differs: somebody may be typing.

    On another page, or with another limit, Streamlit sees a new widget and has no value for it. In
    another language, the browser knows the option by its name in the one before.
    """
    state, widget = st.session_state, (internals.page_hash(), most, spoken())
    held: dict[str, Any] = state.setdefault(HELD, {})
    same = held.get(parameter.key) == widget and parameter.key in state
    if _is_told_again(parameter.key) or not same or state[parameter.key] != current:
        held[parameter.key] = widget
        state[parameter.key] = current


def _take(parameter: Parameter, then: Callable[[], None] | None) -> None:
    """Store the new value of a widget."""
    new = st.session_state.get(parameter.key)
    if new is None and parameter.key not in st.session_state:
        return  # sent late, from a widget of the page before
    if isinstance(new, str):  # maybe the text of an option that is no longer offered
        domain = domain_of(parameter)
        new = as_number(new, domain.low) if isinstance(domain, Whole) else domain.read(new)
    choose(parameter, new)
    if then is not None:
        then()


def _take_number(parameter: Parameter, current: Any, then: Callable[[], None] | None) -> None:
    """Store the number that was typed; or the text, if it is none that is possible."""
    typed = st.session_state.get(parameter.key)
    if typed is None:
        return  # sent late, from a field of the page before
    _refused().pop(parameter.key, None)
    new = None
    if typed.strip():
        try:
            new = domain_of(parameter).typed(typed)
        except NumberError:
            _refused()[parameter.key] = (typed, current)
            return
    choose(parameter, new)
    if then is not None:
        then()


def _refused() -> dict[str, tuple[str, Any]]:
    """What was typed and cannot be read, and the number that is used instead, by key."""
    found: dict[str, tuple[str, Any]] = st.session_state.setdefault("refused_numbers", {})
    return found


def _of_widget(parameter: Parameter, then: Callable[[], None] | None) -> dict[str, Any]:
    """The arguments that all widgets share."""
    return {"key": parameter.key, "on_change": _take, "args": (parameter, then)}


def _drawn(parameter: Parameter, current: Any) -> Any:
    on_show()[parameter.key] = current
    return current


def _options(parameter: Parameter, options: Sequence[Any] | None) -> list[Any]:
    return list(domain_of(parameter).options if options is None else options)


def _nearest(wanted: Any, options: Sequence[Any]) -> Any:
    if wanted in options:
        return wanted
    below = [option for option in options if isinstance(option, int) and option <= wanted]
    return max(below, default=options[0])


def _among(found: Any, options: Sequence[Any]) -> Any:
    """The choice if it is still offered, else the nearest option."""
    if found is None or found in options:
        return found
    return _nearest(as_number(found, 0), options) if isinstance(options[0], int) else options[0]
