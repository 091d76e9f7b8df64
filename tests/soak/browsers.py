"""Browsers in which somebody types without waiting for the page, as fingers do."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Protocol

from playwright.async_api import Browser, Page, async_playwright

from tests.browser.conftest import ARGUMENTS, chromium_path

WIDTH, HEIGHT = 1366, 1400  # all that is clicked is in sight


class Window(Protocol):
    """A window with cookies of its own."""

    async def open(self, address: str) -> None:
        """Go there."""

    async def ask(self, script: str, given: Any = None) -> Any:
        """What a function answers in the page."""

    def press(self, key: str) -> None:
        """Press a key, with the name that events have for it."""

    def click(self, x: float, y: float) -> None:
        """Click at a place."""

    async def rest(self) -> None:
        """Wait until the page has heard of all keys and clicks."""


class PlaywrightWindow:
    """A window that Playwright opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._doing: list[asyncio.Task[None]] = []

    async def open(self, address: str) -> None:
        await self._page.goto(address, timeout=120_000)

    async def ask(self, script: str, given: Any = None) -> Any:
        return await self._page.evaluate(script, given)

    def press(self, key: str) -> None:
        self._begin(self._page.keyboard.press(key))

    def click(self, x: float, y: float) -> None:
        self._begin(self._page.mouse.click(x, y))

    def _begin(self, deed: Coroutine[Any, Any, None]) -> None:
        self._doing.append(asyncio.create_task(deed))

    async def rest(self) -> None:
        await asyncio.gather(*self._doing)
        self._doing.clear()


class Chromium:
    """A Chromium."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @classmethod
    @asynccontextmanager
    async def launched(cls) -> AsyncIterator["Chromium"]:
        """One without a screen, closed at the end."""
        async with async_playwright() as playwright:
            path = chromium_path()
            browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            yield cls(browser)
            await browser.close()

    async def window(self, slow: float = 1) -> Window:
        """A new window, so many times as slow as this machine can."""
        size = {"width": WIDTH, "height": HEIGHT}
        page = await self._browser.new_page(viewport=size)  # type: ignore[arg-type]
        session = await page.context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        return PlaywrightWindow(page)


BROWSERS = {"chromium": Chromium}
