"""Memory of one server process that has shown every page and several models in a browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

import psutil
from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.browser import MODEL, SENTENCES, Server
from benchmarks.report import Row, Section

LONG: Final = {
    "pairs": 1,
    "src": " ".join(f"word{n}" for n in range(128)),
    "tgt": " ".join(f"wort{n}" for n in range(127)),  # the decoder reads BOS before it
}
BEFORE: Final = (
    {"d_model": 64},
    {"d_model": 128, "heads": 8, "enc": 4, "dec": 4},
    MODEL | {"seed": 1},
    MODEL | {"seed": 2},
    {"d_model": 1024, "heads": 16, "enc": 2, "dec": 2},
)


@contextmanager
def watch(process: psutil.Process) -> Iterator[list[float]]:
    """The process's resident memory in MB, every 20 ms, as long as the block runs."""
    sizes = [_megabytes(process)]
    over = Event()

    def look() -> None:
        while not over.wait(0.02):
            sizes.append(_megabytes(process))

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()
        sizes.append(_megabytes(process))


def measure() -> Section:
    """The models before, then every page at d_model 512, short and long sentences."""
    with browser.serve(browser.APP) as app, browser.chromium() as chromium:
        process = psutil.Process(app.process.pid)
        with watch(process) as sizes:
            page = chromium.new_page(viewport=browser.WINDOW)
            browser.visit(page, app.url())
            start = _megabytes(process)
            names = _pages(page)
            for settings in BEFORE:
                _see(page, app, "attention", settings | SENTENCES)
            _see(page, app, "attention", MODEL | SENTENCES)
            first = len(sizes)
            for sentences in (SENTENCES, LONG):
                for name in names:
                    _see(page, app, name, MODEL | sentences)
            time.sleep(2)
    how = (
        f"resident memory of the server process, one browser; {len(BEFORE)} other models first "
        "(d_model 64 … 1024), then every page at d_model 512, 8 heads, 6+6, 12 and 128 tokens"
    )
    return Section(
        title="Memory: one server process",
        rows=[
            Row(what="Peak at d_model 512", how=how, aim="< 500 MB",
                measured=f"**{max(sizes[first:]):.0f} MB**"),
            Row(what="At the end", how="2 s after the last page", aim="< 500 MB",
                measured=f"**{sizes[-1]:.0f} MB**"),
            Row(what="After the first page", how="home, d_model 64", aim="–",
                measured=f"{start:.0f} MB"),
            Row(what="Peak of the other models", how="the largest: d_model 1024, 2+2", aim="–",
                measured=f"{max(sizes[:first]):.0f} MB"),
        ],
        notes=[f"Pages: {', '.join(names)}. Memory is read every 20 ms; 1 MB = 2²⁰ bytes."],
    )  # fmt: skip


def _pages(page: Page) -> list[str]:
    """The pages' names in the address, as the navigation has them."""
    links = page.locator('[data-testid="stTopNavLink"]').evaluate_all(
        "links => links.map((link) => new URL(link.href).pathname.slice(1))"
    )
    if len(links) < 2:
        raise RuntimeError(f"the navigation must link to the pages, found {links}")
    return list(links)


def _see(page: Page, app: Server, name: str, settings: dict[str, object]) -> None:
    browser.visit(page, app.url(name, **settings))
    browser.settle(page, 1.0)


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20
