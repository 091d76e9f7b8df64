"""The places and their pages, and what stands on each side of a page."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.registry import PAGES, PLACES
from tests.app.driving import open_page

NAMES = list(PAGES)


def links(at: AppTest) -> list[tuple[str, str]]:
    """The pages that are linked to, and how they are called."""
    return [(link.page or "home", link.label) for link in at.page_link]


@pytest.mark.parametrize("name", ["home", "heads", "training", "room", "words"])
def test_two_rows_lead_to_the_places_and_the_pages_of_one(name: str) -> None:
    found = links(open_page(name))
    assert [label for _, label in found[:7]] == [*PLACES, "Glossary"]
    here = next((pages for pages in PLACES.values() if name in pages), {})
    assert [page for page, _ in found[7 : 7 + len(here)]] == list(here)


@pytest.mark.parametrize("name", ["home", "heads", "room", "words"])
def test_the_neighbours_of_a_page_stand_on_both_sides_of_the_list_of_all(name: str) -> None:
    at = NAMES.index(name)
    found = links(open_page(name, **{f"all_pages_{name}": True}))
    around = [NAMES[at - 1]] * (at > 0), NAMES[at + 1 : at + 2]
    # With the page before and the one after, which follow on the pages of the place on show.
    listed = found[-len(NAMES) - len(around[1]) - len(around[0]) :]
    assert [page for page, _ in listed] == [*around[0], *NAMES, *around[1]]


def test_unopened_lists_are_not_drawn() -> None:
    pages = [page for page, _ in links(open_page("heads"))]
    assert pages.count("decoding") == 0


def test_a_place_opens_the_page_where_one_was_last() -> None:
    at = open_page("heads")
    at.switch_page(PAGES["tokens"][0]).run()
    assert ("heads", "Attend") in links(at)
    assert ("tokens", "Read") in links(at)
