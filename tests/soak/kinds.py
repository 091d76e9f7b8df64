"""What people do all at once, and what has to come of it."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.faults.wire import Wire
from tests.soak.browsers import Chromium
from tests.soak.person import SPOT, Person
from tests.support.servers import Server

TEXT: Final = "the dog sleeps"
# Notes which pages links lead to, and what Back and Forward lead to.
NOTE: Final = """() => {
  window.turned = [];
  window.addEventListener("click", ({ target }) => {
    const link = target.closest?.(".head a");
    if (link) window.turned.push([link.dataset.page, null]);
  }, true);
  window.addEventListener("popstate", () => window.turned.push([
    location.pathname.split("/").at(-1) || "home",
    new URLSearchParams(location.search).get("src")]), true);
}"""
LINKS: Final = """() => [...document.querySelectorAll(".head :is(.places, .pages) a")]
  .filter((link) => link.checkVisibility() && !link.ariaCurrent).map((link) => link.dataset.page)"""
IS_AT: Final = "(page) => (location.pathname.split('/').at(-1) || 'home') === page"


@dataclass
class Stage:
    """A server, and the windows of people."""

    server: Server
    wire: Wire
    browser: Chromium
    slow: float = 1  # so many times
    dice: random.Random = field(default_factory=random.Random)
    room: str = ""
    people: dict[str, Person] = field(default_factory=dict)

    async def person(self, name: str) -> Person:
        """Somebody; only those who type are slow."""
        if name not in self.people:
            slow = self.slow if name in ("somebody", "leader") else 1
            self.people[name] = Person(await self.browser.window(slow), self.server.url, self.dice)
        return self.people[name]

    async def open_room(self) -> None:
        """Open a room in which two follow."""
        leader = await self.person("leader")
        await leader.open("/room?weights=translator", "")
        await leader.click("Open a room")
        code = "() => document.querySelector('.room-code')?.innerText"
        self.room = await leader.find(code)
        for name in ("follower", "other follower"):
            follower = await self.person(name)
            await follower.open(f"/?room={self.room}", "")
            await follower.look()


async def typing(stage: Stage, number: int) -> list[str]:
    """Sentences, alone and for a room."""
    page, leads = ("attention", "masks")[number % 2], number % 4 > 1
    if leads and not stage.room:
        await stage.open_room()
    person = await stage.person("leader" if leads else "somebody")
    room = f"&room={stage.room}" if leads else ""
    await person.open(f"/{page}?weights=translator&src={TEXT}{room}", TEXT)
    await person.write(stage.dice.randint(8, 50))
    if not leads:
        return await person.wrong(page, {}, await stage.person("witness"))
    found = await person.wrong(page, {})
    for name in ("follower", "other follower") if not found else ():
        follower = await stage.person(name)
        follower.text = person.text
        found += await follower.wrong(page, {})
        here, there = await person.look(), await follower.look()
        if here["shows"] != there["shows"]:
            found.append(f"the leader sees {here}, a follower {there}")
    return found


# Pages, more of their addresses, what is clicked one after the other (of pictures a cell: of which
# map, in which column and row), and what comes of it. When a text changes, these cells hardly move.
CONTROLS: Final[list[tuple[str, str, list[str | tuple[str, int, int, int]], dict[str, str]]]] = [
    ("attention", "", [".st-key-attention button"], {"attention": "encoder"}),
    ("attention", "", [".st-key-layer input", "2"], {"layer": "2"}),
    ("attention", "&pairs=4", [".st-key-more_sentences button", "Remove pair 4"], {"pairs": "3"}),
    ("attention", "", [("all_heads", 3, 1, 1)], {"head": "4"}),
    (
        "tokens",
        "&pairs=4&src2=a b",
        [".st-key-more_sentences button", "Remove pair 1"],
        {"src": "a b"},
    ),
    ("masks", "", [("one_mask", 2, 0, 0)], {"query": "0", "key": "0"}),
    ("masks", "", [".st-key-attention button"], {"attention": "encoder"}),
    ("heads", "", ["0 to largest"], {"scale": "largest"}),
    ("steps", "", ["Next step"], {"step": "scores"}),
    ("decoding", "&at=1", ["Next"], {"at": "2"}),
    ("decoding", "&at=1", [".player"], {"at": r"[2-9]|\d\d"}),
    ("training", "", [".st-key-learning button"], {"learning": "encoder"}),
    ("training", "", [".st-key-learning_layer input", "1"], {"learning_layer": "1"}),
    ("training", "", [("learning_heads", 2, 1, 1)], {"says": ".*, head 3\\..*"}),
]
LEARNS: Final = "() => /a second/.test(document.querySelector('.stProgress')?.innerText)"


async def clicks(stage: Stage, number: int) -> list[str]:
    """Controls and pictures between letters, often just after the page was opened."""
    page, query, clicked, wanted = CONTROLS[number % len(CONTROLS)]
    person, trains = await stage.person("somebody"), page == "training"
    model = "untrained&steps=20000" if trains else "translator"
    await person.open(f"/{page}?weights={model}&pairs=1&src={TEXT}{query}", TEXT)
    if trains:
        await person.click("Train")
        await person.find(LEARNS)
    elif stage.dice.random() < 0.5:
        await person.look()
    await person.write(stage.dice.randint(0, 15))
    for name in clicked:
        await person.click(name)
    if "src" in wanted:
        person.text = wanted["src"]
    else:
        await person.write(stage.dice.randint(1, 15))
    if trains:
        await person.click("Pause")
        await person.find(SPOT, "Resume")
    witness = None if trains else await stage.person("witness")
    return await person.wrong(page, wanted, witness)


async def _turn(person: Person) -> None:
    """Turn the page by a link, or by a key outside of the line."""
    way = person.dice.choice(["link", "n", "b"])
    if way == "link":
        pages = sorted({*await person.window.ask(LINKS)} - {"words", "room"})
        await person.click(f'.head :is(.places, .pages) [data-page="{person.dice.choice(pages)}"]')
    else:
        await person.click(".stMainBlockContainer h1")
        person.done.append(f"({way})")
        person.window.press(way)


async def _go(person: Person, way: str) -> list[str]:
    """Go back or forward, and say what is wrong then."""
    person.done.append(f"({way})")
    turned = await person.window.ask("() => window.turned.length")
    await person.window.ask(f"() => history.{way}()")
    await person.find("(before) => window.turned?.length > before", turned)
    page, text = await person.window.ask("() => window.turned.at(-1)")
    found = [] if text in person.texts else [f"{way} leads to {text!r}, which never stood there"]
    person.text = text
    return found + await person.wrong(page, {})


async def turns(stage: Stage, number: int) -> list[str]:
    """Pages that are turned between letters: to and fro, or there and then all the way back."""
    person, dice, is_one_way = await stage.person("somebody"), stage.dice, bool(number % 2)
    await person.open(f"/masks?weights=translator&src={TEXT}", TEXT)
    await person.look()
    await person.window.ask(NOTE)
    went, found = ["masks"], list[str]()
    for _ in range(dice.randint(1, 4)):
        await person.write(dice.randint(0, 12))
        await _turn(person)
        await person.write(dice.randint(0, 12))
        if dice.random() < 0.5 or is_one_way:
            await person.window.rest()
            went.append((await person.window.ask("() => window.turned.at(-1)"))[0])
            await person.find(IS_AT, went[-1])
            if not is_one_way:
                found += await _go(person, "back")
                found += await _go(person, "forward") if dice.random() < 0.5 else []
    await person.window.rest()
    page, _ = await person.window.ask("() => window.turned.at(-1)")
    found += await person.wrong(page, {}, await stage.person("witness"))
    if found or not is_one_way:
        return found
    back = [page]
    while (back != went[::-1] or person.text != TEXT) and len(person.done) < 200 and not found:
        found += await _go(person, "back")
        page, _ = await person.window.ask("() => window.turned.at(-1)")
        back += [page] if page != back[-1] else []
    return found if found or back == went[::-1] else [f"went to {went}, and back to {back}"]


async def _meanwhile(person: Person, breaks: Callable[[], None], mends: Callable[[], None]) -> None:
    """Type on while something breaks, and is mended."""
    dice = person.dice
    writing = asyncio.create_task(person.write(50))
    await asyncio.sleep(dice.uniform(0.1, 1.5))
    breaks()
    await asyncio.sleep(dice.uniform(0.2, 6))
    mends()
    await writing


async def restarts(stage: Stage, number: int) -> list[str]:
    """A server that is killed and started again while somebody types."""
    person, page = await stage.person("somebody"), ("attention", "masks")[number % 2]
    await person.open(f"/{page}?weights=translator&src={TEXT}", TEXT)
    await person.look()
    await _meanwhile(person, stage.server.kill, stage.server.start)
    return await person.wrong(page, {}, await stage.person("witness"))


async def sleeps(stage: Stage, number: int) -> list[str]:
    """A connection that is cut, or a server that stands still, while somebody types."""
    person, process = await stage.person("somebody"), stage.server.process
    person.url = stage.wire.url
    await person.open(f"/attention?weights=translator&src={TEXT}", TEXT)
    await person.look()
    if number % 2:
        await _meanwhile(person, stage.wire.cut, stage.wire.mend)
    else:
        await _meanwhile(person, process.suspend, process.resume)
    return await person.wrong("attention", {}, await stage.person("witness"))


KINDS: Final = {kind.__name__: kind for kind in (typing, clicks, turns, restarts, sleeps)}


async def soak(
    kind: str, stage: Stage, count: int, seed: int, say: Callable[[str], None] = print
) -> list[str]:
    """Do it so many times; returns what was lost."""
    losses = []
    for number in range(count):
        stage.dice.seed(f"{kind} {seed} {number}")
        try:
            wrong = await KINDS[kind](stage, number)
        except TimeoutError as late:
            wrong = [str(late)]
        if wrong:
            done = {name: "".join(person.done) for name, person in stage.people.items()}
            losses.append(f"{kind} {number} of seed {seed}: {'; '.join(wrong)}\n  {done}")
            say(losses[-1])
    say(f"{kind}: {len(losses)} of {count}")
    return losses
