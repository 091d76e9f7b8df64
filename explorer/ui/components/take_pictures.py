"""The pictures of the page as files, made in the browser when somebody asks for them."""

from collections.abc import Mapping, Sequence
from typing import Final

from explorer.figures.theme import DARK, LIGHT, PRINT, Theme, recolouring
from explorer.languages import mark, spoken, tr
from explorer.ui.components.component import as_json, component

_THEMES: Final = {"light": LIGHT, "dark": DARK, "print": PRINT}
_THEME_NAMES: Final = {
    "screen": mark("as on the screen"),
    "light": mark("light"),
    "dark": mark("dark"),
    "print": mark("for print"),
}
_component = component(
    "take_pictures",
    '<div class="take-pictures"><label><span></span> <select>'
    '<option value="screen"></option><option value="light"></option>'
    '<option value="dark"></option><option value="print"></option></select></label>'
    '<ul></ul><button type="button" class="all"></button>'
    '<p class="says" aria-live="polite"></p></div>',
)


def take_pictures(
    page: str,
    about: Sequence[str],
    choices: Sequence[tuple[str, str | Mapping[str, str], str]],
    theme: Theme,
) -> None:
    """Offer every picture of the page as PNG, SVG and HTML, and all of them as a zip.

    The captions name the `page` (its English name), and hold the lines `about` and the `choices` of
    the page: key, text with a place for the value, or a text for each value, and the value.
    """
    themes = {"screen": theme, **_THEMES}
    data = {
        "page": tr(page),
        "archive": f"{page.lower().replace(' ', '-')}-pictures.zip",
        "language": spoken(),
        "texts": _texts(),
        "about": about,
        "choices": choices,
        "themes": {
            name: {
                "name": tr(_THEME_NAMES[name]),
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


def _texts() -> dict[str, str]:
    """What the script writes, with places that it fills."""
    return {
        "colours": tr("Colours"),
        "all": tr("All pictures (zip)"),
        "heads": tr("All heads"),
        "map": tr("Map of the model"),
        "writing": tr("The answer as it is written"),
        "as": tr("{picture} as {kind}"),
        "nothing": tr("This page shows no picture right now."),
        "making": tr("Making the file …"),
        "failed": tr("The file could not be made: {error}."),
        "missing": tr("plotly.js could not be loaded"),
        "gone": tr("This picture is no longer on the page."),
        "saved": tr("Saved {file}."),
        "saved_one": tr("Saved {file}: 1 picture."),
        "saved_all": tr("Saved {file}: {pictures} pictures."),
    }
