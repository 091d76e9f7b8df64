"""A follower's page goes where the teacher's goes, whatever was sent at the same moment."""

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server


@async_test
async def test_whoever_types_while_the_teacher_does_keeps_their_words(server: Server) -> None:
    async with visiting(server.url, "room") as teacher:
        code = await teacher.open_room()
        await teacher.walk("masks")
        async with visiting(server.url, "", f"room={code}") as follower:
            await follower.wait_for(page="masks")
            await teacher.put(src="The teacher types.")
            await follower.put(src="My own words.")  # before the page has asked for news
            await follower.wait_for("you explore on your own")
            assert follower.field("src") == "My own words."
            await follower.follow()  # its page says so
            await teacher.wait_for("1 explores alone")
            await teacher.press("Everybody back")
            await follower.wait_for("your page follows")
            assert follower.field("src") == "The teacher types."
            assert follower.errors == []
