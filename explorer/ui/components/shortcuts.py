"""The keys that work on every page, as the head of every page lists them."""

from collections.abc import Mapping
from typing import Final

from explorer.languages import mark

# Each key or keys, and what they do; `tr` both where they are shown.
SHORTCUTS: Final[Mapping[str, str]] = {
    mark("P"): mark("presenter mode: larger type, and nothing but the page. Escape or P ends it"),
    mark("N and B"): mark("the next page, and the one before"),
    mark("W and ?"): mark("the words of the field, and these keys"),
    # Translators: the key that moves the focus
    mark("Tab"): mark("to the next control, underlined word or picture"),
    mark("Arrow keys in a row of buttons"): mark(
        "from button to button; Enter or Space chooses the one that has the focus"
    ),
    mark("Arrow keys in a picture made of cells"): mark(
        "from cell to cell, and over its edge into the next one. Home and End go to the "
        "ends of a row, Page Up and Page Down ten rows up and down, Ctrl + Home and "
        "Ctrl + End to the first and last cell"
    ),
    mark("Enter in a picture"): mark("what a click on the cell would do"),
    mark("E in a picture"): mark("enlarges it: to zoom into it, and to save it"),
    mark("Alt + N and Alt + P in the tour"): mark("the next stop, and the one before"),
}
