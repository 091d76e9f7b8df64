"""An attacker who floods the rooms does not harm the people in them."""

import re

from explorer.runtime.shares import WRONG_CODES_PER_BROWSER, WRONG_CODES_PER_WINDOW
from tests.faults.guest import Guest, browser_cookie, visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server

CLASS = "127.0.0.7"  # its network address


async def try_code(guest: Guest, code: str) -> None:
    guest.change("room_code", code)
    await guest.press("Join")


@async_test
async def test_a_browser_that_tries_codes_is_stopped_but_nobody_else_and_no_member(
    server: Server,
) -> None:
    async with visiting(server.url, "room", "weights=reverse", source=CLASS) as teacher:
        code, cookie = await teacher.open_room(), browser_cookie()
        join = {"page": "", "query": f"room={code}", "source": CLASS}
        async with visiting(server.url, cookie=cookie, **join) as pupil:
            seat = next(
                e for e in pupil.shown("bidi_component")
                if e.bidi_component.component_name == "room_seat"
            )  # fmt: skip
            browser_pass = re.findall(rb'"pass":"(\w+)"', seat.bidi_component.bytes)[0].decode()
            assert pupil.says("your page follows")
        for _ in range(WRONG_CODES_PER_BROWSER // WRONG_CODES_PER_WINDOW):
            async with visiting(server.url, "room", cookie=cookie, source=CLASS) as window:
                for _ in range(WRONG_CODES_PER_WINDOW):
                    await try_code(window, "0000-0000")
                    assert window.says("There is no room")
                await try_code(window, code)
                assert window.says("Too many codes")
        async with visiting(server.url, cookie=cookie, **join) as stranger:
            assert stranger.says("Too many codes")
        member_cookie = f"{cookie}; explorer-room-{code.replace('-', '')}={browser_pass}"
        async with visiting(server.url, cookie=member_cookie, **join) as pupil:  # a reload
            assert pupil.says("your page follows")
        async with visiting(server.url, cookie=browser_cookie(), **join) as neighbour:
            assert neighbour.says("your page follows")
