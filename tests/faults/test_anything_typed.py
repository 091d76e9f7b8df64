"""Typed text is data: on every page, from a field or the address, it is drawn as text, and stays.

Everything here goes over the WebSocket of one server, as a browser would send it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from explorer.choices.pages import PAGES
from tests.faults.conftest import own_errors
from tests.faults.guest import Guest, visiting
from tests.faults.nasty import MARKUP
from tests.support.async_tests import async_test
from tests.support.servers import Server

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
        new = own_errors(server.log.read_bytes()[logged:].decode())
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


WITH_SENTENCES: Final = [page for page in PAGES if page not in ("room", "glossary")]


@async_test
async def test_every_markup_on_every_page(server: Server) -> None:
    """Half of them in the address, the others typed, as words and as ids, and in drawers."""
    linked, other = (" ".join(MARKUP[first::2]) for first in range(2))
    with nothing_logged(server):
        for page in WITH_SENTENCES:
            query = f"weights=untrained&src={quote(linked)}&tgt={quote(other)}"
            async with visiting(server.url, page, query) as guest:
                check(guest)
                for drawer in guest.drawers:
                    await guest.open_drawer(drawer)
                    check(guest)
                await guest.put(src=other, tgt=linked)
                check(guest)
                assert [guest.field("src"), guest.field("tgt")] == [other, linked]
                await guest.put(tokens=["ids"])
                await guest.put(src=linked, tgt=other)
                check(guest)
                assert [guest.field("src"), guest.field("tgt")] == [linked, other]
