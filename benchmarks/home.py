"""Home: until a new visitor sees their own sentence translated, and how smoothly that plays."""

import statistics
from typing import Final

from benchmarks import browser
from benchmarks.first import visit
from benchmarks.report import Row, Section

TIMES: Final = 3
SENTENCE: Final = "My sister sings in the kitchen."
STAGE: Final = ".st-key-writing_stage .rivals > *"
# The milliseconds between frames while the answer plays.
FRAMES: Final = """
(seconds) => new Promise((resolve) => {
  const gaps = [];
  let before = null;
  const end = performance.now() + 1000 * seconds;
  const frame = (now) => {
    if (before !== null) gaps.push(now - before);
    before = now;
    if (now < end) requestAnimationFrame(frame);
    else resolve(gaps);
  };
  requestAnimationFrame(frame);
})
"""


def measure() -> Section:
    """New servers, each with a new visitor; then the frames of one who watches."""
    with browser.chromium() as chromium:
        visits = [visit(chromium, browser.APP, "", STAGE, src=SENTENCE) for _ in range(TIMES)]
        with browser.serve(browser.APP) as server:
            page = chromium.new_page(viewport=browser.WINDOW)
            browser.visit(page, server.url(src=SENTENCE), STAGE)
            gaps: list[float] = page.evaluate(FRAMES, 5)
    first, again = (
        statistics.median(times) for times in zip(*(v[1:] for v in visits), strict=True)
    )
    slow = statistics.quantiles(gaps, n=20)[-1]
    rows = [
        Row(
            what="a new visitor's own sentence, translated, with its lines",
            how=f"from the first request to a new server, nothing cached; median of {TIMES}",
            aim="≤ 10 s",
            measured=f"{first:.1f} s (the second person: {again:.1f} s)",
        ),
        Row(
            what="frames while the answer plays",
            how="requestAnimationFrame over 5 s, a browser without a GPU",
            aim="≥ 30 a second",
            measured=f"{1000 * len(gaps) / sum(gaps):.0f} a second, 95 % within {slow:.0f} ms",
        ),
    ]
    return Section(title="Home", rows=rows)
