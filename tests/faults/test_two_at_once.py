"""Two changes at the same time: the browser names the fragment of only one of them."""

from tests.faults.guest import visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server
from tests.support.wire import WidgetState

QUERY = "weights=reverse&src=a b"


@async_test
async def test_both_are_drawn(server: Server) -> None:
    async with visiting(server.url, "attention", QUERY) as guest:
        before = guest.elements[guest.place_of("one_head")]
        guest.set_value(guest.widget_id("src"), "a b c d")
        await guest.run(fragment=guest.fragment_of(guest.widget_id("history")))
        assert guest.elements[guest.place_of("one_head")] != before
        assert guest.says("d c b a") or guest.received.count(b"d c b a")


@async_test
async def test_a_button_is_pressed_only_once(server: Server) -> None:
    """Its callback runs once, and so does the code that follows the button."""
    pairs = "weights=untrained&pairs=4&src=a&src2=b&src3=c&src4=d"
    async with visiting(server.url, "masks", pairs) as guest:
        await guest.unfold()
        history = guest.fragment_of(guest.widget_id("history"))
        label = "Predict first: test yourself on masks"
        (link,) = (e.button for e in guest.shown("button") if e.button.label == label)
        remove = guest.widget_id("remove_1")
        await guest.run(WidgetState(id=remove, trigger_value=True), fragment=history)
        assert [guest.field(f"src{n}") for n in ("", 2, 3)] == ["a", "c", "d"]
        await guest.run(WidgetState(id=link.id, trigger_value=True), fragment=history)
        assert guest.is_on("practice")


@async_test
async def test_a_run_of_one_fragment_leaves_the_other_elements(server: Server) -> None:
    async with visiting(server.url, "attention", QUERY) as guest:
        await guest.put(src="a b c")
        await guest.run(fragment=guest.fragment_of(guest.widget_id("history")))
        assert guest.still_there(guest.elements)  # a run of the whole page would leave none
