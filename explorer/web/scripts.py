"""The scripts and styles of the page's elements, in assets/components."""

import re
import zlib
from typing import Final

from explorer.paths import COMPONENTS

STYLES: Final = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(COMPONENTS.glob("*.css"))
)
# Where the scripts are served, beside the pages, in a folder that is named after their version. As
# part of an element, they would be sent anew with every picture.
SCRIPTS: Final = "scripts"
_VERSION: Final = zlib.crc32(b"".join(path.read_bytes() for path in sorted(COMPONENTS.glob("*.*"))))

# Everything that a script imports is fetched at once, not file after file.
_IMPORTED: Final = re.compile(r'^import .*"\./(\w+)\.js";$', re.MULTILINE)


def scripts_of(element: str) -> list[str]:
    """The script of an element and, after it, all that it imports."""
    found = [element]
    for script in found:
        text = (COMPONENTS / f"{script}.js").read_text(encoding="utf-8")
        found += [other for other in _IMPORTED.findall(text) if other not in found]
    return found


def address_of(script: str) -> str:
    """The address of a script, beside the pages."""
    return f"{SCRIPTS}/{_VERSION:08x}/{script}.js"
