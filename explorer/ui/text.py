"""Typed text on its way into Streamlit's Markdown."""

import re
from typing import Final

_MARKUP: Final = re.compile(r"([!-/:-@\[-`{-~])")


def literal(text: str) -> str:
    """Markdown that shows exactly `text`: whatever a person typed, nothing in it is markup."""
    return _MARKUP.sub(r"\\\1", text)
