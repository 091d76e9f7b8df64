"""Custom page elements: each has a script in assets/components that draws its data."""

import json
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st

from explorer.ui import internals

ASSETS: Final = Path(__file__).parents[3] / "assets" / "components"
STYLES: Final = "\n".join(path.read_text() for path in sorted(ASSETS.glob("*.css")))

# Serves the scripts as plain files, fetched once a page load: as part of the element they would be
# sent anew with every picture.
_SCRIPTS: Final = internals.serve("scripts", ASSETS)

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
    script = ASSETS / f"{name}.js"
    version = zlib.crc32(script.read_bytes())
    url = f"{_SCRIPTS}{script.name}?v={version:08x}"
    return st.components.v2.component(
        name, html=html, js=_LOADER.replace("__URL__", url).strip(), isolate_styles=False
    )


def as_json(data: object) -> bytes:
    """The data of a component, ready to send; numpy's arrays become lists.

    (Given a dict, Streamlit would import pandas to look for data frames: 80 MB in every process.)
    """
    return json.dumps(
        data, separators=(",", ":"), allow_nan=False, default=np.ndarray.tolist
    ).encode()
