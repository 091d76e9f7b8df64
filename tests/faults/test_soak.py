"""Several people click and type at random for a given time: nothing breaks, and no memory leaks.

A short run by default; `SOAK=600 PEOPLE=20 pytest -s tests/faults/test_soak.py` runs for
ten minutes with twenty people.
`SEED` repeats the clicks of an earlier run, as far as timing allows.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from google.protobuf.message import Message

from explorer.choices.pages import PAGES
from explorer.choices.parameters import KNOWN_NAMES
from explorer.languages import LANGUAGES
from explorer.runtime.engine import SMALL_HOST
from tests.faults.conftest import SMALL_MACHINE, own_errors
from tests.faults.guest import Guest, browser_cookie, visiting
from tests.faults.nasty import MARKUP, NUMBERS, ODD
from tests.support.async_tests import run_async
from tests.support.people import PATIENCE, key_of
from tests.support.servers import serving

SECONDS: Final = float(os.environ.get("SOAK", "6"))
_RANDOM_SEED: Final = 1 if os.environ.get("CI") else random.SystemRandom().randrange(1, 10**6)
SEED: Final = int(os.environ.get("SEED", "0")) or _RANDOM_SEED
PEOPLE: Final = int(os.environ.get("PEOPLE", "4"))
MIN_RUNS: Final = 5  # of each person, however slow the machine is
MIB: Final = 2**20
# In the second half, the process may hold this much more memory than in the first, or than the
# app's own limit: a large model for a moment, and freed memory that the C library keeps.
MAX_GROWTH: Final = 200 * MIB
WORDS: Final = ["the", "cat", "dog", "bird", "street", "old", "red", "tired", "sees", "it"]


def some_text(dice: random.Random) -> str:
    """Mostly words; sometimes text that nobody would type."""
    if dice.random() < 0.7:
        return " ".join(dice.choices(WORDS, k=dice.randint(0, 12)))
    return " ".join(dice.choices(MARKUP + ODD + NUMBERS, k=3)).encode(errors="replace").decode()


def value_for(kind: str, widget: Message, dice: random.Random, seen: set[str]) -> Any:
    """A value that a browser could send for a widget, and now and then one that it would not.

    It may be an option that was `seen` before and is gone: the browser may not know that yet.
    """
    strange = dice.random() < 0.05
    match kind:
        case "text_input":
            return some_text(dice)
        case "checkbox":
            return dice.random() < 0.5
        case "selectbox":
            return dice.choice(sorted(seen) if strange else widget.options)
        case "button_group":
            return [dice.choice(widget.options).content]
        case "slider" if widget.options:
            return [dice.choice(sorted(seen) if strange else widget.options)]
        case "slider":
            return [float(dice.randint(int(widget.min), int(widget.max)))]
    raise AssertionError(f"the test does not know how to use a {kind}")


def random_cells(
    component: Message, dice: random.Random
) -> Iterator[tuple[str, dict[str, object]]]:
    """A random cell of each heatmap of a picture, as a click reports it, with the picture's key."""
    sent = json.loads(component.bytes) if component.component_name == "live_plot" else {}
    if sent.get("pickable"):
        for about in sent["hover"]["maps"]:
            x, y = dice.randrange(about["columns"]), dice.randrange(about["rows"])
            point = {"x": x, "y": y, "name": about["name"]}
            yield sent["key"], point


SETTABLE: Final = ("text_input", "checkbox", "selectbox", "button_group", "slider")


async def act(
    guest: Guest, dice: random.Random, done: list[str], seen: dict[str, set[str]]
) -> None:
    """One thing that a person may do."""
    usable = [
        (key_of(element), kind, getattr(element, kind))
        for kind in SETTABLE
        for element in guest.shown(kind)
        if not getattr(element, kind).disabled
    ]
    buttons = [e.button for e in guest.shown("button") if not e.button.disabled]
    components = [e.bidi_component for e in guest.shown("bidi_component")]
    cells = [cell for component in components for cell in random_cells(component, dice)]
    lines = [json.loads(c.bytes)["key"] for c in components if c.component_name == "line"]
    chance = dice.random()
    if chance < 0.15:
        page = dice.choice(list(PAGES))
        done.append(f"to {page}")
        await guest.walk(page)
    elif chance < 0.3 and buttons:
        button = dice.choice(buttons)
        done.append(f"press {button.label!r}")
        await guest.press_id(button.id)
    elif chance < 0.35 and guest.drawers:
        drawer = dice.choice(guest.drawers)
        done.append(f"open {drawer}")
        await guest.open_drawer(drawer)
    elif chance < 0.4 and guest.folds:
        fold = dice.choice(guest.folds)
        done.append(f"unfold {fold}")
        await guest.set(**{fold: dice.random() < 0.7})
    elif chance < 0.55 and cells:
        # Now and then a cell is clicked that is gone: as if the picture had not changed yet.
        seen.setdefault("cells", set()).update(map(json.dumps, cells))
        late = [json.loads(cell) for cell in sorted(seen["cells"])]
        key, point = dice.choice(late if dice.random() < 0.2 else cells)
        if guest.has(key):
            done.append(f"click {key} {point}")
            await guest.pick(key, "picked", point)
    elif chance < 0.6 and guest.refreshing:
        await guest.refresh(dice.choice(list(guest.refreshing)))
    elif lines and (chance < 0.8 or not usable):
        key, text = dice.choice(lines), some_text(dice)
        done.append(f"{key}: {text!r:.60}")
        await guest.set(**{key: text})
    elif usable:
        key, kind, widget = dice.choice(usable)
        if kind in ("selectbox", "slider"):
            seen.setdefault(key, set()).update(widget.options)
        value = value_for(kind, widget, dice, seen.get(key, set()))
        done.append(f"{key} = {value!r:.60}")
        await guest.set(**{key: value})


