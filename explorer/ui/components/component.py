"""Custom page elements: each has a script in assets/components that draws its data."""

import json
import zlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import streamlit as st

from explorer.places import COMPONENTS
from explorer.ui import internals

STYLES: Final = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(COMPONENTS.glob("*.css"))
)

# Serves the scripts as plain files, fetched once a page load: as part of the element they would be
# sent anew with every picture.
_SCRIPTS: Final = internals.serve("scripts", COMPONENTS)
# One for all, because scripts may import each other.
_VERSION: Final = zlib.crc32(
    b"".join(path.read_bytes() for path in sorted(COMPONENTS.glob("*.js")))
)

_LOADER: Final = """
const loading = import(new URL("__URL__", document.baseURI).href);
export default (component) => {
  const element = component.parentElement;
  loading.then((script) => {
    script.default(component);
    element.dataset.script = "ran";
  }, (error) => {
    element.textContent = `This could not be drawn: ${error.message}. Reload the page.`;
  });
};
"""


def component(name: str, html: str) -> Any:
    """An element that starts as `html` and is drawn by assets/components/`name`.js.

    The script exports a function, which is called with {data, parentElement, setTriggerValue, …}
    whenever the data changes.
    """
    script = COMPONENTS / f"{name}.js"
    url = f"{_SCRIPTS}{script.name}?v={_VERSION:08x}"
    return st.components.v2.component(
        name, html=html, js=_LOADER.replace("__URL__", url).strip(), isolate_styles=False
    )


def as_json(data: object, array: Callable[[np.ndarray], object] = np.ndarray.tolist) -> bytes:
    """The data of a component, ready to send; `array` makes JSON of numpy's arrays.

    (Given a dict, Streamlit would import pandas to look for data frames: 80 MB in every process.)
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False, default=array).encode()
