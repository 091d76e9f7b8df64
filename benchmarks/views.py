"""From a click to the redrawn steps, against an empty page."""

import statistics
from collections.abc import Sequence
from typing import Final

from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.report import Row, Section

CLICKS: Final = 30
WARM_UP: Final = 5
STEP_PICTURE: Final = ".st-key-step_picture .plot"
CLICKED: Final = '[data-testid="stText"]'
BUTTON: Final = '[data-testid="stButton"] button'

# Clicks an element and measures the time to the second frame after `selector`'s attribute (or, if
# null, its text) has changed.
CLICK: Final = """
([clicked, selector, attribute]) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("nothing new within 20 s")), 20000);
  const element = document.querySelector(selector);
  const read = () => attribute ? document.querySelector(selector)?.getAttribute(attribute)
    : document.querySelector(selector)?.textContent;
  const before = read();
  const start = performance.now();
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(
    () => resolve(performance.now() - start)));
  const observer = new MutationObserver(() => {
    if (read() === before) return;
    observer.disconnect();
    painted();
  });
  observer.observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
  const all = document.querySelectorAll(clicked);
  all[window.turn = ((window.turn ?? 0) + 1) % all.length].click();
})
"""


def click(page: Page, clicked: str, selector: str, attribute: str | None) -> float:
    """Milliseconds from a click on the next `clicked` element to the painted change."""
    milliseconds: float = page.evaluate(CLICK, [clicked, selector, attribute])
    browser.settle(page, 0.2)
    return milliseconds


def measure() -> Section:
    """The steps and an empty page, click by click."""
    with (
        browser.serve(browser.APP) as app,
        browser.serve(browser.EMPTY_APP) as empty,
        browser.chromium() as chromium,
    ):
        steps = chromium.new_page(viewport=browser.WINDOW)
        browser.visit(
            steps, app.url("steps", **browser.MODEL, **browser.SENTENCES), f"{STEP_PICTURE}"
        )
        browser.settle(steps, 1.0)
        nothing = chromium.new_page(viewport=browser.WINDOW)
        browser.visit(nothing, empty.url(), BUTTON)
        step_times, empty_times = [], []
        for _ in range(WARM_UP + CLICKS):
            steps.bring_to_front()
            step_times.append(click(steps, ".step-table tbody button", STEP_PICTURE, "data-drawn"))
            nothing.bring_to_front()
            empty_times.append(click(nothing, BUTTON, CLICKED, None))
        step_times, empty_times = step_times[WARM_UP:], empty_times[WARM_UP:]
        steps.close()
        nothing.close()

    return Section(
        title="Views: a click on Step by step",
        rows=[
            Row(
                what="Click on a key → redrawn step / click → redrawn empty page",
                how=f"medians of {CLICKS} clicks each, in turn; d_model 512, 8 heads, 6+6 layers",
                aim="≤ 1.5",
                measured=f"**{statistics.median(step_times) / statistics.median(empty_times):.2f}**"
                f" ({_times(step_times)} / {_times(empty_times)})",
            ),
        ],
        notes=[
            "Of a click on a key, the server takes about 15 ms and redrawing the equation two; the "
            "rest is Streamlit's handling of the fifteen elements of the step, where the empty "
            "page has two.",
        ],
    )


def _times(times: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:.0f} ms, quartiles {low:.0f}–{high:.0f}"
