"""Messages that no browser sends: they cost the others nothing."""

import json
from typing import Any, Final

import pytest

from explorer.runtime import shares
from tests.faults.guest import Guest, visiting
from tests.faults.test_anything_typed import check, nothing_logged
from tests.support.async_tests import async_test
from tests.support.servers import Server
from tests.support.wire import BackMsg, WidgetState

MUCH: Final = 40_000  # bytes: two such texts fit into a message


@pytest.mark.parametrize(
    ("weights", "text"),
    [("untrained", "a " * (MUCH // 2)), ("translator", "a" + "\u0301" * (MUCH // 2))],
    ids=["words", "one character"],
)
@async_test
async def test_long_texts_are_cut(server: Server, weights: str, text: str) -> None:
    kept = text[: shares.SENTENCE_LENGTH]
    with nothing_logged(server):
        query = f"weights={weights}&typed_target=true&pairs=1"
        async with visiting(server.url, "tokens", query) as guest:
            run = await guest.put(src=text, tgt=text)
            assert run.bytes < 100_000
            assert [guest.field("src"), guest.field("tgt")] == [kept, kept]
            assert guest.says("A text may have up to 2,000 characters, and this one had more")
            await guest.put(src="short again", tgt="and this one")
            assert not guest.says("A text may have up to 2,000 characters")


@async_test
async def test_only_the_beginning_of_a_long_address_is_read(server: Server) -> None:
    with nothing_logged(server):
        query = f"weights=untrained&pairs=1&src={'b+' * 20_000}&order_a={'c' * 20_000}"
        async with visiting(server.url, "tokens", query) as guest:
            assert guest.field("src") == ("b " * shares.SENTENCE_LENGTH)[: shares.SENTENCE_LENGTH]
            assert guest.says("A sentence may have up to 2,000 characters, and one in the link")
            assert guest.says("any text of up to 2,000 characters")


def values(widget: str) -> list[WidgetState]:
    """A value of every kind, and of no size that a widget has."""
    values = [
        WidgetState(id=widget, string_value="zq" * 1_500),
        WidgetState(id=widget, double_value=float("nan")),
        WidgetState(id=widget, double_value=1e300),
        WidgetState(id=widget, int_value=-(2**60)),
        WidgetState(id=widget, bool_value=True),
        WidgetState(id=widget, trigger_value=True),
        WidgetState(id=widget, bytes_value=b"zq" * 1_500),
        WidgetState(id=widget, json_value="[" * 1_500),
        WidgetState(id=widget, json_value='{"value": {"picked": 1e999}}'),
        WidgetState(id=widget, json_trigger_value="[" * 900 + "]" * 900),
    ]
    for numbers in ([], [float("inf")], [1.5] * 300):
        values.append(WidgetState(id=widget))
        values[-1].double_array_value.data.extend(numbers)
    for texts in ([], ["zq"], ["zq" * 1_500], ["zq"] * 500):
        values.append(WidgetState(id=widget))
        values[-1].string_array_value.data.extend(texts)
    return values


async def send_everywhere(guest: Guest) -> None:
    """To every widget of the page, each such value in turn, all widgets at once."""
    shown = [
        getattr(element, element.WhichOneof("type"))
        for element in guest.elements.values()
        if element.WhichOneof("type") not in ("button", "download_button", None)
    ]
    ids = [widget.id for widget in shown if getattr(widget, "id", "")]
    before = dict(guest.states)
    for kind in range(len(values("any"))):
        guest.states = before | {widget: values(widget)[kind] for widget in ids}
        await guest.run()
        guest.states = dict(before)


@pytest.mark.parametrize("page", ["steps", "training", "predict"])
@async_test
async def test_values_that_a_widget_cannot_have(server: Server, page: str) -> None:
    """They may end the runs of whoever sends them, until the page is opened again."""
    async with visiting(server.url, page, "pairs=1&weights=untrained") as other:
        async with visiting(server.url, page, "pairs=1&weights=untrained") as guest:
            await send_everywhere(guest)
            guest.errors.clear()
        async with visiting(server.url, page, "pairs=1&weights=untrained") as again:
            for one in (other, again):
                await one.put(src="a b")
                assert one.errors == []
                check(one)


NAMES: Final = ("picked", "edited", "opened", "kept", "turned", "spoken", "ready", "chosen")
EVENTS: Final[list[Any]] = [
    None, True, -1, 10**30, 1.5, "zq", "", [], {}, [[]], [[1, 2, 3]], [["a", None]], {"x": 1},
    {"x": -5, "y": 10**9, "name": "zq"}, {"x": "zq", "y": [], "name": {}},
    {"kind": "zq", "layer": 0, "head": 0}, {"kind": "cross", "layer": 99, "head": -7},
    {"kind": [], "layer": {}, "head": None}, [[1e308] * 9] * 9, ["zq" * 300], {"seat": "zq"},
    {"code": "", "seat": [], "person": 1, "secret": {}}, "stack 9999", "stack zq", "words",
]  # fmt: skip


async def send_events(guest: Guest, value: object, number: int) -> None:
    """Every kind of event of every component, with this value, in one message."""
    events = json.dumps({name: {"n": number, "value": value} for name in NAMES})
    ids = [element.bidi_component.id for element in guest.shown("bidi_component")]
    await guest.run(*(WidgetState(id=one, json_value=events) for one in ids))


@pytest.mark.parametrize("page", ["home", "attention", "steps", "predict"])
@async_test
async def test_events_that_no_script_sends(server: Server, page: str) -> None:
    with nothing_logged(server):
        async with visiting(server.url, page, "pairs=1&weights=translator") as guest:
            for number, value in enumerate(EVENTS, start=1):
                await send_events(guest, value, number)
                assert guest.errors == [], value
                if not guest.is_on(page):
                    await guest.walk(page)
            await guest.walk(page)
            check(guest)


@async_test
async def test_who_clears_the_caches_forgets_what_is_known_of_themselves(server: Server) -> None:
    """Streamlit does so for anybody, although the page has no such button."""
    with nothing_logged(server):
        async with (
            visiting(server.url, "tokens", "pairs=1") as other,
            visiting(server.url, "tokens", "pairs=1") as guest,
        ):
            await other.put(src="my own")
            for _ in range(3):
                await guest.send(BackMsg(clear_cache=True).SerializeToString())
            await guest.run()
            for one, text in ((guest, "a b"), (other, "my own words")):
                await one.put(src=text)
                assert one.field("src") == text
                check(one)
