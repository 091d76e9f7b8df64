"""The pictures of the page as files, drawn when somebody asks for them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from explorer.export.pictures import drawn, empty_page, heads_drawn
from explorer.figures.theme import DARK, LIGHT, PRINT, Theme, recolouring
from explorer.languages import mark, tr
from explorer.names import ATTENTION_KINDS
from explorer.render.recolour import recoloured
from explorer.ui.components.component import component
from explorer.ui.components.noted import noted
from explorer.ui.session import memory
from explorer.views.heads import HeadsPicture, heads_bytes

_THEMES: Final = {"light": LIGHT, "dark": DARK, "print": PRINT}
_THEME_NAMES: Final = {
    "screen": mark("as on the screen"),
    "light": mark("light"),
    "dark": mark("dark"),
    "print": mark("for print"),
}
_ASKED: Final = "take_pictures_asked"
_MOST: Final = 4000  # pixels of a picture's width
_component = component(
    "take_pictures",
    '<div class="take-pictures"><label><span></span> <select>'
    '<option value="screen"></option><option value="light"></option>'
    '<option value="dark"></option><option value="print"></option></select></label>'
    '<ul></ul><button type="button" class="all"></button>'
    '<p class="says" aria-live="polite"></p></div>',
    prose=True,
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
        "archive": f"{page.lower().replace(' ', '-').replace('?', '')}-pictures.zip",
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
                "weights": {kind: other.weights(kind) for kind in ATTENTION_KINDS},
                "hatch": other.hatch,
            }
            for name, other in themes.items()
        },
        "made": _made(memory().pop(_ASKED, None), theme, themes),
    }

    def asked(what: Any) -> None:
        memory()[_ASKED] = what

    _component(key="take_pictures", data=data, on={"asked": asked})


def _made(asked: Any, theme: Theme, themes: Mapping[str, Theme]) -> dict[str, Any] | None:
    """The pictures that the script has asked for, by their keys, in the colours that it names."""
    if not isinstance(asked, dict) or str(asked.get("theme")) not in themes:
        return None
    other, widths, made = themes[str(asked["theme"])], asked.get("widths"), {}
    heads = False
    for key, found in noted().items():
        wanted = widths.get(key) if isinstance(widths, dict) else None
        if not isinstance(wanted, int):
            continue
        if isinstance(found.picture, HeadsPicture):
            made[key] = heads_drawn(heads_bytes(found.picture, other), found.picture.focus, other)
            heads = True
        elif found.picture is not None:
            width = max(1, min(wanted, _MOST))
            drawing = recoloured(found.picture.drawing, theme, other)
            made[key] = drawn(drawing, found.picture.alt, width) | {"width": width}
    page = empty_page(heads=heads) if asked.get("page") is True else ""
    return {"number": asked.get("number"), "pictures": made, "page": page}


def _texts() -> dict[str, str]:
    """The texts of the script, with placeholders that it fills."""
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
        "silent": tr("the server did not answer"),
        "gone": tr("This picture is no longer on the page."),
        "saved": tr("Saved {file}."),
        "saved_one": tr("Saved {file}: 1 picture."),
        "saved_all": tr("Saved {file}: {pictures} pictures."),
    }
