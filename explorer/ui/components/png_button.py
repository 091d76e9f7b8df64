"""A button to save a picture as PNG: the browser draws it, from the picture's SVG."""

from collections.abc import Callable
from typing import Any, Final

from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.frame.session import memory, once, session

_ASKED: Final = "png_asked"
_component = component("png_button", '<button type="button" class="png-button"></button>')


def png_button(title: str, file: str, make: Callable[[], bytes]) -> None:
    """Draw the button; `make` gives the SVG when it has been pressed."""
    data: dict[str, Any] = {"label": "PNG", "file": file}
    data["name"] = tr("{picture} as {kind}", picture=title, kind="PNG")
    if once(_ASKED):
        data |= {"svg": make().decode(), "number": session().runs}

    def asked(_: Any) -> None:
        memory()[_ASKED] = True

    _component(key="take_png", data=data, on={"asked": asked}, width="content")
