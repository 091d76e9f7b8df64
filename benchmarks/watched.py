"""The training page during training: how often it redraws, and how much that slows the training."""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks import browser
from benchmarks.report import Row, Section
from explorer.config import TrainConfig
from explorer.tasks.tasks import REVERSE
from explorer.training.recipes import config_for
from explorer.training.worker import Order, receive, send

LIVE_STEPS: Final = 600
# Counts for a part of each hundredth of a second, and sleeps for the rest.
COUNTS: Final = """
import sys, time
part = float(sys.argv[1])
while True:
    begun = time.perf_counter()
    while time.perf_counter() - begun < 0.01 * part:
        pass
    time.sleep(0.01 * (1 - part))
"""


def measure() -> Section:
    """The rate of redraws during training, and how much they slow the training."""
    alone = [_steps_a_second()]
    with browser.serve(browser.APP) as app, browser.chromium() as chromium:
        page = chromium.new_page(viewport=browser.WINDOW)
        browser.visit(page, app.url("training", steps=LIVE_STEPS), ".st-key-curves .plot")
        page.get_by_role("button", name="Train", exact=True).click()
        page.wait_for_selector("text=steps a second", timeout=60_000)
        drawn = "() => Number(document.querySelector('.st-key-learning_head .plot').dataset.drawn)"
        start, before, busy = time.monotonic(), page.evaluate(drawn), _busy_seconds()
        page.wait_for_timeout(6000)
        seconds = time.monotonic() - start
        redraws = (page.evaluate(drawn) - before) / seconds
        page_share = min(1.0, max(0.0, (_busy_seconds() - busy) / seconds - 1))  # beside the worker
        words = page.locator('[data-testid="stProgress"]').inner_text()
        watched = float(words.split(", ")[-2].split()[0])
    alone.append(_steps_a_second())
    beside = _steps_a_second(beside=page_share)
    rows = [
        Row(
            what="Redraws a second of the attention during training",
            how="headless Chromium on the same machine, reverse, d_model 64, 6 s",
            aim="≥ 5",
            measured=f"**{redraws:.1f}**",
        ),
        Row(
            what="Steps a second: watched / alone",
            how="alone: the same training without a page, before and after",
            aim="≥ 0.85",
            measured=f"**{watched / statistics.mean(alone):.2f}** "
            f"({watched:.1f} / {alone[0]:.1f}, {alone[1]:.1f})",
        ),
        Row(
            what="Steps a second: beside a program that only counts / alone",
            how=f"it counts for {page_share:.0%} of the time on the other core, as server and "
            "browser work together while the page is watched",
            aim="–",
            measured=f"**{beside / statistics.mean(alone):.2f}** ({beside:.1f})",
        ),
    ]
    return Section(
        title="Watched: the training page during training",
        rows=rows,
        notes=[
            "Reverse up to 12 words, d_model 64, 4 heads, 2+2 layers; one head, all heads and the "
            "curves are redrawn. The browser paints without a GPU, on the same two cores. A redraw "
            "takes about 30 ms in the server and 100 in the browser (see Live), so four or five a "
            "second take more than half a core, plus the time for painting the pixels. One program "
            "that counts for as long on the other core takes nothing from the training (third "
            "row). But server and browser work in bursts of several threads: for moments they need "
            "more than the second core, and take the rest from the training."
        ],
    )


def _busy_seconds() -> float:
    """The seconds that all cores of this machine have worked since it was started (Linux)."""
    user, nice, system, *_ = Path("/proc/stat").read_text().split()[1:]
    return sum(map(int, (user, nice, system))) / os.sysconf("SC_CLK_TCK")


def _steps_a_second(beside: float = 0.0) -> float:
    """Steps a second of a worker that nobody watches, beside a program that counts so much."""
    if beside:
        counts = subprocess.Popen([sys.executable, "-c", COUNTS, str(beside)])
        try:
            return _steps_a_second()
        finally:
            counts.kill()
            counts.wait()
    task = replace(REVERSE, longest=12)
    order = Order(
        task=task, config=config_for(task), training=TrainConfig(steps=LIVE_STEPS, warmup=150)
    )
    worker = subprocess.Popen(
        [sys.executable, "-m", "explorer.training.worker"],
        cwd=browser.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    send(worker.stdin, order.message() | {"done": 0})
    began: float | None = None
    step = 0
    while received := receive(worker.stdout):
        if received[0]["event"] == "progress":
            began = began or time.monotonic()
            step = received[0]["step"]
            if time.monotonic() - began > 8:
                break
    seconds = time.monotonic() - (began or 0.0)
    worker.kill()
    worker.wait()
    return step / seconds
