"""An attacker who floods the rooms does not harm the people in them."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from explorer.runtime.shares import WRONG_CODES_PER_BROWSER, WRONG_CODES_PER_WINDOW
from tests.faults.guest import Guest, browser_cookie, visiting
from tests.support.async_tests import async_test
from tests.support.people import key_of
from tests.support.servers import Server

ATTACKER, CLASS = "127.0.0.66", "127.0.0.7"  # network addresses


async def try_code(guest: Guest, code: str) -> None:
    guest.change("room_code", code)
    await guest.press("Join")


@asynccontextmanager
async def room(server: Server, query: str = "weights=reverse") -> AsyncIterator[tuple[Guest, str]]:
    """A teacher with an open room, and its code."""
    async with visiting(server.url, "room", query, source=CLASS) as teacher:
        yield teacher, await teacher.open_room()


@async_test
async def test_many_wrong_codes_lock_nobody_out(server: Server) -> None:
    """The attacker reconnects each time, from the network of the class."""
    async with room(server) as (_, code):
        for _ in range(4):  # more wrong codes than a browser may type
            async with visiting(server.url, "room", source=CLASS) as attacker:
                for _ in range(WRONG_CODES_PER_WINDOW):
                    await try_code(attacker, "0000-0000")
                    assert attacker.says("There is no room")
                await try_code(attacker, code)
                assert attacker.says("Too many codes")
        async with visiting(server.url, "", f"room={code}", source=CLASS) as pupil:
            assert pupil.says("your page follows")


@async_test
async def test_a_browser_that_tries_codes_is_stopped_but_a_member_may_return(
    server: Server,
) -> None:
    async with room(server) as (_, code):
        cookie = browser_cookie()
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
        async with visiting(server.url, cookie=cookie, **join) as stranger:
            assert stranger.says("Too many codes")
        member_cookie = f"{cookie}; explorer-room-{code.replace('-', '')}={browser_pass}"
        async with visiting(server.url, cookie=member_cookie, **join) as pupil:  # a reload
            assert pupil.says("your page follows")
        async with visiting(server.url, cookie=browser_cookie(), **join) as neighbour:
            assert neighbour.says("your page follows")


def is_asked(guest: Guest) -> bool:
    return any("answer_" in e.radio.id for e in guest.shown("radio"))


async def answer(guest: Guest, option: int) -> None:
    """Answer a question with options."""
    (asked,) = guest.shown("radio")
    guest.change(key_of(asked), asked.radio.options[option])
    await guest.pick("room_send_1", "sent", True)
    assert guest.says("Sent, without your name")


@async_test
async def test_repeated_answers_of_one_person_count_once(server: Server) -> None:
    async with room(server, "weights=reverse&kind=reason") as (teacher, code):
        joining = {"page": "", "query": f"room={code}"}
        async with visiting(server.url, source=CLASS, **joining) as pupil:
            await teacher.walk("predict")
            await teacher.press("Ask the room")
            await pupil.wait_until(lambda: is_asked(pupil))
            await answer(pupil, 0)
            async with visiting(server.url, source=ATTACKER, **joining) as attacker:
                for _ in range(5):
                    await answer(attacker, 1)
                    await attacker.press("Leave the room")
                    await try_code(attacker, code)
                    await attacker.wait_until(lambda: is_asked(attacker))
                await answer(attacker, 1)
                await teacher.wait_for("**2** answered")
                assert not teacher.says("3** answered")
                await attacker.press("Leave the room")
                await teacher.wait_for("**1** answered")
