"""Typed text on its way into Streamlit's Markdown."""

import re
from typing import Final

_MARKUP: Final = re.compile(r"([!-/:-@\[-`{-~])")
# Addresses become links even when escaped; an invisible joiner inside them prevents it.
_ADDRESS: Final = re.compile(r"(www|://?|@)", re.IGNORECASE)


def literal(text: str) -> str:
    """Markdown that shows exactly `text`: whatever a person typed, nothing in it is markup."""
    joined = _ADDRESS.sub("\\1\u2060", text)
    return _MARKUP.sub(r"\\\1", joined)