async def act_at_random(
    address: str, number: int, end: float, actions: dict[int, list[str]]
) -> int:
    """Open a page, act at random, leave, and come again; returns the number of runs."""
    dice = random.Random(f"{SEED} {number}")
    runs = 0
    while time.monotonic() < end or runs < MIN_RUNS:
        page, weights = dice.choice(list(PAGES)), dice.choice(KNOWN_NAMES)
        seen: dict[str, set[str]] = {}
        language = dice.choice(list(LANGUAGES))
        actions[number] = [f"open {page} {weights} {language}"]
        query, cookie = f"weights={weights}&lang={language}", browser_cookie()
        async with visiting(address, page, query, cookie=cookie) as guest:
            for _ in range(dice.randint(3, 30)):
                if time.monotonic() > end and runs >= MIN_RUNS:
                    break
                try:
                    await act(guest, dice, actions[number], seen)
                except TimeoutError:
                    guest.errors.append("no run ended")
                assert guest.errors == [], f"person {number}: {'; '.join(actions[number])}"
                runs += 1
            if dice.random() < 0.3:
                guest.drop_connection()
    return runs


async def watch(process: psutil.Process, end: float, held: list[int]) -> None:
    """Note how much memory the process holds."""
    while time.monotonic() < end:
        held.append(process.memory_info().rss)
        await asyncio.sleep(0.5)


def training_processes(process: psutil.Process) -> list[psutil.Process]:
    """The processes that train."""
    return [c for c in process.children(recursive=True) if c.status() != psutil.STATUS_ZOMBIE]


async def leave_while_it_trains(address: str, process: psutil.Process) -> None:
    """Disconnect in the middle of a training that would take an hour."""
    query = "weights=untrained&steps=20000"
    guest = await Guest.come(address, "training", query, cookie=browser_cookie())
    await guest.press("Train")
    for _ in range(100):
        if training_processes(process):
            break
        await asyncio.sleep(0.1)
    guest.drop_connection()
    assert training_processes(process)


@pytest.mark.all
def test_random_clicking(tmp_path: Path) -> None:
    print(f"SEED={SEED}")
    held: list[int] = []
    actions: dict[int, list[str]] = {}
    with serving(tmp_path / "log.txt", SMALL_MACHINE) as one:
        process = one.process
        # Before the others come: later, a training may have to wait for memory.
        run_async(lambda: leave_while_it_trains(one.url, process))
        end = time.monotonic() + SECONDS

        async def room() -> list[int]:
            watching = asyncio.create_task(watch(process, end, held))
            runs = await asyncio.gather(
                *(act_at_random(one.url, number, end, actions) for number in range(PEOPLE))
            )
            await watching
            return runs

        try:
            runs = run_async(room, SECONDS + 10 * PATIENCE)
        finally:
            print(own_errors(one.log.read_text()))
        half, whole = max(held[: len(held) // 2]), max(held)
        print(
            f"{sum(runs)} runs; at most {half // MIB} MiB in the first half, {whole // MIB} in all"
        )
        assert min(runs) >= MIN_RUNS
        assert whole < max(half, SMALL_HOST) + MAX_GROWTH, (
            f"{SEED=} {[size // MIB for size in held]}"
        )
        patience = time.monotonic() + 10
        while training_processes(process) and time.monotonic() < patience:
            time.sleep(0.2)
        assert training_processes(process) == []
        log = own_errors(one.log.read_text())
        assert "Traceback" not in log, f"{SEED=} {log}"
