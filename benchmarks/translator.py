"""The translator: its quality, its heads, and what it costs to open and to type into."""

import random
import statistics
from contextlib import ExitStack
from itertools import islice
from typing import Final

import numpy as np
import psutil

from benchmarks import browser, first, live
from benchmarks.report import Row, Section
from explorer.analysis.attention import Attention
from explorer.names import ATTENTION_KINDS
from explorer.runtime.engine import forward
from explorer.tasks.tasks import REVERSE, pairs
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.training.translator.heads import alike, right_looks
from explorer.weights.catalogue import TRANSLATOR, shipped_translator
from explorer.weights.loaded import load
from explorer.weights.translator import FILE

AIMS: Final = {
    ("BLEU", "greedy"): "≥ 46",
    ("chrF", "greedy"): "≥ 64",
    ("BLEU", "beam 4"): "≥ 47.5",
}
PRESSES: Final = 30
VISITS: Final = 5
PICTURE: Final = ".st-key-one_head .plot[data-drawn]"
# Ten words each: one word differs, and with it the translation.
NAMES: Final = ("dog", "cat", "man", "boy", "girl", "bird", "king", "wolf", "child", "horse")
SENTENCE: Final = "I know that the old {} has never seen it."


def measure() -> Section:
    """Everything that the limits are about."""
    return Section(
        title="Translator: English → German",
        rows=[*_quality(), *_heads(), *_typing(), *_visits()],
        notes=[
            "BLEU and chrF were measured after the training, with sacrebleu, on every pair whose "
            "English sentence has crc32 % 64 = 0, none of which it was trained on, against all "
            "their translations.",
            "The last of its trainings (docs/translator.md) took "
            f"{shipped_translator().about['minutes']} minutes on "
            f"{shipped_translator().about['device']}: "
            f"{shipped_translator().about['training']['steps']:,} steps.",
        ],
    )


def _quality() -> list[Row]:
    about = shipped_translator().about
    rows = [
        Row(
            what=f"{name}, {way}",
            how=f"{found['sentences']:,} held-out sentences",
            aim=AIMS.get((name, way), "–"),
            measured=f"**{found[name.lower()]:.1f}**",
        )
        for way, found in about["quality"].items()
        for name in ("BLEU", "chrF")
    ]
    size = FILE.stat().st_size / 1e6
    return [
        *rows,
        Row(what="File", how="half precision", aim="≤ 20 MB", measured=f"**{size:.1f} MB**"),
    ]


def _heads() -> list[Row]:
    about = shipped_translator().about["heads"]
    looks = right_looks(shipped_translator())
    rows = [
        _alike("translator", about["alike"], f"{about['sentences']} held-out sentences"),
        _alike("reverse", _alike_in_reverse(), "200 held-out sentences"),
    ]
    return [
        *rows,
        Row(
            what="Alignment: the best head's largest weight is on the right word",
            how="345 words of 100 sentences, translated by hand",
            aim="≥ 85 %",
            measured=f"**{100 * looks.max():.1f} %**",
        ),
    ]


def _alike(name: str, found: dict[str, list[float]], how: str) -> Row:
    every = [share for layers in found.values() for share in layers]
    by_kind = ", ".join(
        f"{kind} {' '.join(f'{share:.2f}' for share in layers)}" for kind, layers in found.items()
    )
    return Row(
        what=f"Mean correlation of two heads of a layer, {name}",
        how=f"{how}, cells that may be attended to; by layer: {by_kind}",
        aim="< 0.5" if name == "translator" else "–",
        measured=f"**{statistics.mean(every):.2f}**",
    )


