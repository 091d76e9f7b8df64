"""A choice that is no longer offered, from a browser that did not know that yet.

Streamlit passes such a choice on as the text that the browser sent, not as the option.
"""

import asyncio
import json
from typing import Any

import pytest

from tests.faults.guest import Guest, visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server


@pytest.mark.parametrize(
    ("page", "query", "late", "meanwhile"),
    [
        ("attention", "enc=6&layer=6", {"layer": "6"}, [{"enc": [5.0]}, {"enc": [4.0]}]),
        (
            "heads",
            "dec=4&attention=cross&layer=4",
            {"layer": "4"},
            [{"dec": [3.0]}, {"dec": [1.0]}],
        ),
        ("attention", "heads=8&head=8", {"head": "8"}, [{"heads": ["4"]}, {"heads": ["2"]}]),
        ("masks", "pairs=4&pair=4", {"pair": "4"}, [{"pairs": 3.0}, {"pairs": 2.0}]),
        ("tokens", "pairs=3&pair=3", {"pair": "3"}, [{"pairs": 2.0}, {"pairs": 1.0}]),
        ("steps", "src=a b c d", {"key": "3 · d"}, [{"src": "e f g h"}, {"src": "e"}]),
        ("stack", "src=a b c d", {"word": "3 · d"}, [{"src": "e f g h"}, {"src": "e"}]),
        ("decoding", "src=a b c d&at=4", {"at": "4"}, [{"src": "a b"}, {"src": "a"}]),
        (
            "training",
            "dec=4&learning_layer=4",
            {"learning_layer": "4"},
            [{"dec": [3.0]}, {"dec": [2.0]}],
        ),
    ],
)
@async_test
async def test_a_late_choice_is_no_error(
    server: Server, page: str, query: str, late: dict[str, str], meanwhile: list[dict[str, Any]]
) -> None:
    async with visiting(server.url, page, f"weights=reverse&{query}") as guest:
        await guest.unfold()
        ids = {key: guest.widget_id(key) for key in late}
        for change in meanwhile:
            for key, choice in late.items():  # still, and again
                guest.set_value(ids[key], choice)
            await guest.put(**change)
        if page == "decoding":
            await guest.press("Play")
            for fragment in list(guest.refreshing):
                await guest.refresh(fragment)
        await guest.walk("home")
        await guest.walk(page)


@async_test
async def test_a_choice_of_the_page_before_is_no_error(server: Server) -> None:
    async with visiting(server.url, "masks", "weights=reverse&src=a b c d") as guest:
        await guest.put(key="1 · b")
        for button in ("Step by step: where does this score come from?", "Predict first"):
            found = (e.button for e in guest.shown("button"))
            label = next(b.label for b in found if b.label.startswith(button))
            await guest.press(label)  # and go on saying what was chosen there
        await guest.unfold()
        (load,) = (fold for fold in guest.folds if fold.endswith("-load"))
        await guest.set_id(load, True)


@async_test
async def test_a_letter_of_the_page_before_does_not_bring_that_page_back(server: Server) -> None:
    async with visiting(server.url, "attention", "weights=reverse&src=a b c d") as guest:
        src = guest.widget_id("src")
        guest.set_value(src, "a b c d e")
        late = guest.request(fragment=guest.fragment_of(src))
        await guest.walk("masks")
        await guest.send(late)
        while guest.is_on("masks") and not guest.received.count(b"e d c b a"):
            await guest.receive()
        assert guest.is_on("masks")
        assert guest.elements[guest.place_of("one_mask")]


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.05, 0.1])
@pytest.mark.parametrize(("key", "typed"), [("src", "a b c d e"), ("history", "a b c d")])
@async_test
async def test_a_choice_during_a_page_turn_does_not_change_the_new_page(
    server: Server, key: str, typed: str, pause: float
) -> None:
    async with visiting(server.url, "attention", "weights=reverse&src=a b c d") as guest:
        guest.set_value(guest.widget_id("src"), typed)
        late = guest.request(fragment=guest.fragment_of(guest.widget_id(key)))
        before, guest._page_script_hash = guest._page_script_hash, guest.hashes["masks"]
        guest.page = "masks"
        turned = guest.request()
        guest._page_script_hash = before  # until the server says the new one
        await guest.send(turned)
        await asyncio.sleep(pause)
        await guest.send(late)
        await guest.wait_for(page="masks")
        await guest.rest(0.4)
        assert guest.is_on("masks")
        assert guest.elements[guest.place_of("one_mask")]
        assert guest.field("src") == typed


@async_test
async def test_a_pair_is_removed_once_however_late_its_button_is_pressed(server: Server) -> None:
    pairs = "pairs=2&src=a b&tgt=b a&src2=c d&tgt2=d c"
    async with visiting(server.url, "attention", f"weights=untrained&{pairs}") as guest:
        await guest.unfold()
        second = guest.widget_id("remove_1")
        await guest.press_id(second)
        await guest.press_id(second)
        assert guest.field("src") == "a b"


@pytest.mark.parametrize("heard_of", ["nothing", "the new address"])
@async_test
async def test_a_value_from_before_a_click_was_drawn_is_no_choice(
    server: Server, heard_of: str
) -> None:
    """A click also changes a menu; a request sent meanwhile has the menu's old value."""
    async with visiting(server.url, "steps") as guest:
        await guest.put(src="a cat saw it")
        await guest.put(key="1 · cat")
        menu, before = guest.widget_id("key"), guest.query
        await guest.pick("step_table", "picked", 3)
        after = guest.query
        assert chosen_row(guest) == 3
        guest.set_value(menu, "1 · cat")
        guest.query = before if heard_of == "nothing" else after
        await guest.run(fragment=guest.fragment_of(guest.widget_id("history")))
        assert chosen_row(guest) == 3
        await guest.put(key="2 · saw")  # a choice, whatever it has not heard of
        assert chosen_row(guest) == 2
        guest.query = after
        await guest.put(key="1 · cat")
        assert chosen_row(guest) == 1


def chosen_row(guest: Guest) -> int:
    """The row of the table that is marked."""
    table = guest.elements[guest.place_of("step_table")]
    return int(json.loads(table.bidi_component.bytes)["chosen"])


@async_test
async def test_from_numbers_that_a_link_opens_there_is_a_way_to_the_sentence(
    server: Server,
) -> None:
    """A part of the page may write only where it has written when everything was drawn."""
    async with visiting(server.url, "steps", "case=toy") as guest:
        await guest.press("Now with my sentence")
        assert guest.field("src") is not None
