"""One person with a large model and one with the default model, typing in turn.

A process that keeps only one of the two models makes a model for every key press.
"""

import statistics
from contextlib import ExitStack
from itertools import islice
from typing import Final

from benchmarks import browser
from benchmarks.live import PLOT, WORDS, edits, press
from benchmarks.report import Row, Section

PRESSES: Final = 20
WARM_UP: Final = 4
MODELS: Final = {"d_model 512, 6+6 layers": browser.MODEL, "the default model": {}}


def measure() -> Section:
    """Each person alone, then both in turn, press by press."""
    with ExitStack() as stack:
        app = stack.enter_context(browser.serve(browser.APP))
        chromium = stack.enter_context(browser.chromium())
        windows = {name: chromium.new_page(viewport=browser.WINDOW) for name in MODELS}
        for window in windows.values():
            window.add_init_script("window.traffic = [];")
        sentences = browser.SENTENCES | {"src": " ".join(WORDS), "weights": "untrained"}
        for name, model in MODELS.items():
            url = app.url("attention", **model | sentences)
            browser.visit(windows[name], url, f"{PLOT}[data-drawn]")
            browser.settle(windows[name], 1.0)
        pressed = {name: edits(2 * (WARM_UP + PRESSES)) for name in windows}
        alone: dict[str, list[float]] = {name: [] for name in windows}
        in_turn: dict[str, list[float]] = {name: [] for name in windows}
        for name, window in windows.items():
            for edit in islice(pressed[name], WARM_UP + PRESSES):
                alone[name].append(press(window, *edit, PLOT, "data-drawn").milliseconds)
        for _ in range(WARM_UP + PRESSES):
            for name, window in windows.items():
                edit = next(pressed[name])
                in_turn[name].append(press(window, *edit, PLOT, "data-drawn").milliseconds)
    return Section(
        title="A large and a small model: two people in turn",
        rows=[
            _row(name, alone[name][WARM_UP:], taken[WARM_UP:]) for name, taken in in_turn.items()
        ],
        notes=[
            "On a machine whose memory holds both models, neither is made a second time: a process "
            "may keep a quarter of its memory, 470 MB at least, and two thirds where that is less.",
        ],
    )


def _row(name: str, alone: list[float], in_turn: list[float]) -> Row:
    before, after = statistics.median(alone), statistics.median(in_turn)
    return Row(
        what=f"{name}: key press in turn / alone",
        how=f"Attention, medians of {PRESSES} presses each, to the painted picture",
        aim="≤ 1.5",
        measured=f"**{after / before:.2f}** ({after:.0f} / {before:.0f} ms)",
    )
