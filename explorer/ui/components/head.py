"""The head of every page: the links to all pages, the keys, presenter mode and the language."""

from collections.abc import Mapping
from typing import Final

from explorer.choices.pages import PLACES
from explorer.languages import mark, tr
from explorer.ui.components.component import Act, component

# The keys that work on every page, and what they do; `tr` both where they are shown.
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
_HTML: Final = f"""<nav class="head" aria-label="Transformer Explorer">
  <div class="places"><div class="all"><div class="pages"></div></div>
    <div class="shelf"><div class="page_before"></div>
      <button type="button" class="all_pages" popovertarget="all_pages"><span></span><b></b>
      </button>
      <div class="page_after"></div></div>
    <div class="words"></div><div class="corner">
    <button type="button" class="keys" popovertarget="keys"></button>
    <button type="button" class="present" aria-keyshortcuts="P"></button>
    <select></select>
    <div id="keys" popover><dl>{"<dt></dt><dd></dd>" * len(SHORTCUTS)}</dl>
      <label class="single"><input type="checkbox"><span></span></label></div>
  </div></div>
  <div id="all_pages" popover>{"<p></p><div></div>" * len(PLACES)}<div></div></div>
</nav>"""
_component = component("head", _HTML, prose=True)


def head(data: Mapping[str, object], on: Mapping[str, Act]) -> None:
    """Draw the head, and have the browser know the language of the page.

    `on` says what follows when somebody "went" to a page, or "back" (or forward) in the browser's
    history, or chose the language that is "spoken".
    """
    texts = {
        "language": tr("Language"),
        "keys": tr("Keyboard"),
        "present": tr("Presenter mode (P)"),
        "leave": tr("Leave presenter mode (Escape)"),
        "single": tr("Single keys work: P, N, B, W and ?"),
        "shortcuts": [tr(text) for pair in SHORTCUTS.items() for text in pair],
    }
    # (The key "head" is that of a choice.)
    _component(key="page_head", data={**data, "texts": texts}, on=on)
