"""The styles of all pages."""

from typing import Final

from explorer.places import COMPONENTS

STYLES: Final = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(COMPONENTS.glob("*.css"))
)
