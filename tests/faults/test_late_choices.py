"""A choice that is no longer offered, from a browser that did not know that yet.

Streamlit passes such a choice on as the text that the browser sent, not as the option.
"""

from typing import Any

import pytest

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server


@pytest.mark.parametrize(
    ("page", "query", "late", "meanwhile"),
    [
        (
            "steps",
            "attention=encoder&enc=6&layer=6",
            {"layer": "6"},
            [{"enc": [5.0]}, {"enc": [4.0]}],
        ),
        ("masks", "pairs=4&pair=4", {"pair": "4"}, [{"pairs": "3"}, {"pairs": "2"}]),
        (
            "steps",
            "attention=encoder&src=a b c d",
            {"query": "3 · d"},
            [{"src": "e f g h"}, {"src": "e"}],
        ),
        ("decoding", "src=a b c d&at=4", {"at": "4"}, [{"src": "a b"}, {"src": "a"}]),
    ],
)
@async_test
async def test_a_late_choice_is_no_error(
    server: Server, page: str, query: str, late: dict[str, str], meanwhile: list[dict[str, Any]]
) -> None:
    async with visiting(server.url, page, f"weights=reverse&{query}") as guest:
        await guest.unfold()
        for key, choice in late.items():
            guest.change(key, choice)
        said = dict(guest.states)
        for change in meanwhile:
            guest.states |= said  # still, and again
            await guest.put(**change)
        await guest.walk("home")
        await guest.walk(page)


@async_test
async def test_a_choice_of_the_page_before_is_no_error(server: Server) -> None:
    async with visiting(server.url, "masks", "weights=reverse&src=a b c d") as guest:
        await guest.put(attention=[":green[■] cross"])
        await guest.press("Step by step: where does this score come from?")
        assert guest.is_on("steps")
        await guest.put(load=True)


@async_test
async def test_a_pair_is_removed_once_however_late_its_button_is_pressed(server: Server) -> None:
    pairs = "pairs=2&src=a b&tgt=b a&src2=c d&tgt2=d c"
    async with visiting(server.url, "attention", f"weights=untrained&{pairs}") as guest:
        await guest.unfold()
        second = guest.widget_id("remove_1")
        await guest.press_id(second)
        await guest.press_id(second)
        assert guest.field("src") == "a b"


@async_test
async def test_a_value_from_before_a_click_was_drawn_is_no_choice(server: Server) -> None:
    """A click also changes a menu; a request sent meanwhile has the menu's old value."""
    query = "weights=reverse&pairs=1&attention=encoder&form=matrix"
    async with visiting(server.url, "steps", query) as guest:

        def asked() -> int:
            return int(guest.elements[guest.place_of("query")].selectbox.default)

        await guest.put(src="a b c d")
        await guest.put(query="1 · b")
        said, address = dict(guest.states), guest.query
        await guest.pick("head_weights", "picked", {"x": 0, "y": 3, "name": ""})
        assert asked() == 3
        guest.states, guest.query = guest.states | said, address
        await guest.run()
        assert asked() == 3
        await guest.put(query="2 · c")
        assert asked() == 2
        await guest.put(query="1 · b")
        assert asked() == 1
