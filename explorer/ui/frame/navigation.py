"""The places, the pages of the place on show, and links to the previous and the next page."""

from explorer.choices.pages import PAGES, PLACES
from explorer.choices.parameters import Frame
from explorer.languages import tr
from explorer.ui.components.component import Act
from explorer.ui.components.head import head
from explorer.ui.controls.choices import value
from explorer.ui.frame.address import go_back
from explorer.ui.frame.language import for_browser, take_language
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import memory, session


def draw_navigation() -> None:
    """Draw one row; on a phone it is a bar, with a list of all pages."""
    here, names = session().page, list(PAGES)
    place = next((place for place, pages in PLACES.items() if here in pages), "")
    last: dict[str, str] = memory().setdefault("last_pages", {})
    last[place] = here
    at, on_tour = names.index(here), value(Frame.tour) is not None  # the tour has its own links
    data = {
        "page": here,
        "here": [tr(place), tr(PAGES[here][1])],
        "places": [
            [tr(name), last.get(name, next(iter(pages))), [*map(_link, pages)]]
            for name, pages in PLACES.items()
        ],
        "pages": [*map(_link, PLACES.get(place, ()))],
        "words": [_link("glossary")],
        "before": [] if on_tour else [*map(_link, names[:at][-1:])],
        "after": [] if on_tour else [*map(_link, names[at + 1 :][:1])],
    }
    acts: dict[str, Act] = {"went": open_page, "back": go_back, "spoken": take_language}
    head({**data, **for_browser()}, acts)


def _link(page: str) -> tuple[str, str]:
    return page, tr(PAGES[page][1])
