"""A follower in a room: the server draws their page, and their browser has not asked for it."""

import re
from urllib.parse import parse_qs

import pytest

from tests.faults.guest import visiting
from tests.support.servers import Server
from tests.support.together import asynchronous


@asynchronous
async def test_a_follower_is_sent_nothing_that_their_browser_has_dropped(server: Server) -> None:
    async with visiting(server.url, "room") as teacher:
        await teacher.press("Open a room")
        (code,) = set(re.findall(r"Room (\w{4}-\w{4})", "".join(teacher.markdown)))
        async with visiting(server.url, "", f"room={code}") as follower:
            while not follower.says("your page follows"):
                await follower.receive()
            await follower.run()
            # The next request names what the browser has, and drops before the request arrives.
            await follower.send(follower.request())
            follower.forget_messages()
            assert (await follower.receive()).errors == []
            await teacher.walk("attention")
            while not follower.is_on("attention"):
                assert (await follower.receive()).errors == []


@pytest.mark.parametrize("went", ["", "masks"])
@asynchronous
async def test_after_a_training_the_page_follows_as_its_line_says(
    server: Server, went: str
) -> None:
    async with visiting(server.url, "room") as teacher:
        await teacher.press("Open a room")
        (code,) = set(re.findall(r"Room (\w{4}-\w{4})", "".join(teacher.markdown)))
        async with visiting(server.url, "", f"room={code}") as follower:
            await teacher.press("Let the room train")
            while not follower.says("everybody trains"):
                await follower.receive()
            await follower.press("Train")
            if went:
                await follower.walk(went)
            await teacher.press("End it for everybody")
            while not (follower.is_on("room") and follower.says("your page follows")):
                await follower.receive()
            assert "weights" not in parse_qs(follower.query)  # the teacher's are the usual ones
            await teacher.walk("positions")
            while not follower.is_on("positions"):
                await follower.receive()
            assert follower.says("your page follows")
            assert follower.errors == []
