"""After a broken connection or a dead server, the page comes back by itself as it was."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import alone
from tests.browser.heads import thumbnail
from tests.browser.visitor import Visitor, address_of
from tests.faults.wire import wire_to
from tests.support.servers import Server, serving

SCREEN: Final = """() => ({
  says: document.querySelector(".stMainBlockContainer").innerText,
  fields: [...document.querySelectorAll("input")].map(field => field.value),
  pictures: [...document.querySelectorAll(".plot, .heads")].map(picture => picture.ariaLabel),
})"""
CONNECTED: Final = """wanted => (wanted === "CONNECTED") === (document.querySelector(
  '[data-testid="stApp"]')?.dataset.testConnectionState === "CONNECTED")"""


@contextmanager
def person_at(browser: Browser, url: str, address: str) -> Iterator[Visitor]:
    """Somebody who may lose the connection."""
    with alone(browser, url) as person:
        person.open(address)
        yield person
        assert person.page.get_by_test_id("stException").count() == 0


def screen(person: Visitor) -> dict[str, Any]:
    """All that is on screen."""
    person.settle()
    return person.page.evaluate(SCREEN)


def disconnect(person: Visitor, how: Callable[[], None]) -> None:
    """Lose the connection, and wait until the browser knows."""
    how()
    person.page.wait_for_function(CONNECTED, arg="lost")


def reconnect(person: Visitor, how: Callable[[], None]) -> None:
    """Make the connection possible again, and wait for the browser to have it."""
    how()
    person.page.wait_for_function(CONNECTED, arg="CONNECTED")
    person.settle()


def change_the_page(person: Visitor) -> None:
    """Type a sentence, and choose another head, on a page that shows both."""
    person.field("src").fill("my own words <b> were here")
    person.wait_for_parameter("src", "my own words <b> were here")
    thumbnail(person, "encoder", 2, 1).click()
    person.page.mouse.move(0, 0)  # what is pointed at is not said
    person.wait_for_parameter("layer", "2")
    person.wait_for_parameter("attention", "encoder")
    person.settle()


def check_it_works(person: Visitor) -> None:
    """Type a sentence, and wait until it is drawn."""
    person.field("src").fill("and on it goes")
    alt = person.element("one_head")
    expect(alt).to_have_attribute("aria-label", re.compile("goes"))


def test_a_broken_connection_mends_itself(browser: Browser, server: Server) -> None:
    port = urlsplit(server.url).port
    assert port is not None
    with (
        wire_to(port) as wire,
        person_at(browser, wire.url, address_of("attention", pairs=1)) as person,
    ):
        change_the_page(person)
        before, address = screen(person), person.address
        for _ in range(2):
            disconnect(person, wire.cut)
            reconnect(person, wire.mend)
            assert screen(person) == before
            assert person.address == address
        check_it_works(person)


@pytest.mark.all
def test_a_server_that_was_killed_is_found_again(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "log.txt") as server:
        with person_at(browser, server.url, address_of("attention", pairs=1)) as person:
            change_the_page(person)
            before, address = screen(person), person.address
            disconnect(person, server.kill)
            reconnect(person, server.start)
            assert screen(person) == before
            assert person.address == address
            check_it_works(person)
            after, address = screen(person), person.address
            server.kill()
            server.start()
            server.wait()
            person.page.reload()
            assert screen(person) == after
            assert person.address == address
        assert "Traceback" not in server.log.read_text()
