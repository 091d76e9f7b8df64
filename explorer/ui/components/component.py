"""Custom page elements: each has a script in assets/components that draws its data."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import streamlit as st

from explorer.runtime.turns import give_way
from explorer.ui.frame.session import Listener, session
from explorer.web.scripts import scripts_of

_LOG: Final = logging.getLogger(__name__)
Act = Callable[[Any], None]
# Marks an element whose script has not run yet: see assets/components/coming.css.
_COMING: Final = '<i class="coming" hidden></i>'

_LOADER: Final = """
for (const url of __NEEDED__) {
  const link = document.createElement("link");
  [link.rel, link.href] = ["modulepreload", new URL(url, document.baseURI).href];
  document.head.append(link);
}
const loading = import(new URL("__URL__", document.baseURI).href);
let last = 0;
export default (component) => {
  const report = (event, value) => { // a state with a number: every later request repeats it
    last = Math.max(last + 1, Date.now());
    component.setStateValue(event, { n: last, value });
  };
  const element = component.parentElement;
  if (__DATA__) { // a browser that translates the page leaves it as it is
    element.translate = false;
    element.classList.add("notranslate");
  }
  element.root ??= element.querySelector(".coming").nextElementSibling;
  const { root } = element;
  const draw = (script) => {
    const { data } = component;
    const before = root.sent ?? [];
    const isNew = data.length !== before.length || data.some((byte, n) => byte !== before[n]);
    root.sent = data.slice();
    const given = { ...component, report, root, isNew };
    Object.defineProperty(given, "sent", { get: () => JSON.parse(new TextDecoder().decode(data)) });
    try {
      script.default(given);
    } finally { // what stands below is not to wait for what cannot be drawn
      element.querySelector(".coming")?.remove();
    }
    element.dataset.script = "ran";
  };
  loading.then((script) => {
    if (__TOGETHER__ && element.dataset.script) {
      window.dispatchEvent(new CustomEvent("picture", { detail: () => draw(script) }));
    } else draw(script);
  }, (error) => {
    element.textContent = `This could not be drawn: ${error.message}. Reload the page.`;
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
    url, *needed = scripts_of([name])
    loader = _LOADER.replace("__NEEDED__", json.dumps(needed)).replace("__URL__", url)
    loader = loader.replace("__DATA__", json.dumps(not prose))
    loader = loader.replace("__TOGETHER__", json.dumps(together))
    mounted = st.components.v2.component(
        name, html=_COMING + html, js=loader.strip(), isolate_styles=False
    )

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


def as_json(data: object) -> bytes:
    """The data of a component, ready to send.

    (Given a dict, Streamlit would import pandas to look for data frames: 80 MB in every process.)
    """
    written = json.dumps(data, separators=(",", ":"), allow_nan=False, default=np.ndarray.tolist)
    return written.encode()
