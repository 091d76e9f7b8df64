"""Widgets that show a choice, and take a new one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.choices.domains import Number, in_language
from explorer.choices.parameters import PARAMETERS, Parameter
from explorer.languages import numbered, numeral, spoken, tr
from explorer.markdown import literal
from explorer.numerals import NumberError
from explorer.runtime.shares import SENTENCE_LENGTH
from explorer.ui.components.line import line
from explorer.ui.controls.choices import (
    choose,
    choose_by_key,
    domain_of,
    drawn,
    known_choices,
    on_show,
)
from explorer.ui.frame.session import held, memory

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
    shown: int | None = None,
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A field for a number, up to `most`, typed in the reader's language; empty, the usual one.

    `shown` is drawn in place of the choice.

    A browser's own number field drops a comma where it expects a point: “0,25” would be 25. What
    cannot be read changes nothing: it stays in the field, with a sentence below. `more` goes to the
    widget.
    """
    domain = domain_of(parameter)
    current = parameter.of(known_choices()) if shown is None else shown
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
    take = partial(_store_number, parameter, domain, current, on_change)
    name = held(parameter.key, written, take)
    st.text_input(label, written, key=name, **more)
    if refused:
        st.caption(literal(refused))
    return drawn(parameter, current)


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
    more |= _of_widget(parameter, current, on_change, high)
    return int(drawn(parameter, st.slider(label, domain.low, high, current, **more)))


def toggle(
    parameter: Parameter[bool], label: str, *, on_change: Then | None = None, **more: Any
) -> bool:
    """A switch."""
    current = parameter.of(known_choices())
    more |= _of_widget(parameter, current, on_change)
    return bool(drawn(parameter, st.toggle(label, current, **more)))


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
    more |= _of_widget(parameter, current, on_change, options)
    st.select_slider(label, options, current, in_words, **more)
    return drawn(parameter, current)


def select(
    parameter: Parameter[Any],
    label: str,
    options: Sequence[Any] | None = None,
    *,
    usual: Any = None,
    names: Names = in_words,
    on_change: Then | None = None,
    **more: Any,
) -> Any:
    """A menu: `usual` until another option is chosen, or the first one."""
    options, current = _offered(parameter, options, usual)
    # Where another word stands at a position, the browser still knows the option by the old one.
    named = [_in_words(names)(option) for option in options]
    more |= _of_widget(parameter, current, on_change, named)
    st.selectbox(label, options, options.index(current), _in_words(names), **more)
    return drawn(parameter, current)


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
    more |= _of_widget(parameter, current, on_change, spoken())
    more |= {"label_visibility": label_visibility}
    st.segmented_control(
        label, options, default=current, required=True, format_func=_in_words(names), **more
    )
    return drawn(parameter, current)


def field(
    key: str, label: str, current: str, *, placeholder: str = "", examples: Sequence[str] = ()
) -> str:
    """A text field that reports while somebody types; of a long text, the beginning stays."""

    def take(typed: str) -> None:
        kept = typed[:SENTENCE_LENGTH]
        if kept != typed:
            memory().setdefault(_CUT, {})[key] = kept
        choose_by_key(key, kept)

    line(key, label, current, placeholder, examples, take=take)
    if key in PARAMETERS and is_cut(key, current):
        st.caption(cut_in_words())
    on_show()[key] = current
    return current


def is_cut(key: str, text: str) -> bool:
    """Whether this text in a field is only the beginning of what was typed."""
    return bool(text) and memory().get(_CUT, {}).get(key) == text


def cut_in_words() -> str:
    """The message for a text that was cut."""
    return tr(
        "A text may have up to {most:,} characters, and this one had more: only its beginning was "
        "kept. Type or paste a shorter one.",
        most=SENTENCE_LENGTH,
    )


def _store(parameter: Parameter[Any], then: Then | None, new: Any) -> None:
    """Store the new value of a widget."""
    if isinstance(new, str):  # maybe the text of an option that is no longer offered
        new = domain_of(parameter).read(new)
    _change(parameter, new, then)


def _change(parameter: Parameter[Any], new: Any, then: Then | None) -> None:
    choose(parameter, new)
    if then is not None:
        then()


def _store_number(
    parameter: Parameter[Any], domain: Number, current: Any, then: Then | None, typed: str
) -> None:
    """Store the number that was typed; or the text, if it is none that is possible."""
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
    found: dict[str, tuple[Any, Any]] = memory().setdefault("drafts_of_numbers", {})
    return found


def _of_widget(
    parameter: Parameter[Any], current: Any, then: Then | None, kind: object = None
) -> dict[str, Any]:
    """The arguments that all widgets share."""
    return {"key": held(parameter.key, current, partial(_store, parameter, then), kind)}


def _in_words(names: Names) -> Callable[[Any], str]:
    return names if callable(names) else lambda option: tr(names.get(option, option))


def _offered(
    parameter: Parameter[Any],
    options: Sequence[Any] | None,
    usual: Any,
    *,
    shown: Any = None,
) -> tuple[list[Any], Any]:
    """The options, or all that are possible; and the one that is on show from now on."""
    offered = list(domain_of(parameter).options if options is None else options)
    usual = offered[0] if usual is None else usual
    current = parameter.of(known_choices()) if shown is None else shown
    if current is None:
        current = usual
    if current not in offered:
        current = _nearest(current, offered) if isinstance(current, int) else usual
    return offered, current


def _nearest(wanted: int, options: Sequence[Any]) -> Any:
    """The largest number below it, or the first option."""
    below = [option for option in options if isinstance(option, int) and option <= wanted]
    return max(below, default=options[0])
