"""The training page during training: how often it redraws, and how much that slows the training."""

import statistics
import subprocess
import sys
import time
from dataclasses import replace
from typing import Final

from benchmarks import browser
from benchmarks.report import Row, Section
from explorer.config import TrainConfig
from explorer.tasks.tasks import REVERSE
from explorer.training.recipes import config_for
from explorer.training.worker import Order, receive, send

LIVE_STEPS: Final = 600


def measure() -> Section:
    """The rate of redraws during training, and how much they slow the training."""
    alone = [_steps_a_second()]
    with browser.serve(browser.APP) as app, browser.chromium() as chromium:
        page = chromium.new_page(viewport=browser.WINDOW)
        browser.visit(page, app.url("training", steps=LIVE_STEPS), ".st-key-loss .plot")
        page.get_by_role("button", name="Train", exact=True).click()
        page.wait_for_selector("text=steps a second", timeout=60_000)
        drawn = "() => Number(document.querySelector('.st-key-learning_head .plot').dataset.drawn)"
        start, before = time.monotonic(), page.evaluate(drawn)
        page.wait_for_timeout(6000)
        redraws = (page.evaluate(drawn) - before) / (time.monotonic() - start)
        words = page.locator('[data-testid="stProgress"]').inner_text()
        watched = float(words.split(", ")[-2].split()[0])
    alone.append(_steps_a_second())
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
    ]
    return Section(
        title="Watched: the training page during training",
        rows=rows,
        notes=[
            "Reverse up to 12 words, d_model 64, 4 heads, 2+2 layers; one head, all heads and the "
            "curves are redrawn. The browser paints without a GPU, on the same two cores. A redraw "
            "takes about 30 ms in the server and 100 in the browser (see Live), so four or five a "
            "second take more than half a core, plus the time for painting the pixels. Server and "
            "browser work in bursts of several threads: for moments they need more than the second "
            "core, and take the rest from the training."
        ],
    )


def _steps_a_second() -> float:
    """Steps a second of a worker that nobody watches."""
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
