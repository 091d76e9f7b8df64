"""The traffic over the WebSocket when one word changes."""

import asyncio
import statistics
from typing import Final

from benchmarks import browser
from benchmarks.browser import MODEL
from benchmarks.report import Row, Section
from tests.support.people import Person

TOKENS: Final = (12, 32, 64)
PRESSES: Final = 8
PLUS: Final = 6000  # bytes allowed per update, besides its weights
BUDGET: Final = 1.5  # bytes a weight


async def updates(address: str, page: str, tokens: int) -> tuple[float, float]:
    """Bytes received and sent for one changed word, as medians."""
    words = [f"w{n}" for n in range(tokens)]
    person, _ = await Person.arrive(
        address, page, pairs=1, src=" ".join(words), tgt=" ".join(words[1:]), **MODEL
    )
    received, sent = [], []
    for press in range(PRESSES):
        # A word becomes equal to another one, so every number of the encoder changes.
        changed = [*words[: press + 1], words[0], *words[press + 2 :]]
        run = await person.set(src=" ".join(changed))
        if run.errors:
            raise RuntimeError(run.errors[0])
        received.append(run.bytes)
        sent.append(run.sent)
    await person.leave()
    return statistics.median(received), statistics.median(sent)


async def unchanging(address: str) -> float:
    """Bytes of a key press that changes no picture, on a page of three words."""
    person, _ = await Person.arrive(address, "attention", pairs=1, src="a b c", **MODEL)
    await person.set(src="a b  c")
    run = await person.set(src="a b   c")
    await person.leave()
    return run.bytes


def measure() -> Section:
    """Attention page and model view, at every length."""
    heads, layers = MODEL["heads"], MODEL["enc"]
    rows = []
    with browser.serve(browser.APP) as app:
        fixed = asyncio.run(unchanging(app.address))
        for tokens in TOKENS:
            received, sent = asyncio.run(updates(app.address, "attention", tokens))
            drawn = (3 * layers * heads + 1) * tokens**2  # all heads, and one of them large
            rows.append(
                Row(
                    what=f"Attention, {tokens} tokens: bytes received for one changed word",
                    how=f"{drawn:,} weights drawn",
                    aim=f"≤ {BUDGET} a weight + 6 kB = {(BUDGET * drawn + PLUS) / 1000:.0f} kB",
                    measured=f"**{received / 1000:.1f} kB**: "
                    f"{(received - fixed) / drawn:.2f} a weight + {fixed / 1000:.1f} kB; "
                    f"sent {sent / 1000:.1f} kB",
                )
            )
    return Section(
        title="Traffic: what one changed word costs",
        rows=rows,
        notes=[
            f"d_model {MODEL['d_model']}, {heads} heads, {layers}+{layers} layers. Bytes on the "
            "wire, compressed as the server sends them to every browser. A key press that changes "
            f"no picture takes {fixed / 1000:.1f} kB with three words: everything on the page is "
            "sent again, unchanged pictures too. A weight of the map is one byte; the picture in "
            "focus also carries its scores, and every row and column its word.",
        ],
    )
