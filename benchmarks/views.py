"""From a click to the redrawn steps, against an empty page; all heads at once, against BertViz."""

import statistics
from collections.abc import Sequence
from typing import Final

from playwright.sync_api import Page

from benchmarks import bertviz, browser
from benchmarks.report import Row, Section

TOKENS: Final = 64
CLICKS: Final = 30
WARM_UP: Final = 5
STEP_PICTURE: Final = ".st-key-step_picture .plot"
CLICKED: Final = '[data-testid="stText"]'
BUTTON: Final = '[data-testid="stButton"] button'
HEADS: Final = ".st-key-heads_view .heads"
LINES: Final = ".st-key-head_lines .heads"

# Clicks an element and measures the time to the second frame after `selector`'s attribute (or, if
# null, its text) has changed. BertViz has the same two frames.
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
# Redraws every thumbnail of all three attentions, and the lines.
REDRAW: Final = """
(selector) => new Promise((resolve) => {
  const { lines } = document.querySelector(selector);
  const start = performance.now();
  lines.show(lines.data);
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
})
"""


def click(page: Page, clicked: str, selector: str, attribute: str | None) -> float:
    """Milliseconds from a click on the next `clicked` element to the painted change."""
    milliseconds: float = page.evaluate(CLICK, [clicked, selector, attribute])
    browser.settle(page, 0.2)
    return milliseconds


def measure() -> Section:
    """Our pages, an empty one, and BertViz's."""
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

        page = chromium.new_page(viewport=browser.WINDOW)
        received = [0]
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))),
        )
        words = " ".join(f"word{n}" for n in range(TOKENS))
        shorter = words.rsplit(" ", 1)[0]  # the decoder reads BOS before it
        browser.visit(
            page,
            app.url("attention", **browser.MODEL, pairs=1, src=words, tgt=shorter, drawer="lines"),
            f"{HEADS}[data-drawn]",
        )
        browser.settle(page, 1.0)
        sent = sum(received)
        page.get_by_role("button", name="all", exact=True).click()
        # One thumbnail of each attention in turn: encoder, decoder, cross.
        first = f"{HEADS} section button:first-child"
        switches = [click(page, first, LINES, "data-drawn") for _ in range(WARM_UP + CLICKS)]
        redraws = [float(page.evaluate(REDRAW, LINES)) for _ in range(WARM_UP + CLICKS)]
        page.close()
        model = bertviz.measure_view(chromium, "model", TOKENS)
        head = bertviz.measure_view(chromium, "head", TOKENS)
    switch, redraw = statistics.median(switches[WARM_UP:]), statistics.median(redraws[WARM_UP:])
    per_model, per_head = statistics.median(model.switch), statistics.median(head.switch)
    shape = f"6+6 layers, 8 heads, d_model 512, {TOKENS} tokens"
    return Section(
        title="Views: steps, heads, and BertViz 1.4.1",
        rows=[
            Row(
                what="Click on a key → redrawn step / click → redrawn empty page",
                how=f"medians of {CLICKS} clicks each, in turn; d_model 512, 8 heads, 6+6 layers",
                aim="≤ 1.5",
                measured=f"**{statistics.median(step_times) / statistics.median(empty_times):.2f}**"
                f" ({_times(step_times)} / {_times(empty_times)})",
            ),
            Row(
                what="BertViz's model view / ours, everything redrawn",
                how=f"{shape}; BertViz draws one attention, ours all three and the lines",
                aim="≥ 30",
                measured=f"**{per_model / redraw:.0f}** ({per_model:.0f} / {redraw:.0f} ms)",
            ),
            Row(
                what="BertViz's model view / ours, to another attention",
                how=f"{shape}; from the click or the choice to the second frame after the change",
                aim="≥ 30",
                measured=f"**{per_model / switch:.0f}** ({per_model:.0f} / {switch:.0f} ms)",
            ),
            Row(
                what="BertViz's head view / ours, to another attention",
                how=f"{shape}; the lines of 8 heads",
                aim="≥ 8",
                measured=f"**{per_head / switch:.1f}** ({per_head:.0f} / {switch:.0f} ms)",
            ),
            Row(
                what="Bytes: all that our page received / BertViz's page",
                how=f"{shape}; WebSocket frames until everything is drawn",
                aim="≤ 0.1",
                measured=f"**{sent / model.page_bytes:.3f}** "
                f"({sent / 1e6:.2f} / {model.page_bytes / 1e6:.1f} MB)",
            ),
        ],
        notes=[
            "Both BertViz and our page already hold all weights in the browser before a switch. "
            "BertViz's page is unmodified; the scripts that it loads come from the npm registry. "
            "Of a click on a key, the server takes about 15 ms and redrawing the equation two; the "
            "rest is Streamlit's handling of the fifteen elements of the step, where the empty "
            "page has two.",
        ],
    )


def _times(times: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:.0f} ms, quartiles {low:.0f}–{high:.0f}"
