"""Frames with a missing, moved or dimmed picture while a person types."""

import random
from typing import Final

from benchmarks import browser
from benchmarks.live import FIELD
from benchmarks.report import Row, Section

TYPED: Final = " and wanted to sleep a little in the warm sun"

# Checks every animation frame until it is stopped: is each picture there, undimmed and unmoved?
SAMPLE: Final = """
(selectors) => {
  const box = (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [x, y, width, height].map(Math.round).join();
  };
  const find = () => selectors.map((selector) => document.querySelector(selector));
  const dimmed = (element) => element
    && (getComputedStyle(element).opacity < 1 || dimmed(element.parentElement));
  // Is a heatmap missing, or without a size?
  const blank = (plot) => {
    const images = [...plot?.querySelectorAll(".area image") ?? []];
    return !images.length || images.some((image) => !image.getBoundingClientRect().width);
  };
  let before = find().map(box);
  const seen = { frames: 0, blank: 0, moved: 0, dimmed: 0 };
  const drawn = () => find().reduce((sum, plot) => sum + Number(plot?.dataset.drawn ?? 0), 0);
  const start = drawn();
  let running = true;
  const look = () => {
    if (!running) return;
    const plots = find();
    seen.frames += 1;
    seen.blank += plots.some(blank);
    const now = plots.map((plot, n) => plot ? box(plot) : before[n]);
    seen.moved += now.some((place, n) => place !== before[n]);
    before = now;
    seen.dimmed += plots.some((plot) => dimmed(plot));
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.stop_looking = () => { running = false; return { ...seen, redraws: drawn() - start }; };
}
"""


def measure() -> Section:
    """Type half a sentence at a person's pace, letter by letter."""
    with browser.serve(browser.APP) as app, browser.chromium() as chromium:
        page = chromium.new_page(viewport=browser.WINDOW)
        browser.visit_attention(page, app)
        page.locator(FIELD).focus()
        page.keyboard.press("End")
        page.wait_for_timeout(500)
        page.evaluate(SAMPLE, [browser.PLOT])
        for letter in TYPED:
            page.keyboard.press(letter)
            page.wait_for_timeout(random.uniform(80, 250))
        browser.settle(page, 1.0)
        seen = page.evaluate("() => window.stop_looking()")
    if not seen["redraws"]:
        raise RuntimeError("nothing was redrawn while typing, so there was nothing to measure")
    how = (
        f"{seen['frames']} animation frames while {len(TYPED)} letters are typed "
        f"80–250 ms apart, {seen['redraws']} redraws of the two pictures; d_model 512, 6+6"
    )
    return Section(
        title="Flicker: frames while typing",
        rows=[
            Row(what="Blank frames (a picture is missing)", how=how, aim="0",
                measured=f"**{seen['blank']}**"),
            Row(what="Frames in which a picture moves or is resized", how="the same frames",
                aim="0",
                measured=f"**{seen['moved']}**"),
            Row(what="Frames with a picture dimmed", how="the same frames", aim="0",
                measured=f"**{seen['dimmed']}**"),
        ],
    )  # fmt: skip
