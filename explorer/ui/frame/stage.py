"""The stage of a page, its picture and what is said of it; and a drawer, opened beside it.

A page composes its stage of areas, and names what one can look up with `drawer`. The links to that
are one toolbar, below the stage. One drawer is open at a time; it is made only then, and the
address names it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choices.parameters import Stage
from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose, chosen, on_show
from explorer.ui.frame.session import memory, session

Area = Literal["answer", "where", "keys", "what", "words"]
_ENTRIES: Final = "drawers"
_CLOSED: Final = "none"
TAKES: Final = "take"  # the drawer with files; the one that was open before stays, below it
_LOOKED_UP: Final = {"colours", "formula", "code", "numbers", TAKES}  # the quiet end of the toolbar
_BELOW: Final = "drawer_below"  # the page, and its drawer that was open last, or none
_toolbar = component(
    "toolbar",
    '<div class="toolbar" role="toolbar"></div>',
    prose=True,
)


@dataclass(frozen=True, slots=True)
class _Entry:
    label: str
    show: Callable[..., object]
    args: tuple[Any, ...]
    by_itself: bool
    is_large: bool


def stage(*areas: Area) -> list[DeltaGenerator]:
    """The areas of a page, from left to right; as high as the window, and below each other if it is
    narrow: the *answer* in a sentence, *where* one chooses, a table of *keys*, *what* it shows, and
    that in *words*.
    """
    with st.container(key=f"stage_{'_'.join(areas)}"):
        return [st.container(key=f"area_{area}") for area in areas]


def drawer(
    label: str,
    key: str,
    show: Callable[..., object],
    *args: Any,
    by_itself: bool = False,
    is_large: bool = False,
) -> bool:
    """A link to what `show` draws with `args`; returns whether its drawer is open.

    It may be open `by_itself`, until one is chosen. One that `is_large`, because it has pictures of
    its own, stands in the place of the stage where a window has no room for both.
    """
    _entries()[key] = _Entry(label, show, args, by_itself, is_large)
    return is_open(key, by_itself=by_itself)


def is_open(key: str, *, by_itself: bool = False) -> bool:
    """Whether this drawer is open."""
    opened = chosen(Stage.drawer)
    return by_itself if opened is None else opened == key


def draw_beside_drawer(page: Callable[[], None]) -> None:
    """Draw a page, the links to its drawers, and beside it the one that is open."""
    row = st.container(key="row", horizontal=True)
    try:
        with row.container(key="body"):
            page()
        entries = _entries()
    finally:
        memory().pop(_ENTRIES, None)  # what they show holds on to the model
    key = next((key for key, one in entries.items() if is_open(key, by_itself=one.by_itself)), None)
    if key is not None or any(one.by_itself for one in entries.values()):
        on_show()[Stage.drawer.key] = key or _CLOSED
    if key != TAKES:
        memory()[_BELOW] = session().page, key
    if key is not None:
        with row.container(key="drawer"):
            place = st.container()
            if key == TAKES and (below := entries.get(_open_before() or "")):
                st.subheader(below.label, anchor=False)
                below.show(*below.args)  # first, so that what it draws can be taken
            with place:
                _draw(entries[key])
    if entries:
        links = {name: entries[name].label for name in sorted(entries, key=_LOOKED_UP.__contains__)}
        is_large = key is not None and entries[key].is_large
        data: dict[str, object] = {"links": links, "open": key, "large": is_large}
        data |= {"name": tr("More about this"), "apart": len(entries.keys() - _LOOKED_UP)}
        _toolbar(key="toolbar", data=data, on={"chosen": _take})


def _draw(entry: _Entry) -> None:
    with st.container(horizontal=True, key="drawer_head"):
        st.subheader(entry.label, anchor=False)
        button(
            tr("Close"),
            key="close_drawer",
            icon=":material/close:",
            type="tertiary",
            on_click=_take,
            args=(_CLOSED,),
        )
    entry.show(*entry.args)


def _open_before() -> str | None:
    """The drawer that was open on this page before the one with files."""
    page, key = memory().get(_BELOW, ("", None))
    return key if page == session().page else None


def _take(key: object) -> None:
    choose(Stage.drawer, Stage.drawer.within({}).read(str(key)))


def _entries() -> dict[str, _Entry]:
    found: dict[str, _Entry] = memory().setdefault(_ENTRIES, {})
    return found
