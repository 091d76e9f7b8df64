"""The keys that work on every page, as the Words page lists them."""

from collections.abc import Mapping
from typing import Final

SHORTCUTS: Final[Mapping[str, str]] = {
    "**P**": "presenter mode: larger type, and nothing but the page. **Escape** or **P** ends it",
    "**N** and **B** in presenter mode": "the next page, and the one before",
    "**Tab**": "to the next control, underlined word or picture",
    "**Arrow keys** in a picture made of cells": "from cell to cell, and over its edge into the "
    "next one. **Home** and **End** go to the ends of a row, **Page Up** and **Page Down** ten "
    "rows up and down, **Ctrl + Home** and **Ctrl + End** to the first and last cell",
    "**Enter** in a picture": "what a click on the cell would do",
    "**Arrow keys** in the answer on the Home page": "piece by piece",
    "**Alt + N** and **Alt + P** in the tour": "the next stop, and the one before",
    "**Space** in a question that asks to mark cells": "marks the cell",
}
