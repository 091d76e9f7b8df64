"""From a key press to the painted pictures of a page, against an empty Streamlit page.

In all pages one letter of a text field, a word of its own, is replaced by another. The page itself
takes the time from the keydown event to the frame painted after the last change: for the app of
its plots, for the empty page of the echoed text. The fields wait 100 ms before they commit, which
is part of both times.
"""

import random
import statistics
from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.report import Row, Section

PRESSES: Final = 30
WARM_UP: Final = 5
# Of the positions, the picture that depends on which words they are.
PAGES: Final = {
    "Masks": ("masks", {}),
    "Positions": ("positions", {"aspect": "input + encoding"}),
    "Attention": ("attention", {}),
}
PLOT: Final = '[data-testid="stMain"] .plot'
WORDS: Final = "abcdefghijkl"  # twelve words of one letter
ECHO: Final = '[data-testid="stMarkdown"] p'
FIELD: Final = 'input[aria-label="Source 1"]'

# After the next key press, notes the frame that shows the last change of what is selected, and
# is content when nothing has changed for half a second.
WATCH: Final = """
([selector, attribute]) => {
  const read = () => [...document.querySelectorAll(selector)].map(
    (element) => attribute ? element.getAttribute(attribute) : element.textContent).join();
  const kinds = attribute
    ? { attributes: true, attributeFilter: [attribute] }
    : { characterData: true, childList: true };
  window.painted = new Promise((resolve, reject) => {
    const failed = setTimeout(() => reject(new Error("no new picture within 20 s")), 20000);
    document.addEventListener("keydown", ({ timeStamp }) => {
      let shown = read(), quiet;
      const observer = new MutationObserver(() => {
        if (read() === shown) return;
        shown = read();
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const painted = performance.now() - timeStamp;
          clearTimeout(quiet);
          quiet = setTimeout(() => {
            clearTimeout(failed);
            observer.disconnect();
            resolve(painted);
          }, 500);
        }));
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


def press(page: Page, word: int, letter: str, selector: str, attribute: str | None) -> float:
    """Replace one word of one letter by another; the milliseconds until all of that shows."""
    page.bring_to_front()
    page.locator(FIELD).evaluate(SELECT, word)
    page.evaluate(WATCH, [selector, attribute])
    page.keyboard.press(letter)
    milliseconds: float = page.evaluate("() => window.painted")
    browser.settle(page, random.uniform(0.15, 0.3))
    return milliseconds


def measure() -> Section:
    """All pages and the empty one, press by press in turn."""
    times: dict[str, list[float]] = {name: [] for name in (*PAGES, "Empty page")}
    with (
        browser.serve(browser.APP) as app,
        browser.serve(browser.EMPTY_APP) as empty,
        browser.chromium() as chromium,
    ):
        windows = {}
        for name, (page, own) in PAGES.items():
            windows[name] = chromium.new_page(viewport=browser.WINDOW)
            settings = browser.MODEL | browser.SENTENCES | {"src": " ".join(WORDS)} | own
            browser.visit(windows[name], app.url(page, **settings), f"{PLOT}[data-drawn]")
            browser.settle(windows[name], 1.0)
        empty_page = chromium.new_page(viewport=browser.WINDOW)
        browser.visit(empty_page, empty.url(), FIELD)
        empty_page.locator(FIELD).fill(" ".join(WORDS))
        empty_page.wait_for_selector(ECHO)
        browser.settle(empty_page)
        for edit in edits(WARM_UP + PRESSES):
            for name, window in windows.items():
                times[name].append(press(window, *edit, PLOT, "data-drawn"))
            times["Empty page"].append(press(empty_page, *edit, ECHO, None))
    times = {name: taken[WARM_UP:] for name, taken in times.items()}
    return Section(
        title="Live: key press to painted pictures",
        rows=[
            *(_ratio(name, times[name], times["Empty page"]) for name in PAGES),
            *(_steadiness(name, taken) for name, taken in times.items()),
        ],
        notes=[
            "Time in the page from the keydown event to the frame that shows the last picture "
            "that changes (for the empty page: its one text). Both text fields commit 100 ms "
            "after the last key press, and these 100 ms are in both times. The empty page runs "
            "with Streamlit's usual configuration.",
        ],
    )


def _ratio(name: str, times: list[float], empty: list[float]) -> Row:
    pairs = sorted(a / b for a, b in zip(times, empty, strict=True))
    return Row(
        what=f"{name} / empty Streamlit page",
        how=f"medians of {PRESSES} key presses each, in turn; d_model 512, 8 heads, 6+6 layers, "
        "12 source words; every press changes all numbers",
        aim="≤ 1.5",
        measured=f"**{statistics.median(times) / statistics.median(empty):.2f}** "
        f"(pairs: quartiles {_quartiles(pairs, '.2f')})",
    )


def _steadiness(name: str, times: list[float]) -> Row:
    middle, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return Row(
        what=f"{name}: 95th percentile / median",
        how="the same presses",
        aim="≤ 2.5",
        measured=f"**{p95 / middle:.2f}** ({p95:.0f} / {middle:.0f} ms, quartiles "
        f"{_quartiles(times, '.0f')}, {min(times):.0f} … {max(times):.0f})",
    )


def _quartiles(values: list[float], spec: str) -> str:
    low, _, high = statistics.quantiles(values, n=4)
    return f"{low:{spec}}–{high:{spec}}"
