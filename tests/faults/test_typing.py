"""A key press redraws and sends only the page, or everything where more has changed."""

import pytest

from tests.faults.guest import Guest, visiting
from tests.support.async_tests import async_test
from tests.support.servers import Server

UNTRAINED = "weights=untrained&pairs=1&src=a b c&tgt=x y&typed_target=true"


def words_on(guest: Guest) -> list[str]:
    """The source words over the large picture of the attention page, if it is there."""
    for picture in guest.pictures:
        if "all-heads" not in picture["fileName"]:
            columns = picture["hover"]["maps"][0]["fields"]["x"]
            return [columns["words"][at] for at in columns["at"]]
    return []


@async_test
async def test_the_controls_stay_as_they_are(server: Server) -> None:
    async with visiting(server.url, "attention", UNTRAINED) as guest:
        await guest.unfold()
        before = dict(guest.elements)
        await guest.put(src="a b c d")
        assert words_on(guest) == ["a", "b", "c", "d"]
        again = {at for at, element in guest.elements.items() if element is not before.get(at)}
        around = {guest.place_of(key) for key in ("d_model", "weights", "tokens", "pairs")}
        assert around <= before.keys()
        assert not around & again
        assert guest.place_of("head") in again


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.03, 0.1])
@async_test
async def test_a_change_of_the_model_is_drawn_though_somebody_types_on(
    server: Server, pause: float
) -> None:
    """A run that redraws the page alone does not stop one that redraws the controls.

    This is Streamlit's doing: another version has to do it, too.
    """
    async with visiting(server.url, "attention", UNTRAINED) as guest:
        await guest.unfold()
        for number, d_model in enumerate((72, 80, 88, 96)):
            typed = " ".join("abcdefg"[: number + 2])
            await guest.put_at_once(pause, {"d_model": str(d_model)}, {"src": typed})
            around = f"Only divisors of d_model = {d_model} are offered"
            while words_on(guest) != typed.split() or not guest.says(around):
                await guest.receive()


@async_test
async def test_a_click_in_a_page_can_change_the_controls_around_it(server: Server) -> None:
    async with visiting(server.url, "masks", UNTRAINED) as guest:
        await guest.press("Show the 8×8 toy batch")
        await guest.unfold()
        assert guest.field("src8") == "1 1 1 1 5 1 1 1"
        assert guest.place_of("pad_id")  # a control that only ids have


@async_test
async def test_pictures_are_sent_compressed(server: Server) -> None:
    async with visiting(server.url, "attention", UNTRAINED) as guest:
        before = len(guest.received)
        run = await guest.put(src="a b c d e f g h i j k l")
        assert run.bytes < 0.7 * (len(guest.received) - before)


@async_test
async def test_a_key_press_that_comes_when_the_page_has_just_been_turned(server: Server) -> None:
    """The browser did not know of the new page yet: it names the old one."""
    async with visiting(server.url, "heads", UNTRAINED) as guest:
        fields = guest.widget_id("src")
        old, fragment = guest._page_script_hash, guest.fragment_of(fields)
        guest._page_script_hash = guest.hashes["masks"]
        await guest.send(guest.request())
        guest._page_script_hash = old
        guest.set_value(fields, "a b c d")
        await guest.put_at_once(0.0, {"src": "a b c d"})
        await guest.wait_for(page="masks")
        await guest.rest(0.5)
        await guest.run()
        assert fragment
        assert guest.field("src") == "a b c d"
        await guest.unfold()
        assert guest.place_of("side")


@async_test
async def test_a_link_that_trained_weights_cannot_read_is_shown_by_untrained_ones(
    server: Server,
) -> None:
    async with visiting(server.url, "attention", "weights=reverse&tokens=ids&src=1 2") as guest:
        await guest.unfold()
        for src in ("1 2 3", "1 2 3 4"):
            assert guest.says("An untrained model of this shape")
            assert guest.says("untrained weights")
            assert "Back to “reverse”" in [e.button.label for e in guest.shown("button")]
            await guest.put(src=src)


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
        await guest.press("Reset")
        assert not guest.says("In training now")
