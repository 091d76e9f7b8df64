"""From a key press to the painted attention pictures, against an empty Streamlit page.

In both pages one letter of a text field, a word of its own, is replaced by another. The page itself
takes the time from the keydown event to the first frame painted after the change is in the
document: for the app after both plots were redrawn, for the empty page after the echoed text
changed. The fields wait 100 ms before they commit, which is part of both times.
"""

import random
import statistics
from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.report import Row, Section

PRESSES: Final = 40
WARM_UP: Final = 6
WORDS: Final = "abcdefghijkl"  # twelve words of one letter
ECHO: Final = '[data-testid="stMarkdown"] p'
FIELD: Final = 'input[aria-label="Source 1"]'

# Sees `attribute` (or the text, where null) of every selected element change, each at least once,
# after the next key press, and waits for the frame that shows it.
WATCH: Final = """
([selectors, attribute]) => {
  const read = () => selectors.map((selector) => {
    const element = document.querySelector(selector);
    return element && (attribute ? element.getAttribute(attribute) : element.textContent);
  });
  const before = read();
  const kinds = attribute
    ? { attributes: true, attributeFilter: [attribute] }
    : { characterData: true, childList: true };
  window.painted = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("no new picture within 20 s")), 20000);
    document.addEventListener("keydown", ({ timeStamp }) => {
      const observer = new MutationObserver(() => {
        if (read().some((value, n) => value === before[n])) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(
          () => resolve(performance.now() - timeStamp)));
      });
      observer.observe(document.body, { subtree: true, ...kinds });
    }, { once: true, capture: true });
  });
}
"""
SELECT: Final = """
(field, word) => {
  const [found] = [...field.value.matchAll(/\\S+/g)].slice(word);
  field.focus();
  field.setSelectionRange(found.index, found.index + 1);
}
"""


def edits(count: int) -> Iterator[tuple[int, str]]:
    """Which word of the sentence becomes which letter.

    Words get ids by first appearance, so a new word in place of another changes no number. Here
    words become equal and different again, and no pattern of ids comes twice: the model has to run
    for every key press, and no cache has its answer.
    """
    words = list(WORDS)
    seen = {tuple(map(words.index, words))}
    dice = random.Random(0)
    while count:
        word, letter = dice.randrange(len(words)), dice.choice(WORDS)
        changed = [*words[:word], letter, *words[word + 1 :]]
        pattern = tuple(map(changed.index, changed))
        if pattern not in seen:
            seen.add(pattern)
            words, count = changed, count - 1
            yield word, letter


def press(page: Page, word: int, letter: str, selectors: list[str], attribute: str | None) -> float:
    """Replace one word of one letter by another; the milliseconds until that shows."""
    page.locator(FIELD).evaluate(SELECT, word)
    page.evaluate(WATCH, [selectors, attribute])
    page.keyboard.press(letter)
    milliseconds: float = page.evaluate("() => window.painted")
    browser.settle(page, random.uniform(0.15, 0.3))
    return milliseconds


def measure() -> Section:
    """Both pages, press by press in turn."""
    app_times, empty_times = [], []
    with (
        browser.serve(browser.APP) as app,
        browser.serve(browser.EMPTY_APP) as empty,
        browser.chromium() as chromium,
    ):
        app_page = chromium.new_page(viewport=browser.WINDOW)
        empty_page = chromium.new_page(viewport=browser.WINDOW)
        browser.visit_attention(app_page, app, src=" ".join(WORDS))
        browser.visit(empty_page, empty.url(), FIELD)
        empty_page.locator(FIELD).fill(" ".join(WORDS))
        empty_page.wait_for_selector(ECHO)
        browser.settle(empty_page)
        for edit in edits(WARM_UP + PRESSES):
            app_page.bring_to_front()
            app_times.append(press(app_page, *edit, list(browser.PLOTS), "data-drawn"))
            empty_page.bring_to_front()
            empty_times.append(press(empty_page, *edit, [ECHO], None))
    app_times, empty_times = app_times[WARM_UP:], empty_times[WARM_UP:]
    ratio = statistics.median(app_times) / statistics.median(empty_times)
    pairs = sorted(a / b for a, b in zip(app_times, empty_times, strict=True))
    return Section(
        title="Live: key press to painted heatmaps",
        rows=[
            Row(
                what="Attention page / empty Streamlit page",
                how=f"medians of {PRESSES} key presses each, in turn; d_model 512, 8 heads, 6+6 "
                "layers, 12 source words; every press changes all numbers",
                aim="≤ 2, later ≤ 1.5",
                measured=f"**{ratio:.2f}** (pairs: quartiles {_quartiles(pairs, '.2f')})",
            ),
            _times("Attention page", app_times),
            _times("Empty page", empty_times),
        ],
        notes=[
            "Time in the page from the keydown event to the first frame painted after both plots "
            "(for the empty page: its one text) had changed. Both text fields commit 100 ms after "
            "the last key press, and these 100 ms are in both times.",
        ],
    )


def _times(what: str, times: list[float]) -> Row:
    p95 = statistics.quantiles(times, n=20)[-1]
    return Row(
        what=what,
        how="median, quartiles, 95th percentile, smallest and largest",
        aim="–",
        measured=f"{statistics.median(times):.0f} ms, quartiles {_quartiles(times, '.0f')}, "
        f"p95 {p95:.0f}, {min(times):.0f} … {max(times):.0f}",
    )


def _quartiles(values: list[float], spec: str) -> str:
    low, _, high = statistics.quantiles(values, n=4)
    return f"{low:{spec}}–{high:{spec}}"
