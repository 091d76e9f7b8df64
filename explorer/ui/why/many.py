"""Heads switched off over many sentences: step by step, while everything else goes on."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import streamlit as st

from explorer.analysis.causes.need import HeadNeed
from explorer.analysis.causes.question import AT_ONCE
from explorer.choices.settings import Settings
from explorer.languages import tr, tr_n
from explorer.markdown import literal
from explorer.runtime.engine import Run, engine
from explorer.runtime.memory import estimate
from explorer.runtime.shares import MANY_SENTENCES_LENGTH, SENTENCE_LENGTH
from explorer.runtime.turns import giving_way
from explorer.ui.controls.buttons import button
from explorer.ui.frame.page import fold
from explorer.ui.frame.running import on_page, tell
from explorer.ui.frame.session import memory, once
from explorer.ui.frame.ticking import ticking
from explorer.weights.catalogue import ModelRequest, Shipped
from explorer.weights.loaded import Loaded
from explorer.weights.needed import need_in_steps, shipped_need

MAX_SENTENCES: Final = 200  # sentences
TICK: Final = 0.5  # seconds from one step of the bar to the next
AT_A_TIME: Final = 0.35  # seconds of work in one
JOB: Final = "why_job"
BEGIN: Final = "why_begin"
TYPED: Final = "why_typed"


@dataclass(slots=True)
class Job:
    """Work that goes on while its page is open, and waits while it is not."""

    request: ModelRequest
    steps: Iterator[tuple[float, HeadNeed | None]]
    sentences: int
    share: float = 0.0
    worked: float = 0.0  # seconds
    found: HeadNeed | None = None
    failed: str = ""
    ticks: int = 0

    def work(self) -> None:
        """Go on for a moment."""
        begun = time.monotonic()
        try:
            for share, found in giving_way(self.steps, to_all=True):
                self.share, self.found = share, found
                if time.monotonic() - begun > AT_A_TIME or self.found is not None:
                    break
        except ValueError as error:
            self.failed = str(error)
        if not self.goes_on:
            self.steps = iter(())  # it holds the model
        self.worked += time.monotonic() - begun
        self.ticks += 1

    @property
    def goes_on(self) -> bool:
        """Whether there is more to do."""
        return self.found is None and not self.failed

    @property
    def left(self) -> float:
        """Seconds until it is done, roughly."""
        passed = max(self.worked, self.ticks * TICK)  # without the time in which it waits
        return passed * (1 - self.share) / self.share if self.share else 0.0


def job_of(settings: Settings) -> Job | None:
    """The work of this session on the model on show."""
    found: Job | None = memory().get(JOB)
    return found if found is not None and found.request == settings.request else None


def need_on_show(settings: Settings) -> HeadNeed | None:
    """The measurement over many sentences, made here or before the model was shipped."""
    job, source = job_of(settings), settings.request.source
    if job is not None and job.found is not None:
        return job.found
    return shipped_need(source.name) if isinstance(source, Shipped) else None


def show_many(settings: Settings, ran: Run) -> None:
    """A field for sentences, and the work on them with its bar, in a drawer."""
    fold(tr("Measure it over your own sentences"), "many", _show, settings, ran)


def _show(settings: Settings, ran: Run) -> None:
    job = job_of(settings)
    if settings.learnt is None or not settings.config.n_logits:
        st.caption(
            tr("Only a trained model that writes words is measured: this one has no answers.")
        )
        return
    if job is not None and job.goes_on:
        ticking(_work, job, every=TICK)
        button(tr("Stop"), icon=":material/stop:", key="why_stop", on_click=_forget)
        return
    if job is not None and job.failed:
        st.info(literal(job.failed), icon=":material/info:")
    if job is not None and job.found is not None:
        done = tr_n(
            "Done: the picture above is of your {n} sentence.",
            "Done: the picture above is of your {n} sentences.",
            job.sentences,
        )
        st.caption(f":material/check: {done}")
        label = tr("Show it without your sentences")
        button(label, icon=":material/undo:", on_click=_forget)
    sentences = _sentences()
    if once(BEGIN) and sentences:
        _begin(settings, ran, sentences)
        memory().pop(BEGIN)
        st.rerun()
    button(
        tr_n("Measure {n} sentence", "Measure {n} sentences", len(sentences)),
        icon=":material/play_arrow:",
        disabled=not sentences,
        on_click=memory().__setitem__,
        args=(BEGIN, True),
    )


def _sentences() -> list[str]:
    """The sentences that were typed, one on each line."""
    typed = st.text_area(
        tr("Sentences, one a line"),
        memory().get(TYPED, ""),
        key="why_sentences",
        height=120,
        max_chars=MANY_SENTENCES_LENGTH,
    )[:MANY_SENTENCES_LENGTH]
    memory()[TYPED] = typed  # Streamlit forgets it while the field is not drawn
    found = [line.strip()[:SENTENCE_LENGTH] for line in typed.splitlines() if line.strip()]
    if len(found) > MAX_SENTENCES:
        st.caption(
            tr(
                "The first {most} of {given} sentences are measured.",
                most=MAX_SENTENCES,
                given=len(found),
            )
        )
    return found[:MAX_SENTENCES]


def _begin(settings: Settings, ran: Run, sentences: list[str]) -> None:
    assert settings.learnt is not None
    loaded = Loaded(model=ran.loaded.model, tokenizer=settings.tokenizer, learnt=settings.learnt)
    longest = max(len(settings.tokenizer.split(sentence)) for sentence in sentences)
    need = estimate(settings.config, 2 * AT_ONCE, min(longest, 128), min(longest, 128))
    with on_page():  # if it does not fit, nothing begins
        engine().use(settings.request, need, lambda *_: None, tell=tell)
    memory()[JOB] = Job(
        request=settings.request,
        steps=iter(need_in_steps(loaded, sentences)),
        sentences=len(sentences),
    )


def _work(job: Job) -> None:
    """One step of the work, its bar, and a way to stop."""
    job.work()
    if not job.goes_on:
        st.rerun()
    text = tr_n(
        "Each head is switched off over {n} sentence: about {seconds} s left",
        "Each head is switched off over {n} sentences: about {seconds} s left",
        job.sentences,
        seconds=math.ceil(job.left),
    )
    st.progress(job.share, text)


def _forget() -> None:
    memory().pop(JOB, None)
