"""Custom page elements: each has a script in assets/components that draws its data."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import streamlit as st

from explorer.drawing.theme import THEMES, Theme
from explorer.runtime.turns import give_way
from explorer.ui.frame.session import Listener, session
from explorer.web.scripts import address_of, scripts_of

_LOG: Final = logging.getLogger(__name__)
Act = Callable[[Any], None]
# Marks an element whose script has not run yet: see assets/components/coming.css.
_COMING: Final = '<i class="coming" hidden></i>'

# Sent with every run, so it is short.
_LOADER: Final = """
const drawn = import(new URL("%s", document.baseURI).href).then(({ drawing }) => drawing(...%s));
export default (component) => {
  drawn.then((draw) => draw(component), (error) => {
    const text = `This could not be drawn: ${error.message}. Reload the page.`;
    component.parentElement.textContent = text;
  });
};
"""


def component(name: str, html: str, *, prose: bool = False, together: bool = False) -> Any:
    """An element that starts as `html` and is drawn by assets/components/`name`.js.

    What it shows is data, which no browser translates, or else `prose`. All that are drawn
    `together` change at once, when a run has ended.

    The script exports a function, which is called with {root, data, sent, isNew, report, …} for
    every run: the element, the data as bytes and as JSON says them, and whether they are others
    than before. It reports events by name, each with a value; those with a value that it never
    sends do nothing.
    """
    _, *needed = scripts_of(name)
    about = json.dumps([name, needed, not prose, together], separators=(",", ":"))
    loader = (_LOADER % (address_of("element"), about)).strip()
    mounted = st.components.v2.component(name, html=_COMING + html, js=loader, isolate_styles=False)

    def draw(
        *,
        key: str,
        data: object,
        on: Mapping[str, Act] | None = None,
        states: Iterable[str] = (),
        **given: Any,
    ) -> None:
        """Draw the element.

        `on` says what follows from each event, before the next run; `states` are the names of
        others that the script sets.
        """
        give_way()
        acts = {event: _carefully(act) for event, act in (on or {}).items()}
        sent = data if isinstance(data, bytes) else as_json(data)
        heard: dict[str, Any] = {f"on_{name}_change": _nothing for name in (*acts, *states)}
        found = mounted(key=key, data=sent, **given, **heard)
        here = session()
        here.listeners[key] = Listener(acts)
        for event in acts:
            # What it said before this session first drew it was said to another one.
            state = getattr(found, event, None)
            number = state.get("n") if isinstance(state, dict) else None
            here.events.setdefault((key, event), number)

    return draw


def _nothing() -> None:
    """Streamlit keeps only states with a callback; `take_changes` reads them."""


def _carefully(act: Act) -> Act:
    """Let what follows from an event fail without an error on the page: anybody sends anything."""

    def acting(value: Any) -> None:
        try:
            act(value)
        except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
            _LOG.warning("What follows from an event has failed", exc_info=True)

    return acting


def theme_here() -> Theme:
    """The colours of the page on show: light or dark, as the browser says."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def as_json(data: object) -> bytes:
    """The data of a component, ready to send.

    (Given a dict, Streamlit would import pandas to look for data frames: 80 MB in every process.)
    """
    written = json.dumps(data, separators=(",", ":"), allow_nan=False, default=np.ndarray.tolist)
    return written.encode()
