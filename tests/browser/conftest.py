"""Starts a browser, and opens windows for visitors."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visitor import LAPTOP, Visitor
from tests.support.servers import Server, serving

__all__ = ["Server", "launched", "serving", "visitors"]  # for tests/conftest.py
# Streamlit's server logs this when a browser leaves while something is being sent to it.
CLOSED_SOCKET = re.compile(
    r"Exception in ASGI application\n(?:.*\n)*?.*WebSocketDisconnected: Cannot call \"send\".*\n"
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def chromium_path() -> str:
    """Where this machine has a Chromium."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.fail(f"no browser: install one of {NAMES}, or name one with CHROMIUM=/path/to/it")
    return path


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser of this machine, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def alone(browser: Browser, url: str) -> Iterator[Visitor]:
    """A visitor with their own browser context, who may see errors."""
    with closing(browser.new_context(viewport=LAPTOP)) as context:
        yield Visitor(context, url)


class Windows:
    """Browser windows on one server, kept from test to test.

    A window that has run the app's scripts once opens a page in a quarter of the time.
    """

    def __init__(self, browser: Browser, server: Server) -> None:
        self._browser = browser
        self._server = server
        self._free: list[tuple[dict[str, Any], Visitor]] = []

    def take(self, context: dict[str, Any], fresh: bool) -> Visitor:
        """A free window with these settings, without cookies or storage.

        Only a fresh one has no history.
        """
        visitor = self._find(context)
        if visitor is None:
            visitor = Visitor(self._browser.new_context(**context), self._server.url)
        elif fresh:
            visitor.open_new_tab()
        visitor.page.set_viewport_size(context["viewport"])
        visitor.page.emulate_media(
            media="screen",
            color_scheme=context.get("color_scheme", "light"),
            reduced_motion=context.get("reduced_motion", "no-preference"),
        )
        return visitor

    def _find(self, context: dict[str, Any]) -> Visitor | None:
        for at, (settings, visitor) in enumerate(self._free):
            if _fixed_settings(settings) == _fixed_settings(context):
                del self._free[at]
                return visitor
        return None

    def give_back(self, context: dict[str, Any], visitor: Visitor) -> None:
        """End the visit, and keep the window for the next test."""
        visitor.forget()
        self._free.append((context, visitor))

    def close(self) -> None:
        """Close the windows that are kept."""
        for _, visitor in self._free:
            visitor.context.close()


def _fixed_settings(context: dict[str, Any]) -> dict[str, Any]:
    """The settings that cannot be changed in an open window."""
    changing = ("viewport", "color_scheme", "reduced_motion")
    return {name: value for name, value in context.items() if name not in changing}


@contextmanager
def visitors(
    browser: Browser, server: Server, windows: Windows | None = None
) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors, each with their own cookies, and checks at the end that all went well."""
    kept = windows or Windows(browser, server)
    visits: list[tuple[dict[str, Any], Visitor]] = []
    log_size = server.log.stat().st_size

    def new_visitor(address: str = "/", *, fresh: bool = False, **context: Any) -> Visitor:
        """Open an address in a window with these settings; a fresh one has no history."""
        context = {"viewport": LAPTOP, **context}
        visitor = kept.take(context, fresh)
        visits.append((context, visitor))
        visitor.open(address)
        return visitor

    try:
        yield new_visitor
        for _, visitor in visits:
            assert visitor.page.locator('[data-testid="stException"]').count() == 0
            assert visitor.problems == []
        new_lines = CLOSED_SOCKET.sub("", server.log.read_bytes()[log_size:].decode())
        assert "Traceback" not in new_lines, new_lines
        for context, visitor in visits:
            kept.give_back(context, visitor)
        visits.clear()
    finally:  # after a failure, nobody gets the same window
        for _, visitor in visits:
            visitor.context.close()
        if windows is None:
            kept.close()
