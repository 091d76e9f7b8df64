"""The frame of every page: navigation, sentences and model, then the page itself."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from explorer.runtime.engine import tidy_memory
from explorer.runtime.limits import cores
from explorer.runtime.memory import keep_memory_at_hand
from explorer.runtime.turns import in_turn, keep_house
from explorer.ui import internals
from explorer.ui.address import NOTES, keep_history, part_of_page, take_address
from explorer.ui.components.component import STYLES
from explorer.ui.controls.answers import answered
from explorer.ui.controls.batch import draw_batch_controls
from explorer.ui.controls.choices import begin_page, keys_around, value
from explorer.ui.controls.model import draw_model, in_training, read_settings
from explorer.ui.controls.sentences import draw_fields, note_answers, too_long_for_link
from explorer.ui.controls.weights import config_on_show, source_on_show
from explorer.ui.markdown import literal
from explorer.ui.parameters import TYPED_TARGET
from explorer.ui.registry import PAGES, ROOT
from explorer.ui.settings import Settings
from explorer.ui.training.session import leave_training
from explorer.weights.catalogue import WeightsGoneError, writes

# Every script run has its own thread. (The session state will not do: touching it while a page
# stops would interrupt the clean-up, and the next run would find the settings of this one.)
_this_run: Final = threading.local()


@st.cache_resource(show_spinner=False)
def _start_process() -> None:
    """Do the work that is needed only once per process."""
    keep_memory_at_hand()
    # Half of the cores: the threads of a forward pass wait for each other, and on a core shared
    # with another program that wait takes longer than the work. Set before the first session runs.
    torch.set_num_threads(max(1, cores() // 2))
    internals.follow_typing(milliseconds=100)
    keep_house()


def show(page: Callable[[Settings], None]) -> None:
    """Show a page in its frame; every page's script ends with this call.

    If a page is opened directly, before any session has run app.py in this server process,
    Streamlit runs its script alone. Then the frame is drawn here and runs the page inside.
    """
    sentences: DeltaGenerator | None = getattr(_this_run, "sentences", None)
    if sentences is None:
        draw()
        st.stop()
    st.session_state.around = _around()
    # Only this part is redrawn while someone types, not the forty elements around it.
    part_of_page(_draw_page)(page, sentences)


def _draw_page(page: Callable[[Settings], None], sentences: DeltaGenerator) -> None:
    """Draw the sentences, and the page below them."""
    _redraw_if_stale()  # a control of the page may have changed what the frame shows
    answering = _model_answers()
    with sentences, internals.same_on_every_page():
        config = config_on_show()
        reads_target = config is None or config.has_decoder
        answer_fields = draw_fields(answering=answering, reads_target=reads_target)
        pieces = st.container(key="pieces") if answering else None
    settings = read_settings()
    if pieces is not None:
        settings = answered(settings, answer_fields, pieces)
    else:
        note_answers([])
    try:
        with st.container(key="page"):
            _show_notes(settings, answering)
            page(settings)
    finally:
        tidy_memory()
    _redraw_if_stale()  # the page itself may have done so, too


@in_turn
def draw() -> None:
    """Draw the frame and, inside it, the page that the address names."""
    _start_process()
    st.set_page_config(
        page_title="Transformer Explorer", page_icon=ROOT / "assets" / "icon.png", layout="wide"
    )
    page = st.navigation(
        [
            st.Page(ROOT / path, title=title, icon=icon, url_path=name, default=name == "home")
            for name, (path, title, icon) in PAGES.items()
        ],
        position="top",
    )
    take_address()
    begin_page()
    if page.url_path != "training":
        leave_training()
    if page.url_path != "decoding":
        st.session_state.pop("playing", None)
    st.html(f"<style>{STYLES}</style>")
    keep_history()
    with st.sidebar:
        draw_model()
    sentences = draw_batch_controls(answering=writes(source_on_show()))
    # If its server process has gone, a browser asks another process for a run only if something on
    # the page runs by itself. Without that run, the new process would not know the page's
    # fragments, and a click in them would do nothing.
    st.fragment(lambda: None, run_every=3600)()
    _this_run.sentences = sentences
    try:
        page.run()
    finally:
        _this_run.sentences = None


def _model_answers() -> bool:
    """Whether the model writes the targets."""
    return writes(source_on_show()) and not value(TYPED_TARGET)


def _redraw_if_stale() -> None:
    """Rerun everything if the frame is out of date, or if the weights on show are gone."""
    with suppress(WeightsGoneError):
        if st.session_state.get("around") == _around():
            return
    st.rerun()


def _around() -> tuple[object, ...]:
    """Everything the frame depends on: the page, a running training, the weights, the choices."""
    return internals.page_hash(), in_training(), source_on_show(), *keys_around()


def _show_notes(settings: Settings, answering: bool) -> None:
    notes = [*st.session_state[NOTES], *settings.batch().notes]
    if too_long_for_link(answering=answering):
        notes.append(
            "These sentences are too long for a link: a shared address carries only the first ones."
        )
    if notes:
        st.info("  \n".join(map(literal, notes)), icon=":material/info:")
