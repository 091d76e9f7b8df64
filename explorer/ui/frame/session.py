"""What is known of a visitor: one plain object, which each run reads and changes in plain Python.

Streamlit may end a run at every use of `st.session_state` and at every element that is drawn, if
another run is to replace it. So `begin` fetches the object once, and `take_changes` first reads all
that the browser says, and then acts on it: nothing in between can end the run.

- The value of a widget, a typed sentence and an event of a component are *states*: every request of
  the browser repeats them. They are taken when they differ from what was taken last.
- A button's callback only notes the click (`when_clicked`).
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import streamlit as st

from explorer.web.visitors import COOKIE, name_of

_KEY: Final = "session"
_this_run: Final = threading.local()
Act = Callable[..., None]


@dataclass(slots=True, kw_only=True)
class _OnPage:
    drawn: bool = True  # in this run


@dataclass(slots=True)
class Widget(_OnPage):
    """A widget as the browser shows it."""

    name: str  # its key for Streamlit: ours, and a version
    shows: Any
    take: Callable[[Any], None]  # what follows when it shows something else
    kind: object = None  # with another one, it is another widget


@dataclass(slots=True)
class Line(_OnPage):
    """A line that somebody types in, see `components.line`."""

    text: str
    take: Callable[[str], None]  # what follows from a typed text
    version: int = 0  # rises when the explorer itself changes the text
    seq: int = 0  # the last text of the browser that was taken, or refused


@dataclass(slots=True)
class Listener(_OnPage):
    """A component, and what follows from its events, by their names."""

    acts: dict[str, Callable[[Any], None]]


@dataclass(slots=True)
class Session:
    """All that is known of a visitor."""

    name: str = field(default_factory=lambda: secrets.token_hex(8))
    page: str = ""  # the one on show
    chosen: dict[str, Any] = field(default_factory=dict)  # by the keys of the parameters
    on_show: dict[str, Any] = field(default_factory=dict)  # the values drawn so far in this run
    drawn: dict[str, dict[str, Any]] = field(default_factory=dict)  # by page, of its last whole run
    memory: dict[str, Any] = field(default_factory=dict)  # of the pages, beside the choices
    versions: dict[str, int] = field(default_factory=dict)  # of widgets
    widgets: dict[str, Widget] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    listeners: dict[str, Listener] = field(default_factory=dict)
    events: dict[tuple[str, str], Any] = field(default_factory=dict)  # the numbers of the last ones
    clicks: list[Callable[[], None]] = field(default_factory=list)
    address: dict[str, str] | None = None  # that of the browser; None before the first run
    is_back: bool = False  # Back or Forward: an earlier run may have written over that address
    runs: int = 0  # that came to their end
    is_acting: bool = False  # this run takes changes, and may not end before that is done
    is_framed: bool = False  # this run has drawn the frame of its page
    shown_once: set[str] = field(default_factory=set)  # keys of the memory
    marked: set[str] = field(default_factory=set)  # words of the page that explain themselves
    fields: Any = None  # the places of the sentences and the answers, from the frame to the page


def session() -> Session:
    """The session of this run."""
    found: Session | None = getattr(_this_run, "session", None)
    return begin() if found is None else found


def browser() -> str:
    """The name of this visitor's browser, the same for all its windows.

    Empty if it keeps the cookie back, as in a frame of another site, and where there is no browser.
    """
    cookie = st.context.cookies.get(COOKIE)
    return name_of(cookie) if isinstance(cookie, str) else ""  # no browser, in tests


def has_session() -> bool:
    """Whether this thread draws for a visitor."""
    return getattr(_this_run, "session", None) is not None


def memory() -> dict[str, Any]:
    """What the pages of this session remember."""
    return session().memory


def once(key: str) -> Any:
    """What is remembered under a key, until a run that shows it has come to its end."""
    here = session()
    here.shown_once.add(key)
    return here.memory.get(key)


def begin() -> Session:
    """Fetch the session of this run."""
    found: Session | None = st.session_state.get(_KEY)
    if found is None:
        found = st.session_state[_KEY] = Session()
    _this_run.session = found
    found.is_acting = found.is_framed = False
    return found


def when_clicked(act: Act, *args: Any, **more: Any) -> Callable[[], None]:
    """The callback of a button: it only notes the click, for `take_changes`."""
    return partial(session().clicks.append, partial(act, *args, **more))


def held(key: str, shows: Any, take: Callable[[Any], None], kind: object = None) -> str:
    """The name, for Streamlit, of a widget that shows this value.

    Nobody tells a browser to change what a widget shows: it is given a new widget, with a new name,
    and what it reports late of the old one is nobody's. The same holds for a widget of another
    `kind`, and for one that was gone for a while.
    """
    here = session()
    before = here.widgets.get(key)
    if before is None or (before.shows, before.kind) != (shows, kind):
        here.versions[key] = here.versions.get(key, -1) + 1
    version = here.versions[key]
    name = f"{key}-{version}" if version else key
    here.widgets[key] = Widget(name, shows, take, kind)
    return name


def has_changes() -> bool:
    """Whether somebody has clicked on a component since the last run."""
    here = session()
    return any(_is_new(here, event, happened) for _, event, happened in _heard(here))


def take_changes() -> None:
    """Take what the browser has changed since the last run."""
    here, state = session(), st.session_state
    # First all is read: the run may end here, and nothing has been done yet.
    shown = [(widget, state.get(widget.name, widget.shows)) for widget in here.widgets.values()]
    typed = [
        (line, (state.get(f"line_{key}") or {}).get("typed")) for key, line in here.lines.items()
    ]
    heard = _heard(here)
    for widget, value in shown:
        if value != widget.shows:
            widget.shows = value
            widget.take(value)
    for line, text in typed:
        _take_text(here, line, text)
    for act, event, happened in heard:
        if _is_new(here, event, happened):
            here.events[event] = happened["n"]
            act(happened.get("value"))
    while here.clicks:
        here.clicks.pop(0)()


def _heard(here: Session) -> list[tuple[Callable[[Any], None], tuple[str, str], Any]]:
    """The last event of each kind from each component, and what follows from it."""
    said = {key: st.session_state.get(key) for key, one in here.listeners.items() if one.acts}
    return [
        (act, (key, name), (states or {}).get(name))
        for key, states in said.items()
        for name, act in here.listeners[key].acts.items()
    ]


def _is_new(here: Session, event: tuple[str, str], happened: Any) -> bool:
    return isinstance(happened, dict) and happened.get("n") not in (None, here.events.get(event))


def _take_text(here: Session, line: Line, typed: Any) -> None:
    """Take a text, unless it was typed for another session, or over a text that has changed."""
    if not isinstance(typed, dict) or typed.get("session") != here.name:
        return
    seq, text = typed.get("seq"), typed.get("text")
    if not isinstance(seq, int) or not isinstance(text, str) or seq == line.seq:
        return
    line.seq = seq
    if typed.get("version") == line.version:
        line.text = text
        line.take(text)


def draw_begins() -> None:
    """Forget what the last run has drawn."""
    here = session()
    here.on_show, here.marked, here.shown_once = {}, set(), set()
    drawn: list[_OnPage] = [*here.widgets.values(), *here.lines.values(), *here.listeners.values()]
    for one in drawn:
        one.drawn = False


def draw_ends() -> None:
    """All is drawn: whatever is no longer on the page says nothing any more."""
    here = session()
    here.runs += 1
    here.drawn[here.page] = here.on_show
    for key in here.shown_once:
        here.memory.pop(key, None)
    here.widgets = {key: one for key, one in here.widgets.items() if one.drawn}
    here.lines = {key: one for key, one in here.lines.items() if one.drawn}
    here.listeners = {key: one for key, one in here.listeners.items() if one.drawn}
