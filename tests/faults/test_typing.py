"""What follows from a key press or a click is drawn wherever it shows."""

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server

UNTRAINED = "weights=untrained&pairs=1&src=a b c&tgt=x y&typed_target=true"


@async_test
async def test_pictures_are_sent_compressed(server: Server) -> None:
    async with visiting(server.url, "attention", UNTRAINED) as guest:
        before = len(guest.received)
        run = await guest.put(src="a b c d e f g h i j k l")
        assert run.bytes < 0.7 * (len(guest.received) - before)
