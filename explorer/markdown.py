"""Typed text on its way into Streamlit's Markdown."""

import re
from typing import Final

_MARKUP: Final = re.compile(r"([!-/:-@\[-`{-~])")
# Even escaped addresses become links; an invisible joiner inside them prevents that.
_ADDRESS: Final = re.compile(r"(www|://?|@)", re.IGNORECASE)


def literal(text: str) -> str:
    """Markdown that shows exactly `text`, whatever it contains."""
    joined = _ADDRESS.sub("\\1\u2060", text)
    return _MARKUP.sub(r"\\\1", joined)
