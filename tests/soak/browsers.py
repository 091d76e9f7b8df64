"""Browsers in which somebody types without waiting for the page, as fingers do.

Firefox and WebKit have a screen each (Xvfb), and their keys and clicks are a machine's (xdotool).
"""

import asyncio
import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final, Self
from urllib.request import Request, urlopen

from playwright.async_api import Browser, CDPSession, Page, ViewportSize, async_playwright
from websockets.asyncio.client import ClientConnection, connect

from tests.browser.conftest import ARGUMENTS, chromium_path
from tests.support.servers import free_addresses

WIDTH, HEIGHT = 1366, 1400  # all that is clicked is in sight
KEYS: Final = {
    " ": "space",
    "Backspace": "BackSpace",
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
}
MINI_BROWSER: Final = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"  # Debian's
CORNER: Final = "() => [(outerWidth - innerWidth) / 2, outerHeight - innerHeight]"
# A script as a function from JSON to JSON.
CALLED: Final = "async (given) => JSON.stringify(await ({})(JSON.parse(given)) ?? null)"


class ChromiumWindow:
    """A window with cookies of its own."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page, self._session = page, session
        self._doing: list[asyncio.Task[None]] = []

    async def open(self, address: str) -> None:
        """Go there."""
        await self._page.goto(address, timeout=120_000)

    async def ask(self, script: str, given: Any = None) -> Any:
        """What a function answers in the page."""
        return await self._page.evaluate(script, given)

    def press(self, key: str) -> None:
        """Press a key, with the name that events have for it."""
        self._begin(self._page.keyboard.press(key))

    def click(self, x: float, y: float) -> None:
        """Click at a place."""
        self._begin(self._page.mouse.click(x, y))

    def _begin(self, deed: Coroutine[Any, Any, None]) -> None:
        self._doing.append(asyncio.create_task(deed))

    async def rest(self) -> None:
        """Wait until the page has heard of all keys and clicks."""
        await asyncio.gather(*self._doing)
        self._doing.clear()

    async def slow(self, times: float) -> None:
        """Let it be so many times as slow as it can be."""
        await self._session.send("Emulation.setCPUThrottlingRate", {"rate": times})


class Chromium:
    """A Chromium without a screen."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @classmethod
    @asynccontextmanager
    async def launched(cls) -> AsyncIterator["Chromium"]:
        """One that is closed at the end."""
        async with async_playwright() as playwright:
            path = chromium_path()
            browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
            yield cls(browser)
            await browser.close()

    async def window(self) -> ChromiumWindow:
        """A new window."""
        page = await self._browser.new_page(viewport=ViewportSize(width=WIDTH, height=HEIGHT))
        return ChromiumWindow(page, await page.context.new_cdp_session(page))


