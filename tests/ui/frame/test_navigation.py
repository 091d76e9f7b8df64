"""The places and their pages, and what stands on each side of a page."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.choices.pages import PAGES, PLACES
from tests.app.driving import open_page, sent_to

NAMES = list(PAGES)


def head(at: AppTest) -> dict[str, Any]:
    """What was sent to the head of the page."""
    (found,) = (one for one in at.get("bidi_component") if one.proto.id.endswith("-page_head"))
    return sent_to(found.proto)


@pytest.mark.parametrize("name", ["home", "attention", "training", "room", "glossary"])
def test_the_places_the_pages_of_one_and_the_neighbours_of_a_page(name: str) -> None:
    sent = head(open_page(name))
    assert [place for place, _, _ in sent["places"]] == [*PLACES]
    assert [page for _, _, pages in sent["places"] for page, _ in pages] == NAMES[:-1]
    assert sent["words"] == [["glossary", "Glossary"]]
    here = next((pages for pages in PLACES.values() if name in pages), {})
    assert sent["pages"] == [[page, title] for page, (_, title) in here.items()]
    at = NAMES.index(name)
    assert [page for page, _ in sent["before"]] == [NAMES[at - 1]] * (at > 0)
    assert [page for page, _ in sent["after"]] == NAMES[at + 1 : at + 2]


def test_the_tour_has_its_own_neighbours() -> None:
    sent = head(open_page("masks", tour=3))
    assert sent["before"] == sent["after"] == []


def test_a_place_opens_the_page_where_one_was_last() -> None:
    at = open_page("attention")
    sent = head(at.switch_page(PAGES["tokens"][0]).run())
    assert [last for _, last, _ in sent["places"]][1:3] == ["tokens", "attention"]
