"""What a key press has drawn and sent: the page alone, and everything where more has changed."""

import pytest

from tests.browser.conftest import Server
from tests.faults.guest import Guest, together, visiting
from tests.figures.reading import labels

UNTRAINED = "weights=untrained&pairs=1&src=a b c&tgt=x y&typed_target=true"


def words_on(guest: Guest) -> list[str]:
    """The source words over the large picture of the attention page."""
    picture = next(p for p in guest.pictures if "all-heads" not in p["fileName"])
    return list(labels(picture["spec"], "x").values())


def test_the_controls_stay_as_they_are(server: Server) -> None:
    async def visit() -> None:
        async with visiting(server.url, "attention", UNTRAINED) as guest:
            before = dict(guest.elements)
            await guest.put(src="a b c d")
            assert words_on(guest) == ["a", "b", "c", "d"]
            again = {at for at, element in guest.elements.items() if element is not before.get(at)}
            around = {guest.place_of(key) for key in ("d_model", "weights", "tokens", "pairs")}
            assert around <= before.keys()
            assert not around & again
            assert guest.place_of("head") in again
            assert guest.errors == []

    together(visit)


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.03, 0.1])
def test_a_change_of_the_model_is_drawn_though_somebody_types_on(
    server: Server, pause: float
) -> None:
    """What draws the controls anew is not cut short by what draws the page alone."""

    async def visit() -> None:
        async with visiting(server.url, "attention", UNTRAINED) as guest:
            for number, d_model in enumerate((72, 80, 88, 96)):
                typed = " ".join("abcdefg"[: number + 2])
                await guest.put_at_once(pause, {"d_model": float(d_model)}, {"src": typed})
                assert words_on(guest) == typed.split()
                assert guest.says(f"Only divisors of d_model = {d_model} are offered")
                assert guest.errors == []

    together(visit)


def test_what_is_clicked_in_a_page_can_change_what_stands_around_it(server: Server) -> None:
    async def visit() -> None:
        async with visiting(server.url, "masks", UNTRAINED) as guest:
            await guest.press("Show the 8×8 toy batch")
            assert guest.field("src8") == "1 1 1 1 5 1 1 1"
            assert guest.place_of("pad_id")  # a control that only ids have
            assert guest.errors == []

    together(visit)


def test_pictures_are_sent_compressed(server: Server) -> None:
    async def visit() -> None:
        async with visiting(server.url, "attention", UNTRAINED) as guest:
            before = len(guest.received)
            run = await guest.put(src="a b c d e f g h i j k l")
            assert run.bytes < 0.7 * (len(guest.received) - before)

    together(visit)