def _alike_in_reverse() -> dict[str, list[float]]:
    loaded, read = load("reverse"), TaskTokenizer(REVERSE)
    found: dict[str, list[list[float]]] = {kind: [] for kind in ATTENTION_KINDS}
    for pair in islice(pairs(REVERSE, random.Random(0), held_out=True), 200):
        if len(pair.source) < 2:
            continue
        batch = read.batch([" ".join(pair.source)], [" ".join(pair.target)])
        trace = forward(loaded.model, batch)
        for kind in ATTENTION_KINDS:
            layers = [Attention.of(trace, batch, 0, kind, layer) for layer in range(2)]
            found[kind].append([alike(layer) for layer in layers])
    return {kind: np.nanmean(every, axis=0).tolist() for kind, every in found.items()}


def _typing() -> list[Row]:
    """A word of ten is replaced, in turn with a letter on an empty page."""
    times: dict[str, list[float]] = {"translator": [], "empty": []}
    with ExitStack() as stack:
        app = stack.enter_context(browser.serve(browser.APP))
        empty = stack.enter_context(browser.serve(browser.EMPTY_APP, *browser.USUAL))
        chromium = stack.enter_context(browser.chromium())
        windows = {name: chromium.new_page(viewport=browser.WINDOW) for name in times}
        for window in windows.values():
            window.add_init_script(live.LISTEN)
        start = {"weights": TRANSLATOR, "src": SENTENCE.format("fox"), "pairs": 1}
        browser.visit(windows["translator"], app.url("attention", **start), PICTURE)
        browser.visit(windows["empty"], empty.url(), live.FIELD)
        windows["empty"].locator(live.FIELD).fill("a b c")
        windows["empty"].wait_for_selector(live.ECHO)
        for window in windows.values():
            browser.settle(window, 1.0)
        resident = psutil.Process(app.process.pid).memory_info().rss / 2**20
        for press in range(live.WARM_UP + PRESSES):
            name = NAMES[press % len(NAMES)] + "s" * (press // len(NAMES))
            for case, what, text in (
                ("translator", (live.PLOT, "data-drawn"), SENTENCE.format(name)),
                ("empty", (live.ECHO, None), f"a b {name}"),
            ):
                window = windows[case]
                window.bring_to_front()
                window.locator(live.FIELD).fill(text[:-1])
                browser.settle(window, 0.7)
                window.locator(live.FIELD).press("End")
                window.evaluate(live.WATCH, list(what))
                window.keyboard.press(text[-1])
                times[case].append(window.evaluate("() => window.painted")[0])
                browser.settle(window, 0.2)
    middle = {name: statistics.median(taken[live.WARM_UP :]) for name, taken in times.items()}
    return [
        Row(
            what="Key press → translation and pictures painted / empty Streamlit page",
            how=f"Attention, a sentence of ten words; medians of {PRESSES} key presses, in turn",
            aim="≤ 2",
            measured=f"**{middle['translator'] / middle['empty']:.2f}** "
            f"({middle['translator']:.0f} / {middle['empty']:.0f} ms)",
        ),
        Row(
            what="Server process after opening on it",
            how="resident memory, one browser",
            aim="≤ 420 MB",
            measured=f"**{resident:.0f} MB**",
        ),
    ]


def _visits() -> list[Row]:
    """New processes, opened on the translator and on "reverse", in turn."""
    names = ("translator", "reverse")
    seen: dict[str, list[first.Visit]] = {name: [] for name in names}
    with browser.chromium() as chromium:
        for _ in range(VISITS):
            for name in names:
                seen[name].append(
                    first.visit(chromium, browser.APP, *first.FIRST_PAGE, weights=name)
                )
    medians = {
        name: first.Visit(*map(statistics.median, zip(*visits, strict=True)))
        for name, visits in seen.items()
    }
    return [
        Row(
            what=f"{what}, opened on the translator / on “reverse”",
            how=f"first page, medians of {VISITS}, in turn",
            aim="≤ 1.15",
            measured=f"**{new / old:.2f}** ({new:.2f} / {old:.2f} s)",
        )
        for what, new, old in zip(
            (
                "Server start → picture",
                "First request → picture",
                "Second person's request → picture",
            ),
            medians["translator"],
            medians["reverse"],
            strict=True,
        )
    ]
