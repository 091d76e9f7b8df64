"""A follower in a room: the server draws their page, and their browser has not asked for it."""

from urllib.parse import parse_qs

import pytest

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server


@async_test
async def test_a_follower_is_sent_nothing_that_their_browser_has_dropped(server: Server) -> None:
    async with visiting(server.url, "room") as teacher:
        code = await teacher.open_room()
        async with visiting(server.url, "", f"room={code}") as follower:
            await follower.wait_for("your page follows")
            await follower.run()
            # The next request names what the browser has, and drops before the request arrives.
            await follower.send(follower.request())
            follower.forget_messages()
            assert (await follower.receive()).errors == []
            await teacher.walk("attention")
            await follower.wait_for(page="attention")


@pytest.mark.parametrize("went", ["", "masks"])
@async_test
async def test_after_a_training_the_page_follows_as_its_line_says(
    server: Server, went: str
) -> None:
    async with visiting(server.url, "room") as teacher:
        code = await teacher.open_room()
        async with visiting(server.url, "", f"room={code}") as follower:
            await teacher.press("Let the room train")
            await follower.wait_for("everybody trains")
            await follower.press("Train")
            if went:
                await follower.walk(went)
            await teacher.press("End it for everybody")
            await follower.wait_for("your page follows", page="room")
            assert "weights" not in parse_qs(follower.query)  # the teacher's are the usual ones
            await teacher.walk("positions")
            await follower.wait_for("your page follows", page="positions")
            assert follower.errors == []
