"""What a page has beside its picture: one drawer at a time, named in the address."""

from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.choices.pages import PAGES
from tests.app.driving import (
    acting_for,
    choose,
    components,
    memory_of,
    open_page,
    press,
    session_of,
    unpacked,
)

SHORT = {"src": "a b", "tgt": "x", "pairs": 1}


def toolbar(at: AppTest) -> dict[str, Any]:
    """What was sent to the links below the page."""
    (sent,) = (one for one in at.get("bidi_component") if one.proto.id.endswith("-toolbar"))
    return dict(unpacked(sent.proto.bytes))


def choose_link(at: AppTest, key: str) -> AppTest:
    """Press one of the links."""
    with acting_for(at):
        session_of(at).listeners["toolbar"].acts["chosen"](key)
    return at.run()


def shown(at: AppTest) -> list[str]:
    """The titles of the drawers on the page."""
    titles = toolbar(at)["links"].values()
    return [heading.value for heading in at.subheader if heading.value in titles]


def test_a_link_opens_a_drawer_and_closes_the_one_before() -> None:
    at = open_page("attention", **SHORT)
    links = toolbar(at)["links"]
    assert shown(at) == []
    assert not at.code  # what is in a drawer is made when it is open
    for key in ("code", "heads"):
        choose_link(at, key)
        assert shown(at) == [links[key]]
        assert toolbar(at)["open"] == key
        assert at.query_params["drawer"] == key
    assert "encoder-heads" in components(at)
    press(at, "Close")
    assert shown(at) == []
    assert "drawer" not in at.query_params


def test_turning_the_page_closes_it_and_a_link_opens_it_again() -> None:
    at = open_page("attention", **SHORT, drawer="code")
    assert len(shown(at)) == 1
    with acting_for(at):
        session_of(at).listeners["page_head"].acts["went"]("masks")
    at.run()
    assert at.title[0].value == "What may each word look at?"
    assert shown(at) == []
    assert "drawer" not in at.query_params


def test_a_name_that_the_page_does_not_have_opens_nothing() -> None:
    for name in ("no_such_drawer", "four", "<b>"):
        at = open_page("masks", **SHORT, drawer=name)
        assert shown(at) == []
        assert "drawer" not in at.query_params
    choose_link(at, "no_such_drawer")
    assert shown(at) == []


def test_a_mistake_in_a_link_opens_its_drawer_until_it_is_closed() -> None:
    at = open_page("masks", **SHORT, rule="columns")
    assert shown(at) == ["Two mistakes seen in tutorials"]
    press(at, "Close")
    assert shown(at) == []
    at.run()
    assert shown(at) == []


def test_what_an_open_drawer_draws_can_be_taken_with_the_page() -> None:
    at = open_page("attention", **SHORT, drawer="why_there")
    links = toolbar(at)["links"]
    choose_link(at, "take")
    assert shown(at) == [links["take"], links["why_there"]]
    assert {"one_head", "why_score"} <= set(memory_of(at)["noted"])
    choose_link(at, "none")
    assert shown(at) == []


def test_the_drawer_below_the_files_is_drawn_once_and_on_its_own_page_only() -> None:
    at = open_page("attention", **SHORT, drawer="code")
    links = toolbar(at)["links"]
    for _ in range(2):  # a browser may report it twice
        choose_link(at, "take")
        assert shown(at) == [links["take"], links["code"]]
    choose(at, drawer="code").run()  # as Back, the tour and whoever leads a room do
    assert shown(at) == [links["code"]]
    choose(at, drawer="take").run()
    assert shown(at) == [links["take"], links["code"]]
    at.switch_page(PAGES["masks"][0])
    at.run()
    links = toolbar(at)["links"]
    assert "code" in links
    assert shown(at) == [links["take"]]
    choose(at, drawer="code").run()
    assert shown(at) == [links["code"]]


def test_the_tour_leads_back_from_the_files_to_its_drawer() -> None:
    at = open_page("stack", weights="translator", tour=2)
    choose_link(at, "stop")
    links = toolbar(at)["links"]
    choose_link(at, "take")
    assert shown(at) == [links["take"], links["stop"]]
    press(at, "Back to the picture")
    assert shown(at) == [links["stop"]]
