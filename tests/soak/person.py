"""Somebody who types and clicks, and what their page is to show in the end."""

import asyncio
import random
import re
import time
from collections.abc import Mapping
from typing import Any, Final

from tests.browser.visitor import SETTLED
from tests.soak.browsers import Window

PATIENCE: Final = 60.0  # seconds
PHRASE: Final = "the old cat sees a red bird in the street because it is tired and the dog sleeps "
KEYS: Final = ["letter"] * 24 + ["Backspace"] * 2 + ["ArrowLeft", "ArrowRight", "Home", "End"]
LONGEST: Final = 60
TEXT: Final = "the dog sleeps"
LOOK: Final = """() => ({
  page: location.pathname.split("/").at(-1) || "home",
  params: Object.fromEntries(new URLSearchParams(location.search)),
  line: document.querySelector("#line-src")?.value,
  shows: [document.querySelector("h1").innerText, ...Array.from(
    document.querySelectorAll(".answer-pieces, .plot"), (shown) => shown.ariaLabel)],
})"""
PLAYED: Final = "() => !document.querySelector('.playing')"
# Where to click, once it can be clicked: the middle of an element, found by a selector or as a
# button by its name; or of a cell of a picture.
SPOT: Final = """(name) => {
  const [key, map, column, row] = Array.isArray(name) ? name : [];
  const found = key ? document.querySelector(`.st-key-${key} .plot`)
    : /^[.#]/.test(name) ? document.querySelector(name)
      : [...document.querySelectorAll("button, [role=option]")].find(
        (one) => one.innerText.trim().split("\\n").at(-1) === name);
  if (!found?.checkVisibility({ opacityProperty: true })) return null;
  const { x, y, width, height } = found.getBoundingClientRect();
  const cells = key && found.picture?.maps[map];
  if (key && !cells) return null;
  const middle = (edges, at) => (edges[at] + edges[at + 1]) / 2;
  const spot = cells ? [x + middle(cells.columns, column), y + middle(cells.rows, row)]
    : [x + width / 2, y + height / 2];
  const on = document.elementFromPoint(...spot);
  return on && (found.contains(on) || on.contains(found)) ? spot : null;
}"""


class Person:
    """One person at one window."""

    def __init__(self, window: Window, url: str, dice: random.Random) -> None:
        self.window, self.url, self.dice = window, url, dice
        self.text, self.at = "", 0  # what stands in the line, and where they write
        self.texts: set[str] = set()  # that have stood there
        self.done: list[str] = []

    async def open(self, address: str, text: str) -> None:
        """Open an address of the explorer that shows this text."""
        self.text, self.texts, self.done = text, {text}, [address]
        await self.window.open(self.url + address)

    async def find(self, script: str, given: Any = None) -> Any:
        """What a function in the page answers, once it does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := await self.window.ask(script, given):
                return found
            await asyncio.sleep(0.05)
        raise TimeoutError(f"not there: {given or script}; it shows {await self.window.ask(LOOK)}")

    async def click(self, name: str | tuple[str, int, int, int]) -> None:
        """Click on what `SPOT` finds, once it stands still."""
        spot = None
        while (found := await self.find(SPOT, name)) != spot:
            spot = found
            await asyncio.sleep(0.05)
        self.done.append(f"[{name}]")
        self.window.click(*spot)

    async def write(self, count: int) -> None:
        """Go to the end of the line, and press so many keys: most of them are letters."""
        await self.click("#line-src")
        self.press("End")
        dice, begin = self.dice, self.dice.randrange(len(PHRASE))
        slowest = dice.choice([20, 60])
        for letter in (PHRASE[begin:] + PHRASE)[:count]:
            key = dice.choice(KEYS) if len(self.text) < LONGEST else "Backspace"
            self.press(letter if key == "letter" else key)
            pause = dice.uniform(15, slowest) if dice.random() < 0.96 else dice.uniform(200, 1000)
            await asyncio.sleep(pause / 1000)

    def pressed_only(self, were: list[bool]) -> None:
        """Take back those of the keys pressed since the page was opened that went elsewhere."""
        keys = [key for key in self.done[1:] if not key.startswith("[")]
        self.text, self.at = TEXT, 0
        for key, was in zip(keys, were, strict=True):
            if was:
                self._follow(key)

    def press(self, key: str) -> None:
        """Press a key in the line."""
        self.done.append(key)
        self.window.press(key)
        self._follow(key)

    def _follow(self, key: str) -> None:
        before, after = self.text[: self.at], self.text[self.at :]
        match key:
            case "Backspace":
                before = before[:-1]
            case "ArrowLeft":
                before, after = before[:-1], before[-1:] + after
            case "ArrowRight":
                before, after = before + after[:1], after[1:]
            case "Home":
                before, after = "", before + after
            case "End":
                before, after = before + after, ""
            case _:
                before += key
        self.text, self.at = before + after, len(before)
        self.texts.add(self.text)

    async def look(self) -> dict[str, Any]:
        """What the page shows, once it rests."""
        await self.window.rest()
        await self.find(PLAYED)
        await self.find(SETTLED, self.dice.random())
        found: dict[str, Any] = await self.window.ask(LOOK)
        return found

    async def wrong(
        self, page: str, wanted: Mapping[str, str], witness: "Person | None" = None
    ) -> list[str]:
        """What is wrong even after a while: its page, its sentence, or one of the wanted choices,
        which are patterns.

        And what a new window, the witness, shows differently at the same address.
        """
        end, found = time.monotonic() + PATIENCE, await self._wrong(page, wanted)
        while found and time.monotonic() < end:
            found = await self._wrong(page, wanted)
        await asyncio.sleep(0.7)  # for what takes it back
        found = found or await self._wrong(page, wanted)
        if found or witness is None:
            return found
        here, address = await self.look(), await self.window.ask("() => location.href")
        await witness.window.open(address)
        there = await witness.look()
        return [] if here == there else [f"it shows {here}, a new window {there}"]

    async def _wrong(self, page: str, wanted: Mapping[str, str]) -> list[str]:
        found = await self.look()
        params = found["params"]
        says = {**params, "says": " ".join(found["shows"])}
        shown = {
            "the page": (found["page"], page),
            "the line": (found["line"], self.text),
            "src": (
                params.get("src", self.text),
                self.text,
            ),  # no address has the usual text
        }
        wrong = [f"{key} is {a!r}, not {b!r}" for key, (a, b) in shown.items() if a != b]
        return wrong + [
            f"{key} is {says.get(key)!r}, not {choice}"
            for key, choice in wanted.items()
            if not re.fullmatch(choice, says.get(key, ""))
        ]
