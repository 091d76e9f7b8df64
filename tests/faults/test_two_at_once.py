"""Several requests at the same moment: all that somebody has done is taken, and once."""

import asyncio

import pytest

from tests.faults.guest import Guest, visiting
from tests.support.async_tests import async_test
from tests.support.marks import rest
from tests.support.servers import Server
from tests.support.wire import WidgetState

PAUSES = pytest.mark.parametrize("pause", [0.0, 0.03, *rest(0.01, 0.1)])
FOUR = "weights=untrained&pairs=4&src=a&src2=b&src3=c&src4=d"


def chosen_row(guest: Guest) -> int:
    """The row of the table that is marked."""
    return int(guest.data_of("step_table")["chosen"])


@PAUSES
@async_test
async def test_a_button_and_a_letter(server: Server, pause: float) -> None:
    """A browser's line waits for a click: of two requests at once, Streamlit drops the click."""
    async with visiting(server.url, "masks", FOUR) as guest:
        await guest.unfold()
        await guest.put_at_once(pause, {"src": "x"})
        remove = WidgetState(id=guest.widget_id("remove_1"), trigger_value=True)
        await guest.send(guest.request([remove]))
        await asyncio.sleep(0.25)
        await guest.put_at_once(pause, {"src": "x y"})
        await guest.rest(1.0)
        assert [guest.field(f"src{n}") for n in ("", 2, 3)] == ["x y", "c", "d"]


@PAUSES
@async_test
async def test_a_click_in_a_picture_and_a_letter(server: Server, pause: float) -> None:
    async with visiting(server.url, "steps", "weights=reverse&src=a b c d") as guest:
        guest.report("step_table", "picked", 3)
        await guest.send(guest.request())
        await guest.put_at_once(pause, {"src": "a b c e"}, {"src": "a b c e f"})
        await guest.rest(1.0)
        assert guest.field("src") == "a b c e f"
        assert chosen_row(guest) == 3


@PAUSES
@async_test
async def test_a_page_turn_and_a_letter(server: Server, pause: float) -> None:
    """The browser does not know of the new page yet: the letter's request names the old one."""
    async with visiting(server.url, "attention", "weights=reverse&src=a b c d") as guest:
        guest.report("page_head", "went", "masks")
        await guest.send(guest.request())
        await guest.put_at_once(pause, {"src": "a b c d e"})
        await guest.rest(1.0)
        assert guest.is_on("masks")
        assert guest.has("one_mask")
        assert guest.field("src") == "a b c d e"


@PAUSES
@async_test
async def test_a_change_of_the_model_is_drawn_though_somebody_types_on(
    server: Server, pause: float
) -> None:
    query = "weights=untrained&pairs=1&src=a b c&tgt=x y"
    async with visiting(server.url, "attention", query) as guest:
        await guest.unfold()
        for number, d_model in enumerate((72, 80, 88, 96)):
            typed = " ".join("abcdefg"[: number + 2])
            await guest.put_at_once(pause, {"d_model": str(d_model)}, {"src": typed})
            await guest.wait_for(f"d_k = {d_model} ÷")
            while guest.field("src") != typed:
                await guest.receive()
