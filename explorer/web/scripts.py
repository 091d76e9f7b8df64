"""The scripts and styles of the page's elements, in assets/components."""

import re
import zlib
from collections.abc import Iterable
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
_IMPORTED: Final = re.compile(r'^import .*"\./(\w+\.js)";$', re.MULTILINE)


def scripts_of(names: Iterable[str]) -> list[str]:
    """The addresses of elements' scripts and, after them, of all that they import."""
    found = [f"{name}.js" for name in names]
    for script in found:
        text = (COMPONENTS / script).read_text(encoding="utf-8")
        found += [other for other in _IMPORTED.findall(text) if other not in found]
    return [f"{SCRIPTS}/{_VERSION:08x}/{script}" for script in found]
