"""What people do all at once, and what has to come of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.faults.wire import Wire
from tests.soak.browsers import Chromium
from tests.soak.person import SPOT, TEXT, Person
from tests.support.servers import Server

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
LINKS: Final = """() => [...document.querySelectorAll(".head :is(.all, .words) a")]
  .filter((link) => link.checkVisibility() && !link.ariaCurrent).map((link) => link.dataset.page)"""
# Where the server is gone for some seconds, a dialog says so: what is pressed then goes there,
# and as it closes, the focus comes back a moment later.
NOTE_KEYS: Final = """() => {
  window.wentToLine = [];
  let dialog = -1000;
  window.addEventListener("keydown", ({ target }) => {
    const now = performance.now();
    if (target.closest("[role=dialog]")) dialog = now;
    window.wentToLine.push(target.matches(".line *") || now - dialog > 300);
  }, true);
}"""
IS_SAID: Final = "() => document.querySelector('.room-news').checkVisibility()"
FOLLOWS: Final = "() => !!document.querySelector('.st-key-room_explore')"
IS_AT: Final = "(page) => (location.pathname.split('/').at(-1) || 'home') === page"


@dataclass
class Stage:
    """A server, somebody at the browser in question, and others at quick ones."""

    server: Server
    wire: Wire
    somebody: Person
    others: Chromium
    room: str = ""
    people: dict[str, Person] = field(default_factory=dict)

    async def other(self, name: str) -> Person:
        """One of the others."""
        if name not in self.people:
            window = await self.others.window()
            self.people[name] = Person(window, self.server.url, self.somebody.dice)
        return self.people[name]


async def typing(stage: Stage, person: Person, number: int) -> list[str]:
    """Sentences."""
    page = ("attention", "masks")[number % 2]
    await person.open(f"/{page}?weights=translator&src={TEXT}", TEXT)
    await person.write(person.dice.randint(8, 50))
    return await person.wrong(page, {}, await stage.other("witness"))


async def leading(stage: Stage, person: Person, number: int) -> list[str]:
    """Sentences for a room in which two follow."""
    followers = [await stage.other(name) for name in ("follower", "another")]
    if not stage.room:
        await person.open("/room?weights=translator", "")
        await person.click("Open a room")
        code = "() => document.querySelector('.room-code')?.innerText"
        stage.room = await person.find(code)
        for follower in followers:
            await follower.open(f"/?room={stage.room}", "")
            await follower.look()
    page = ("attention", "masks")[number % 2]
    await person.open(f"/{page}?weights=translator&src={TEXT}&room={stage.room}", TEXT)
    await person.write(person.dice.randint(8, 50))
    found = await person.wrong(page, {})
    for follower in followers if not found else ():
        follower.text = person.text
        found += await follower.wrong(page, {})
        here, there = await person.look(), await follower.look()
        if here["shows"] != there["shows"]:
            found.append(f"the leader sees {here}, a follower {there}")
    return found


# Pages, more of their addresses, what is clicked one after the other (of pictures a cell: of which
# map, in which column and row), and what comes of it. When a text changes, these cells hardly move.
CONTROLS: Final[list[tuple[str, str, list[str | tuple[str, int, int, int]], dict[str, str]]]] = [
    ("attention", "", [".heads .encoder button"], {"attention": "encoder", "head": "1"}),
    ("steps", "", [".st-key-layer input", "2"], {"layer": "2"}),
    (
        "attention",
        "&pairs=4",
        [".st-key-more_sentences button", "Remove pair 4"],
        {"pairs": "3"},
    ),
    ("attention", "", [("one_head", 0, 1, 1)], {"query": "1", "key": "1"}),
    (
        "tokens",
        "&pairs=4&src2=a b",
        [".st-key-more_sentences button", "Remove pair 1"],
        {"src": "a b"},
    ),
    ("masks", "", [("one_mask", 0, 0, 0)], {"query": "0", "key": "0"}),
    ("masks", "", [".st-key-attention button"], {"attention": "encoder"}),
    ("attention", "&drawer=colours", ["0 to largest"], {"scale": "largest"}),
    ("steps", "", ["Next"], {"step": "scores"}),
    ("decoding", "&at=1", ["Next"], {"at": "2"}),
    ("decoding", "&at=1", [".player"], {"at": r"[2-9]|\d\d"}),
    ("training", "", [".st-key-learning button"], {"learning": "encoder"}),
    ("training", "", [".st-key-learning_layer input", "1"], {"learning_layer": "1"}),
    ("training", "", [("learning_heads", 2, 1, 1)], {"says": ".*, head 3\\..*"}),
]
# The cell that the next press lies on: a letter before it may have changed the picture.
NOTE_CELL: Final = """([key, map]) => addEventListener("pointerdown", ({ clientX, clientY }) => {
  const plot = document.querySelector(`.st-key-${key} .plot`);
  const { x, y } = plot.getBoundingClientRect();
  const { columns, rows } = plot.picture.maps[map];
  const at = (edges, place) => edges.findLastIndex((edge) => edge <= place);
  window.pressed = { key: at(columns, clientX - x), query: at(rows, clientY - y) };
}, { capture: true, once: true })"""
LEARNS: Final = "() => /a second/.test(document.querySelector('.stProgress')?.innerText)"


async def clicks(stage: Stage, person: Person, number: int) -> list[str]:
    """Controls and pictures between letters, often just after the page was opened."""
    page, query, clicked, wanted = CONTROLS[number % len(CONTROLS)]
    trains = page == "training"
    model = "untrained&steps=20000" if trains else "translator"
    await person.open(f"/{page}?weights={model}&pairs=1&src={TEXT}{query}", TEXT)
    if trains:
        await person.click("Train")
        await person.find(LEARNS)
    elif person.dice.random() < 0.5:
        await person.look()
    await person.write(person.dice.randint(0, 15))
    for name in clicked:
        if "query" in wanted:
            await person.window.ask(NOTE_CELL, name)
        await person.click(name)
    if "src" in wanted:
        person.text = wanted["src"]
    else:
        await person.write(person.dice.randint(1, 15))
    if "query" in wanted:
        pressed = await person.window.ask("() => window.pressed")
        wanted = {side: str(place) for side, place in pressed.items()}
    if trains:
        await person.click("Pause")
        await person.find(SPOT, "Resume")
    witness = None if trains else await stage.other("witness")
    return await person.wrong(page, wanted, witness)


async def _turn(person: Person) -> None:
    """Turn the page by a link, or by a key outside of the line."""
    way = person.dice.choice(["link", "n", "b"])
    if way == "n" and await person.window.ask(IS_AT, "lab"):  # the room comes next, without a line
        way = "b"
    if way == "link":
        pages = sorted({*await person.window.ask(LINKS)} - {"glossary", "room"})
        await person.click(f'.head :is(.all, .words) [data-page="{person.dice.choice(pages)}"]')
    else:
        person.window.press("Escape")  # the examples may lie over the title
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


async def turns(stage: Stage, person: Person, number: int) -> list[str]:
    """Pages that are turned between letters: to and fro, or there and then all the way back."""
    dice, is_one_way = person.dice, bool(number % 2)
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
            page, _ = await person.window.ask("() => window.turned.at(-1)")
            await person.find(IS_AT, page)
            went += [page] if page != went[-1] else []
            if not is_one_way:
                found += await _go(person, "back")
                found += await _go(person, "forward") if dice.random() < 0.5 else []
    await person.window.rest()
    page, _ = await person.window.ask("() => window.turned.at(-1)")
    found += await person.wrong(page, {}, await stage.other("witness"))
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
    await person.window.ask(NOTE_KEYS)
    writing = asyncio.create_task(person.write(50))
    await asyncio.sleep(dice.uniform(0.1, 1.5))
    breaks()
    await asyncio.sleep(dice.uniform(0.2, 6))
    mends()
    await writing
    await person.window.rest()
    person.pressed_only(await person.window.ask("() => window.wentToLine"))


async def lines(stage: Stage, person: Person, number: int) -> list[str]:
    """A line that is dead while the room that it follows goes on; then it goes on, or is cut."""
    teacher, person.url = await stage.other("teacher"), stage.wire.url
    if not stage.room:
        await teacher.open("/room?weights=translator", "")
        await teacher.click("Open a room")
        stage.room = await teacher.find("() => document.querySelector('.room-code')?.innerText")
    await person.open(f"/?room={stage.room}", "")
    await person.find(FOLLOWS)
    await person.look()
    stage.wire.die()
    page = ("attention", "masks")[number % 2]
    await teacher.open(f"/{page}?weights=translator&src={TEXT}&room={stage.room}", TEXT)
    await teacher.write(10)
    await person.find(IS_SAID)
    if number % 2:
        stage.wire.cut()
    stage.wire.mend()
    person.text = teacher.text
    return await person.wrong(page, {})


async def restarts(stage: Stage, person: Person, number: int) -> list[str]:
    """A server that is killed and started again while somebody types."""
    page = ("attention", "masks")[number % 2]
    await person.open(f"/{page}?weights=translator&src={TEXT}", TEXT)
    await person.look()
    await _meanwhile(person, stage.server.kill, stage.server.start)
    return await person.wrong(page, {}, await stage.other("witness"))


async def sleeps(stage: Stage, person: Person, number: int) -> list[str]:
    """A connection that is cut, or a server that stands still, while somebody types."""
    process = stage.server.process
    person.url = stage.wire.url
    await person.open(f"/attention?weights=translator&src={TEXT}", TEXT)
    await person.look()
    if number % 2:
        await _meanwhile(person, stage.wire.cut, stage.wire.mend)
    else:
        await _meanwhile(person, process.suspend, process.resume)
    return await person.wrong("attention", {}, await stage.other("witness"))


KINDS: Final = {
    kind.__name__: kind for kind in (typing, leading, clicks, turns, restarts, sleeps, lines)
}


async def soak(kind: str, stage: Stage, count: int, seed: int, slow: float = 1) -> list[str]:
    """Do it so many times, in a browser so many times as slow; says what was lost."""
    person, losses = stage.somebody, list[str]()
    for number in range(count):
        person.dice.seed(f"{kind} {seed} {number}")
        await person.window.slow(slow)
        try:
            wrong = await KINDS[kind](stage, person, number)
        except TimeoutError as late:
            wrong = [str(late)]
        await person.window.slow(1)
        if wrong:
            losses.append(f"{number}: {''.join(person.done)}\n   {'; '.join(wrong)}")
            print("", losses[-1], flush=True)
        print(f"{kind}, seed {seed}: {len(losses)} of {number + 1}", end="\r", flush=True)
    print()
    return losses
