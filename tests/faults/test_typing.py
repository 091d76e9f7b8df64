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


@async_test
async def test_the_settings_say_whether_a_model_is_learning(server: Server) -> None:
    query = "weights=untrained&steps=2000"
    async with visiting(server.url, "training", query) as guest:
        await guest.unfold()
        assert not guest.says("In training now")
        await guest.press("Train")
        assert guest.says("In training now")
        await guest.put(src="a b c")
        assert guest.says("In training now")
        await guest.press("Pause")
        await guest.press("Reset")
        assert not guest.says("In training now")
