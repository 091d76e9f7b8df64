"""Why did it write this word? The time of each question, on the translator.

All times are CPU times of the process, so other load matters little.
"""

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, get_args

import psutil
import torch

from benchmarks.memory import watch
from benchmarks.report import Row, Section
from explorer.analysis.causes.attribution import Method, attribute
from explorer.analysis.causes.patching import restored_by_heads, restored_by_positions
from explorer.analysis.causes.question import Question
from explorer.exploration import explore
from explorer.notebook.exploration import Exploration
from explorer.notebook.heads_needed import need
from explorer.runtime.memory import keep_memory_at_hand
from explorer.weights.loaded import load

HUNDRED: Final = Path(__file__).parents[1] / "training/judged/hundred.tsv"
SENTENCE: Final = "I saw a big dog in the old garden yesterday."
OTHER: Final = "I saw a big cat in the old garden yesterday."
POSITION: Final = 5  # where “Hund” is written, or “Katze”
REPEATS: Final = 7


def measure() -> Section:
    """Each question in turn."""
    torch.set_num_threads(1)
    keep_memory_at_hand()
    model = load("translator")
    seen, other = (explore(text, model=model) for text in (SENTENCE, OTHER))
    own = other._asked(POSITION, None, None)
    question = seen._asked(POSITION, None, own.token)
    with watch(psutil.Process(os.getpid())) as memory:
        _methods(question)
        _patched(question, other)
        seen.parts_of_logit(POSITION)
    peak = max(size.resident for size in memory) - memory[0].resident
    words = f"{seen.batch.src.shape[1]} + {seen.batch.tgt_in.shape[1]} tokens"
    return Section(
        title="Causes: why did it write this word?",
        rows=[
            _row("All six methods of which words mattered", words, 0.5, lambda: _methods(question)),
            _row("The parts of a logit", words, 0.1, lambda: seen.parts_of_logit(POSITION)),
            _row(
                "Patching: all 80 heads, and all positions of all layers", words, 2.0,
                lambda: _patched(question, other),
            ),
            _needed(model),
            _row(
                "The parts of a score", words, 0.2,
                lambda: seen.parts_of_score("cross", 2, 1, POSITION, 4),
            ),
            Row(
                what="Memory at the peak, beyond a page that shows the trace",
                how=f"the first three questions, {words}",
                aim="≤ 60 MB",
                measured=f"**{peak:.0f} MB**",
            ),
        ],
        notes=[
            f"Median of {REPEATS} after one to warm up; time of one core, with one thread. "
            "Integrated gradients take as many steps as completeness within 1 % needs."
        ],
    )  # fmt: skip


def _methods(question: Question) -> None:
    for method in get_args(Method):
        attribute(question, method)


def _patched(question: Question, other: Exploration) -> None:
    read = other._read()
    list(restored_by_heads(question, read))
    list(restored_by_positions(question, read))


def _needed(model: Any) -> Row:
    lines = HUNDRED.read_text(encoding="utf-8").splitlines()
    sentences = [line.split("\t")[1] for line in lines]
    start = time.process_time()
    found = need(model, sentences)
    taken = time.process_time() - start
    return Row(
        what="Which heads are needed: 80 heads, each switched off",
        how=f"{found.sentences} sentences, {found.words} tokens; the answers are written first",
        aim="≤ 30 s",
        measured=f"**{taken:.0f} s**",
    )


def _row(what: str, how: str, aim: float, call: Callable[[], object]) -> Row:
    times = _times(call)
    return Row(
        what=what,
        how=how,
        aim=f"≤ {aim:g} s",
        measured=f"**{statistics.median(times):.3f} s** ({min(times):.3f}–{max(times):.3f})",
    )


def _times(call: Callable[[], object]) -> list[float]:
    """The CPU seconds of each repeat."""
    found = []
    for _ in range(1 + REPEATS):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return found[1:]
