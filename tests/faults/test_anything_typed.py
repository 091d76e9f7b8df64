"""Anything typed, anything in the address, on any page: it is drawn, as text, and stays.

Everything here goes over the WebSocket of one server, as a browser would send it.
`EXAMPLES=10000 pytest tests/faults/test_any*` tries that many inputs rather than a few.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from hypothesis import example, given
from hypothesis import strategies as st

from explorer.runtime.shares import MESSAGE, SENTENCE_LENGTH
from explorer.ui.parameters import KNOWN_NAMES, PARAMETERS
from explorer.ui.query import in_one_line
from explorer.ui.registry import PAGES
from tests.browser.conftest import CLOSED_SOCKET
from tests.faults.guest import Guest, visiting
from tests.faults.nasty import (
    MARKUP,
    NUMBERS,
    in_a_query,
    names_and,
    over_the_wire,
    thorough,
)
from tests.support.async_tests import async_test
from tests.support.servers import Server
from tests.support.wire import LONGEST_ADDRESS

# A large model costs seconds: those are asked for elsewhere.
KNOWN: Final = tuple(key for key in PARAMETERS if key not in ("d_model", "d_ff"))
FIELDS: Final = ("src", "tgt", "src2", "tgt2", "order_a", "order_b", "man", "X", "word", "theme")
# Markup next to "zq", see `MARKUP`; asterisks stand there on the app's own account, too.
PIXELS = re.compile(r'href="data:[^"]*"')  # of a picture, as letters
RAW: Final = re.compile(r"(?<!\\)[!-)+-/:-@\[\]^_`{-~]zq|zq(?!\\)[!-)+-/:-@\[\]^_`{-~]|(?<!\\)<bzq")


@contextmanager
def nothing_logged(server: Server) -> Iterator[None]:
    """No error in the server's log meanwhile."""
    logged = server.log.stat().st_size
    try:
        yield
    finally:  # what was logged says why it failed
        new = CLOSED_SOCKET.sub("", server.log.read_bytes()[logged:].decode())
        assert "Traceback" not in new, new
        assert "Error" not in new, new


def check(guest: Guest) -> None:
    """Check that the page was drawn, and that typed text is only text on it."""
    assert any(element.heading.tag == "h1" for element in guest.shown("heading"))
    for markdown in guest.markdown:
        assert not RAW.search(markdown), markdown
    for picture in guest.pictures:
        hover = picture["hover"]
        maps = [one | {"words": ()} for one in hover["maps"]]  # words are compared, not shown
        for text in strings([PIXELS.sub("", picture["svg"]), hover | {"maps": maps}]):
            assert not re.search(r"<[^<>]*zq", text), text


def strings(value: Any) -> Iterator[str]:
    """Every string of a picture: its SVG, and the labels of its cells."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


WITH_SENTENCES: Final = [page for page in PAGES if page not in ("room", "words")]
pages = st.sampled_from(list(PAGES))
parameters = names_and(st.sampled_from(NUMBERS).map(quote) | in_a_query, KNOWN + FIELDS)
weights = st.sampled_from(KNOWN_NAMES)


@thorough(20, 0.025)
@given(pages, weights, parameters, over_the_wire)
@example("masks", "untrained", [("tokens", "words"), ("tokens", "ids"), ("src", "1")], "zq")
@async_test
async def test_any_address_opens(
    server: Server, page: str, weights: str, params: list[tuple[str, str]], text: str
) -> None:
    query = "&".join(f"{name}={value}" for name, value in [("weights", weights), *params])
    ours = "src" not in dict(params)
    if ours:
        query += f"&src={quote(text)}"

    if len(query) >= MESSAGE:
        return  # of a longer one nothing is read: see test_messages.py
    with nothing_logged(server):
        async with visiting(server.url, page, query) as guest:
            check(guest)
            is_known = len(query) <= LONGEST_ADDRESS
            if ours and is_known and page in WITH_SENTENCES:
                assert guest.field("src") == in_one_line(text)[:SENTENCE_LENGTH]


@thorough(20, 0.025)
@given(
    st.sampled_from(WITH_SENTENCES),
    pages,
    weights,
    st.sampled_from(["words", "characters", "ids"]),
    st.lists(over_the_wire, min_size=2, max_size=2),
)
@example("tokens", "masks", "reverse", "words", ["zq " * 200, "<bzq>"])
@example("home", "home", "untrained", "words", ["<bzq>", "<bzq>"])
@async_test
async def test_anything_can_be_typed(
    server: Server, page: str, next_page: str, weights: str, level: str, texts: list[str]
) -> None:
    with nothing_logged(server):
        async with visiting(server.url, page, f"weights={weights}&typed_target=true") as guest:
            await guest.put(tokens=[level])
            source, target = (
                text[: 2 * SENTENCE_LENGTH] for text in texts
            )  # a field takes no more
            await guest.put(src=source, tgt=target)
            check(guest)
            kept = [text[:SENTENCE_LENGTH] for text in texts]
            assert [guest.field("src"), guest.field("tgt")] == kept
            await guest.walk(next_page)
            check(guest)
            if next_page not in WITH_SENTENCES:
                await guest.walk(page)
            assert [guest.field("src"), guest.field("tgt")] == kept


@async_test
async def test_every_markup_on_every_page(server: Server) -> None:
    """Each of them as a word, as a pair, and as an id, without random choices."""
    with nothing_logged(server):
        for page in WITH_SENTENCES:
            async with visiting(server.url, page, "weights=untrained") as guest:
                for level in ("words", "ids"):
                    await guest.put(tokens=[level])
                    for first in range(0, len(MARKUP), 8):
                        typed = MARKUP[first : first + 8]
                        await guest.put(src=" ".join(typed), tgt=" ".join(reversed(typed)))
                        check(guest)
