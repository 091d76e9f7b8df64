"""The time from a key press to the painted pictures of a page, against an empty Streamlit page.

On all pages, a one-letter word in a text field is replaced by another. The page itself measures the
time from the keydown event to the frame painted after the last change: of the plots in the app, of
the echoed text on the empty page. All fields commit at once.
"""

import random
import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final, NamedTuple

from playwright.sync_api import Page

from benchmarks import browser
from benchmarks.report import Row, Section

PRESSES: Final = 30
WARM_UP: Final = 5
# On Masks and Positions, the pictures that depend on the words.
PAGES: Final = {
    "Masks": ("masks", {"attention": "encoder"}),
    "Positions": ("positions", {"aspect": "inputs"}),
    "Attention": ("attention", {}),
}
EMPTY: Final = {
    "Empty page": browser.USUAL,
    "Empty page with the explorer's settings": browser.AS_THE_APP,
}
PLOT: Final = '[data-testid="stMain"] .plot'
WORDS: Final = "abcdefghijkl"  # twelve words of one letter
ECHO: Final = '[data-testid="stMarkdown"] p'
FIELD: Final = '#line-src, input[aria-label="Source 1"]'

# After the next key press, records the frame with the last change of the selected elements, and
# resolves when nothing has changed for half a second. Also counts the changed elements.
WATCH: Final = """
([selector, attribute]) => {
  const read = () => [...document.querySelectorAll(selector)].map(
    (element) => attribute ? element.getAttribute(attribute) : element.textContent);
  const kinds = attribute
    ? { attributes: true, attributeFilter: [attribute] }
    : { characterData: true, childList: true };
  window.painted = new Promise((resolve, reject) => {
    const failed = setTimeout(() => reject(new Error("no new picture within 20 s")), 20000);
    document.addEventListener("keydown", ({ timeStamp }) => {
      const before = read();
      let shown = before, quiet;
      const observer = new MutationObserver(() => {
        const now = read();
        if (now.join() === shown.join()) return;
        shown = now;
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const painted = performance.now() - timeStamp;
          clearTimeout(quiet);
          quiet = setTimeout(() => {
            clearTimeout(failed);
            observer.disconnect();
            const changed = shown.filter((value, n) => value !== before[n]).length;
            resolve([painted, changed]);
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
    """The words to change, and their new letters.

    Words get ids by first appearance, so a new word in place of another changes no number. So words
    become equal and different again here, and no pattern of ids occurs twice: the model has to run
    for every key press, and no cache has its result.
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


class Press(NamedTuple):
    """The effects of a key press."""

    milliseconds: float  # until the last change was painted
    changed: int  # pictures


def press(page: Page, word: int, letter: str, selector: str, attribute: str | None) -> Press:
    """Replace a one-letter word by another, and wait until all changes are visible."""
    page.bring_to_front()
    page.locator(FIELD).evaluate(SELECT, word)
    page.evaluate(WATCH, [selector, attribute])
    page.keyboard.press(letter)
    followed = Press(*page.evaluate("() => window.painted"))
    browser.settle(page, random.uniform(0.15, 0.3))
    return followed


def measure() -> Section:
    """All pages and the empty ones in turn, press by press."""
    presses: dict[str, list[Press]] = {name: [] for name in (*PAGES, *EMPTY)}
    with ExitStack() as stack:
        app = stack.enter_context(browser.serve(browser.APP))
        chromium = stack.enter_context(browser.chromium())
        windows = {name: chromium.new_page(viewport=browser.WINDOW) for name in presses}
        for name, (page, own) in PAGES.items():
            settings = browser.MODEL | browser.SENTENCES | {"src": " ".join(WORDS)} | own
            browser.visit(windows[name], app.url(page, **settings), f"{PLOT}[data-drawn]")
            browser.settle(windows[name], 1.0)
        for name, options in EMPTY.items():
            empty = stack.enter_context(browser.serve(browser.EMPTY_APP, *options))
            browser.visit(windows[name], empty.url(), FIELD)
            windows[name].locator(FIELD).fill(" ".join(WORDS))
            windows[name].wait_for_selector(ECHO)
            browser.settle(windows[name])
        for edit in edits(WARM_UP + PRESSES):
            for name, window in windows.items():
                what = (PLOT, "data-drawn") if name in PAGES else (ECHO, None)
                presses[name].append(press(window, *edit, *what))
    presses = {name: followed[WARM_UP:] for name, followed in presses.items()}
    times = {name: [one.milliseconds for one in followed] for name, followed in presses.items()}
    usual, bare = EMPTY
    return Section(
        title="Live: key press to painted pictures",
        rows=[
            *(_ratio(name, presses[name], times[usual], times[bare]) for name in PAGES),
            *(_steadiness(name, taken) for name, taken in times.items()),
        ],
        notes=[
            "Time in the page from the keydown event to the frame with the last changed picture "
            "(on an empty page, its one text). All text fields commit at once. Of the server's "
            "part of Attention, the model's forward takes about 45 ms (see Forward); the empty "
            "page with its usual settings spends 50 of its 70 ms on a collection that the explorer "
            "does not make after every run. In the browser, most is Streamlit rendering the fields "
            "and the page, about forty elements.",
        ],
    )


def _ratio(name: str, presses: list[Press], usual: list[float], bare: list[float]) -> Row:
    times = [one.milliseconds for one in presses]
    pairs = sorted(a / b for a, b in zip(times, usual, strict=True))
    changed = sorted({one.changed for one in presses})
    middle = statistics.median(times)
    return Row(
        what=f"{name} / empty Streamlit page",
        how=f"medians of {PRESSES} key presses each, in turn; d_model 512, 8 heads, 6+6 layers, "
        f"12 source words; pictures redrawn per press: {' or '.join(map(str, changed))}",
        aim="≤ 1.3",
        measured=f"**{middle / statistics.median(usual):.2f}** (pairs: quartiles "
        f"{_quartiles(pairs, '.2f')}); / an empty page with the explorer's settings: "
        f"{middle / statistics.median(bare):.2f}",
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
