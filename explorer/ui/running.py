"""The engine for pages: if something goes wrong, the page says so and stops."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from explorer.runtime.engine import News, Run, TooLargeError, engine
from explorer.text import Batch
from explorer.ui.markdown import literal
from explorer.ui.settings import Settings
from explorer.weights.catalogue import WeightsGoneError


def run(settings: Settings) -> Run:
    """Run the model on the pair on show; if that is not possible, say why and stop the page."""
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    require_words(batch, row)
    with on_page():
        return engine().run(
            settings.request, batch, row, dropout_seed=settings.dropout_seed, tell=tell
        )


@contextmanager
def on_page() -> Iterator[None]:
    """If the engine refuses something in this block, say so on the page and stop it."""
    try:
        yield
    except WeightsGoneError as gone:
        st.warning(literal(f"{str(gone)[:1].upper()}{str(gone)[1:]}"))
        st.stop()
    except TooLargeError as error:
        st.error(str(error), icon=":material/memory:")
        st.stop()


def tell(news: News, text: str) -> None:
    """Show a message from the engine."""
    if news == "drawing":  # it takes a second or two, and a toast does not move the page
        st.toast(text, icon=":material/hourglass_top:")
    else:
        st.warning(f"{text}: this picture was computed on the CPU.", icon=":material/memory:")


def require_words(batch: Batch, row: int) -> None:
    """If there is nothing to read, show a hint in place of the picture."""
    if batch.src.shape[1] and (batch.src[row] == batch.pad_id).all():
        which = f" of pair {row + 1}" if len(batch.src) > 1 else ""
        typed = f"The source{which} holds only PAD. " if batch.tgt_out is None else ""
        st.info(
            f"{typed}Type a source sentence{which} above, or pick an example: the picture follows "
            "while you type.",
            icon=":material/keyboard:",
        )
        st.stop()
