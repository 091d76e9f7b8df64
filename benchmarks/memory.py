"""Memory of one server process after showing every page and several models in a browser.

The process has as much memory as the smallest host: it keeps more where it may.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final, NamedTuple

import psutil
from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.browser import MODEL, SENTENCES, Server
from benchmarks.container import SMALLEST, container
from benchmarks.report import Row, Section
from explorer.choices.pages import PAGES

LONG: Final = {
    "pairs": 1,
    "src": " ".join(f"word{n}" for n in range(128)),
    "tgt": " ".join(f"wort{n}" for n in range(127)),  # the decoder reads BOS before it
}
BEFORE: Final = (
    {"weights": "untrained"},
    MODEL | {"d_model": 128, "enc": 4, "dec": 4},
    MODEL | {"seed": 1},
    MODEL | {"seed": 2},
    MODEL | {"d_model": 1024, "heads": 16, "enc": 2, "dec": 2},
)


class Memory(NamedTuple):
    """In MB."""

    resident: float
    own: float  # without library pages, which the kernel can drop and reload


@contextmanager
def watch(process: psutil.Process) -> Iterator[list[Memory]]:
    """The process's memory, every 20 ms while the block runs."""
    sizes = [_memory(process)]
    over = Event()

    def look() -> None:
        while not over.wait(0.02):
            sizes.append(_memory(process))

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()
        sizes.append(_memory(process))


def measure() -> Section:
    """First the other models, then every page at d_model 512 with short and long sentences."""
    with (
        container(SMALLEST) as enter,
        browser.serve(browser.APP, before=enter) as app,
        browser.chromium() as chromium,
    ):
        process = psutil.Process(app.process.pid)
        with watch(process) as sizes:
            page = chromium.new_page(viewport=browser.WINDOW)
            browser.visit(page, app.url())
            for settings in BEFORE:
                _see(page, app, "attention", settings | SENTENCES)
            _see(page, app, "attention", MODEL | SENTENCES)
            first = len(sizes)
            for sentences in (SENTENCES, LONG):
                for name in PAGES:
                    _see(page, app, "" if name == "home" else name, MODEL | sentences)
            time.sleep(2)
    how = (
        f"resident memory of the server process, one browser; {len(BEFORE)} other models first "
        "(d_model 64 … 1024), then every page at d_model 512, 8 heads, 6+6, 12 and 128 tokens"
    )
    return Section(
        title=f"Memory: one server process limited to {SMALLEST / 1e6:.0f} MB",
        rows=[
            Row(what="Peak at d_model 512", how=how, aim="< 500 MB",
                measured=_shown(max(sizes[first:]))),
            Row(what="At the end", how="2 s after the last page", aim="< 500 MB",
                measured=_shown(sizes[-1])),
        ],
        notes=[
            f"Pages: {', '.join(PAGES)}. "
            "Memory is read every 20 ms; 1 MB = 2²⁰ bytes. Own memory is without the pages of "
            "program files, which do not have to fit into a container's limit. The peak consists "
            "of 217 MB after importing torch, 183 MB of weights and 70 to 80 MB for the trace of "
            "128 tokens, which keeps every tensor for display; the rest is Streamlit, plotly and "
            "the cache. On a host with more memory the process keeps more models and traces, up "
            "to a quarter of it.",
        ],
    )  # fmt: skip


def _see(page: Page, app: Server, name: str, settings: dict[str, object]) -> None:
    browser.visit(page, app.url(name, **settings))
    browser.settle(page, 1.0)


def _memory(process: psutil.Process) -> Memory:
    info = process.memory_info()
    return Memory(info.rss / 2**20, (info.rss - info.shared) / 2**20)


def _shown(memory: Memory) -> str:
    return f"**{memory.resident:.0f} MB**, {memory.own:.0f} MB of it own memory"