class _OnScreen:
    """A browser with one window, which fills a screen; it does what Chromium's does."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack, self._display = stack, ""
        size = f"{WIDTH}x{HEIGHT + 100}x24"
        # "-r": on a busy machine, a key that is let go late would be repeated.
        screen = self.start("Xvfb", "-r", "-displayfd", "1", "-screen", "0", size)
        self._display = f":{screen.stdout.readline().strip()}"
        self._fingers = self.start("xdotool", "-")
        self._corner: list[float] = []  # of the page

    def start(self, *command: str) -> "subprocess.Popen[str]":
        """Start a program, which is killed at the end."""
        pipe, env = subprocess.PIPE, {**os.environ, "DISPLAY": self._display}
        env["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"
        started = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)
        self._stack.callback(started.kill)
        return started

    async def window(self) -> Self:
        self._corner = await self.ask(CORNER)
        return self

    async def ask(self, script: str, given: Any = None) -> Any:
        raise NotImplementedError

    def press(self, key: str) -> None:
        self._do(f"key {KEYS.get(key, key)}")

    def click(self, x: float, y: float) -> None:
        left, top = self._corner
        self._do(f"mousemove {x + left:.0f} {y + top:.0f} click 1")

    def _do(self, command: str) -> None:
        self._fingers.stdin.write(f"{command}\n")
        self._fingers.stdin.flush()

    async def rest(self) -> None:
        await asyncio.sleep(0.3)

    async def slow(self, times: float) -> None:
        """They have nothing for that."""


class Firefox(_OnScreen):
    """Firefox, asked by WebDriver BiDi."""

    socket: ClientConnection
    tab: str
    told = 0

    @classmethod
    @asynccontextmanager
    async def launched(cls) -> AsyncIterator["Firefox"]:
        """One with a profile of its own, killed at the end."""
        with ExitStack() as stack:
            firefox = cls(stack)
            (address,) = free_addresses(1)
            folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            size = ["--kiosk", "--width", f"{WIDTH}", "--height", f"{HEIGHT + 100}"]
            port = ["--remote-debugging-port", address.split(":")[1]]
            firefox.start("firefox-esr", *size, *port, "--profile", folder)
            await _answers(address)
            async with connect(f"ws://{address}/session", max_size=None) as firefox.socket:
                await firefox.tell("session.new", capabilities={})
                (tab,) = (await firefox.tell("browsingContext.getTree"))["contexts"]
                firefox.tab = tab["context"]
                yield firefox

    async def tell(self, method: str, **params: Any) -> Any:
        """Give an order; returns the answer."""
        self.told += 1
        await self.socket.send(json.dumps({"id": self.told, "method": method, "params": params}))
        while (answer := json.loads(await self.socket.recv())).get("id") != self.told:
            pass
        return answer["result"]

    async def open(self, address: str) -> None:
        await self.tell("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    async def ask(self, script: str, given: Any = None) -> Any:
        found = await self.tell(
            "script.callFunction",
            target={"context": self.tab},
            functionDeclaration=CALLED.format(script),
            arguments=[{"type": "string", "value": json.dumps(given)}],
            awaitPromise=True,
        )
        return json.loads(found["result"]["value"])


class WebKit(_OnScreen):
    """WebKitGTK's small browser, asked by WebDriver."""

    driver: str

    @classmethod
    @asynccontextmanager
    async def launched(cls) -> AsyncIterator["WebKit"]:
        """One that keeps nothing, and is killed at the end."""
        with ExitStack() as stack:
            webkit = cls(stack)
            (address,) = free_addresses(1)
            webkit.start("WebKitWebDriver", f"--port={address.split(':')[1]}")
            await _answers(address)
            options = {"binary": MINI_BROWSER, "args": ["--automation"]}
            asked = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
            webkit.driver = f"http://{address}/session"
            begun = await webkit.tell("", capabilities=asked)
            webkit.driver += f"/{begun['sessionId']}"
            await webkit.tell("/window/rect", x=0, y=0, width=WIDTH, height=HEIGHT + 100)
            yield webkit
            await asyncio.to_thread(urlopen, Request(webkit.driver, method="DELETE"))

    async def tell(self, path: str, **body: Any) -> Any:
        """Give an order; returns the answer."""
        order = Request(self.driver + path, json.dumps(body).encode())
        with await asyncio.to_thread(urlopen, order) as answer:
            return json.load(answer)["value"]

    async def open(self, address: str) -> None:
        await self.tell("/url", url=address)

    async def ask(self, script: str, given: Any = None) -> Any:
        script = f"({CALLED.format(script)})(arguments[0]).then(arguments[1])"
        return json.loads(
            await self.tell("/execute/async", script=script, args=[json.dumps(given)])
        )


async def _answers(address: str) -> None:
    """Wait until a program that was started takes connections at its address."""
    async with asyncio.timeout(120):
        while True:
            try:
                _, opened = await asyncio.open_connection(*address.split(":"))
            except ConnectionError:
                await asyncio.sleep(0.2)
            else:
                opened.close()
                return


Window = ChromiumWindow | Firefox | WebKit
BROWSERS: Final[dict[str, type[Chromium | Firefox | WebKit]]] = {
    "chromium": Chromium,
    "firefox": Firefox,
    "webkit": WebKit,
}
