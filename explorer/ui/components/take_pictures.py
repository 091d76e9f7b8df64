"""The pictures of the page as files, made in the browser when somebody asks for them."""

from collections.abc import Sequence
from typing import Final

from explorer.figures.theme import DARK, LIGHT, PRINT, Theme, recolouring
from explorer.ui.components.component import as_json, component

_THEMES: Final = {"light": LIGHT, "dark": DARK, "print": PRINT}
_component = component(
    "take_pictures",
    '<div class="take-pictures"><label>Colours <select>'
    '<option value="screen">as on the screen</option><option value="light">light</option>'
    '<option value="dark">dark</option><option value="print">for print</option></select></label>'
    '<ul></ul><button type="button" class="all">All pictures (zip)</button>'
    '<p class="says" aria-live="polite"></p></div>',
)


def take_pictures(
    page: str,
    about: Sequence[str],
    choices: Sequence[tuple[str, str, str]],
    theme: Theme,
) -> None:
    """Offer every picture of the page as PNG, SVG and HTML, and all of them as a zip.

    The captions name the `page`, and hold the lines `about` and the `choices` of the page: key,
    text with a place for the value, and the value.
    """
    themes = {"screen": theme, **_THEMES}
    data = {
        "page": page,
        "about": about,
        "choices": choices,
        "themes": {
            name: {
                "colours": {} if other is theme else recolouring(theme, other),
                "text": other.text,
                "line": other.line,
                "background": other.background,
                "weights": other.weights,
                "masked": other.masked,
            }
            for name, other in themes.items()
        },
    }
    _component(key="take_pictures", data=as_json(data))
