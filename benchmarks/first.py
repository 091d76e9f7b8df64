"""The first visit: from the request, and from the start of the server, to the first picture."""

import statistics
import time
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser

from benchmarks import browser
from benchmarks.report import Row, Section

TORCH_APP: Final = browser.ROOT / "benchmarks" / "torch_app.py"
TIMES: Final = 5
# A page, and the element that has to be painted.
FIRST_PAGE: Final = ("", ".is-drawn .map > *")
ATTENTION: Final = ("attention", ".is-drawn .st-key-one_head .plot[data-drawn]")
EMPTY: Final = ("", '[data-testid="stText"]')


class Visit(NamedTuple):
    """Seconds."""

    from_start: float  # of the server's process
    from_request: float  # the first request to this process
    again: float  # from the request of a second person with an empty browser cache


def visit(chromium: Browser, script: Path, page: str, picture: str, **settings: object) -> Visit:
    """A new server process, and two visitors, one after the other."""
    start = time.perf_counter()
    options = () if script == browser.APP else browser.USUAL
    with browser.serve(script, *options) as server:
        url = server.url(page, **settings)
        first, requested = _seconds(chromium, url, picture)
        again, _ = _seconds(chromium, url, picture)
        return Visit(requested - start + first, first, again)


def _seconds(chromium: Browser, url: str, picture: str) -> tuple[float, float]:
    """The seconds until the picture is painted, and the time of the request."""
    context = chromium.new_context(viewport=browser.WINDOW)
    window = context.new_page()
    requested = time.perf_counter()
    window.goto(url, wait_until="commit")
    window.wait_for_selector(picture, timeout=60_000)
    window.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    seconds = time.perf_counter() - requested
    context.close()
    return seconds, requested


def measure() -> Section:
    """Two pages of the app and the empty one, in turn."""
    cases = {
        "first page": (browser.APP, *FIRST_PAGE),
        "Attention": (browser.APP, *ATTENTION),
        "empty": (TORCH_APP, *EMPTY),
    }
    visits: dict[str, list[Visit]] = {name: [] for name in cases}
    with browser.chromium() as chromium:
        for _ in range(TIMES):
            for name, case in cases.items():
                visits[name].append(visit(chromium, *case))
    medians = {
        name: Visit(*map(statistics.median, zip(*seen, strict=True)))
        for name, seen in visits.items()
    }
    empty = medians["empty"]
    rows = [
        Row(
            what=f"{what}, {name} / an empty app that imports torch",
            how=f"medians of {TIMES}, in turn; {how}",
            aim="≤ 1.5",
            measured=f"**{getattr(medians[name], field) / getattr(empty, field):.2f}** "
            f"({getattr(medians[name], field):.2f} / {getattr(empty, field):.2f} s)",
        )
        for name in ("first page", "Attention")
        for field, what, how in (
            ("from_request", "First request → picture", "a server without earlier requests"),
            ("from_start", "Server start → picture", "process start included"),
            ("again", "Second person's request → picture", "with an empty browser cache"),
        )
    ]
    return Section(
        title="First visit",
        rows=rows,
        notes=[
            "Every visit has its own browser context, without any cache; default model. Of a "
            "second person's time on Attention, half is Streamlit's own start, two fifths are its "
            "scripts and elements for the forty parts of the page, and the rest our scripts and "
            "the pictures. No library is loaded for them.",
        ],
    )
