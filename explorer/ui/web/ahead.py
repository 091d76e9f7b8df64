"""The scripts that every page needs, which a browser fetches early, while Streamlit starts.

Otherwise, Streamlit fetches the script of a kind of element only when it draws the first one, then
the imports of that script, then ours. Until then, grey bars stand in place of the elements.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from explorer.ui.components.component import scripts_of

_STATIC: Final = Path(str(files("streamlit"))) / "static"
# Scripts of Streamlit's, named by what they draw. If another version names them in another way,
# they come when they are needed.
DRAWN_BY_STREAMLIT: Final = (
    "BidiComponent", "TextInput", "Button", "ButtonGroup", "Selectbox", "Checkbox", "Slider",
)  # fmt: skip
DRAWN_BY_US: Final = (
    "history", "page_texts", "explanations", "head", "room_seat", "line", "answer_pieces", "live_plot",
    "run_ends",
)  # fmt: skip
_IMPORTED: Final = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')
_ICONS: Final = "static/media/MaterialSymbols-Rounded.*.woff2"


@cache
def links() -> str:
    """The elements for the head of the first page."""
    scripts = [f"./static/js/{name}" for name in _streamlits()] + scripts_of(DRAWN_BY_US)
    fonts = [f"./{path.relative_to(_STATIC).as_posix()}" for path in _STATIC.glob(_ICONS)]
    return "".join(
        [f'<link rel="modulepreload" fetchpriority="low" href="{script}">\n' for script in scripts]
        + [f'<link rel="preload" as="font" crossorigin href="{font}">\n' for font in fonts]
    )


def _streamlits() -> list[str]:
    """The scripts for `DRAWN_BY_STREAMLIT` and all they import, but for those of its first page."""
    first_page = (_STATIC / "index.html").read_text(encoding="utf-8")
    found = [path.name for kind in DRAWN_BY_STREAMLIT for path in script_of(kind)]
    for name in found:
        text = (_STATIC / "static" / "js" / name).read_text(encoding="utf-8")
        found += [other for other in _IMPORTED.findall(text) if other not in found]
    return [name for name in found if name not in first_page]


def script_of(kind: str) -> Iterator[Path]:
    """The script that draws a kind of element: one, if it is there."""
    return (_STATIC / "static" / "js").glob(f"{kind}.*.js")
