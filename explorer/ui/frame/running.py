"""The engine for pages: if something goes wrong, the page says so and stops."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from explorer.choices.settings import Settings
from explorer.languages import sentences, tr
from explorer.markdown import literal
from explorer.runtime.engine import News, Run, Tell, TooLargeError, engine
from explorer.text import Batch
from explorer.ui.frame.session import memory
from explorer.weights.catalogue import WeightsGoneError
from explorer.weights.huggingface.model import Report


class PartEndsError(Exception):
    """Nothing more can be drawn here, and the message about it has been shown.

    After `st.stop` the session could no longer be asked what is on the screen, nor the address
    written.
    """


def run(settings: Settings) -> Run:
    """Run the model on the pair on show; if that is not possible, say why and end the part."""
    batch, row, seed = settings.batch(), settings.row, settings.dropout_seed
    require_words(batch, row)
    with on_page():
        return engine().run(settings.request, batch, row, dropout_seed=seed, tell=tell)


def run_if_possible(settings: Settings, tell: Tell | None = None) -> Run | None:
    """Run the model as `run` does; None, and nothing said, where that is not possible."""
    batch, row, seed = settings.batch(), settings.row, settings.dropout_seed
    if batch.is_empty(row):
        return None
    try:
        return engine().run(settings.request, batch, row, dropout_seed=seed, tell=tell)
    except (WeightsGoneError, TooLargeError):
        return None


@contextmanager
def on_page() -> Iterator[None]:
    """If the engine refuses something in this block, say so on the page and end this part."""
    try:
        yield
    except WeightsGoneError as gone:
        st.warning(literal(f"{str(gone)[:1].upper()}{str(gone)[1:]}"))
        raise PartEndsError from None
    except TooLargeError as error:
        st.error(str(error), icon=":material/memory:")
        raise PartEndsError from None


def tell(news: News, text: str) -> Report | None:
    """Show a message from the engine, and how much of a file has been read."""
    if news == "reading":
        return progress(text)
    if news == "drawing":  # it takes a second or two, and a toast does not move the page
        st.toast(text, icon=":material/hourglass_top:")
    else:
        warning = tr("{failure}: this picture was computed on the CPU.", failure=text)
        st.warning(warning, icon=":material/memory:")
    return None


def progress(text: str, *, after: float = 0.0) -> Report:
    """A bar that appears after some seconds, and goes when all is done.

    A click on anything else stops the work.
    """
    start, bar = time.monotonic(), st.empty()
    if not after:
        bar.progress(0.0, text)

    def report(share: float) -> None:
        taken = time.monotonic() - start
        if share >= 1:
            bar.empty()
        elif taken >= after and share > 0:
            left = taken * (1 - share) / share
            # Translators: {reading} is such as “Reading 1,000 weights for this model …”
            label = tr("{reading} about {seconds} s left", reading=text, seconds=math.ceil(left))
            bar.progress(share, label)

    return report


def drafts_of(key: str, model: object) -> dict[Any, Sequence[int]]:
    """The last answers of this model, to be updated. Those of another model are forgotten.

    While somebody types, much of an answer stays the same, so the last one is a draft of the next.
    """
    drafts: dict[Any, Sequence[int]]
    of, drafts = memory().get(key, (None, {}))
    if of != model:
        drafts = {}
        memory()[key] = model, drafts
    return drafts


def require_words(batch: Batch, row: int) -> None:
    """If there is nothing to read, show a hint in place of the picture."""
    if batch.is_empty(row):
        st.info(what_to_type(batch, row), icon=":material/keyboard:")
        raise PartEndsError


def what_to_type(batch: Batch, row: int) -> str:
    """The hint in place of a picture of no sentence."""
    hint = tr(
        "Type a source sentence above, or choose an example: the picture follows while you type."
    )
    if batch.tgt_out is None and batch.is_empty(row):
        return sentences(tr("The source holds only PAD."), hint)
    return hint
