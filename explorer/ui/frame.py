"""The frame of every page: navigation, sentences, model; then the page itself."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.runtime.limits import cores
from explorer.runtime.memory import keep_memory_at_hand
from explorer.runtime.turns import in_turn, keep_house
from explorer.ui.components.component import STYLES
from explorer.ui.controls.answers import answered
from explorer.ui.controls.choices import note_choices
from explorer.ui.controls.model import draw_model, in_training, read_settings, weights_on_show
from explorer.ui.controls.sentences import (
    draw_batch_controls,
    draw_fields,
    exchange_sentences,
    too_long_for_link,
)
from explorer.ui.markdown import literal
from explorer.ui.reading import tidy_memory
from explorer.ui.settings import Settings, Weights, clean_query
from explorer.ui.training.session import leave_training

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = {
    "home": ("pages/home.py", "Home", ":material/home:"),
    "tokens": ("pages/tokens.py", "Tokens", ":material/view_module:"),
    "masks": ("pages/masks.py", "Masks", ":material/visibility_off:"),
    "positions": ("pages/positions.py", "Positions", ":material/waves:"),
    "attention": ("pages/attention.py", "Attention", ":material/hub:"),
    "heads": ("pages/heads.py", "All heads", ":material/grid_on:"),
    "steps": ("pages/steps.py", "Step by step", ":material/calculate:"),
    "stack": ("pages/stack.py", "Stack", ":material/layers:"),
    "training": ("pages/training.py", "Training", ":material/model_training:"),
    "decoding": ("pages/decoding.py", "Decoding", ":material/edit_note:"),
}
AROUND: Final = (
    "weights", "d_model", "heads", "enc", "dec", "d_ff", "norm", "seed", "dropout", "dropout_seed",
    "side", "length", "device", "pairs", "tokens", "pad_id", "pair", "typed_target",
)  # fmt: skip
# Each script run has a thread to itself. (Not the session state: touching it while a page stops
# would stop the clean-up, too, and the next run would find the settings of this one.)
_this_run: Final = threading.local()


@st.cache_resource(show_spinner=False)
def _start_process() -> None:
    """Once a process: what would otherwise cost every rerun."""
    keep_memory_at_hand()
    # Half of the cores: threads of one forward wait for each other, and on a core that somebody
    # else is using that takes longer than the work. Set before the first session computes.
    torch.set_num_threads(max(1, cores() // 2))
    keep_house()


def show(page: Callable[[Settings], None]) -> None:
    """Show a page in its frame: what every page's script ends with.

    A page opened directly, before any session has run app.py in this server process, is executed
    by Streamlit on its own. Then the frame is drawn here, runs the page in its place, and stops.
    """
    frame: tuple[str, Weights, DeltaGenerator] | None = getattr(_this_run, "frame", None)
    if frame is None:
        draw()
        st.stop()
    st.session_state.around = _around()
    _show(page, *frame)


@st.fragment  # who types has this alone drawn anew, not the forty elements around it
@in_turn
def _show(
    page: Callable[[Settings], None], name: str, weights: Weights, sentences: DeltaGenerator
) -> None:
    """The page itself, and the sentences above it."""
    _redraw_what_changed_around(weights)  # by what has just been pressed
    note_choices(name)
    with sentences, _as_of_all_pages():
        answer_fields = draw_fields(weights)
    settings = read_settings(weights)
    if answer_fields:
        settings = answered(settings, answer_fields)
    try:
        with st.container(key="page"):
            _show_notes(settings)
            page(settings)
    finally:
        tidy_memory()
    _redraw_what_changed_around(weights)  # by the page


@in_turn
def draw() -> None:
    """Draw the frame, and in it the page that the address names."""
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
    _mend_address()
    if page.url_path != "training":
        leave_training()
    if page.url_path != "decoding":
        st.session_state.pop("playing", None)
    st.html(f"<style>{STYLES}</style>")
    _take_choices()
    with st.sidebar:
        weights = draw_model()
    sentences = draw_batch_controls(weights)
    # A browser that finds itself at another process, because its own has gone, asks for a run only
    # where something runs by itself. Without one, that process would not know the page's fragments,
    # and what is clicked in them would go unanswered.
    st.fragment(lambda: None, run_every=3600)()
    _this_run.frame = page.url_path, weights, sentences
    try:
        page.run()
    finally:
        _this_run.frame = None


def _as_of_all_pages() -> AbstractContextManager[None]:
    """What is drawn here is the same on every page, for Streamlit, too."""
    context = get_script_run_ctx()
    assert context is not None
    return context.run_with_active_hash(context.pages_manager.main_script_hash)


def _redraw_what_changed_around(weights: Weights) -> None:
    """Begin again, with everything, where what stands around the page is no longer true."""
    state = st.session_state
    if (
        "choices_next" in state
        or state.get("around") != _around()
        or weights != weights_on_show()  # also on show with controls that come after them
    ):
        st.rerun()


def _around() -> tuple[object, ...]:
    """Which page it is, what the controls around it hold, and whether they speak of a training."""
    context = get_script_run_ctx()
    page = context.page_script_hash if context else ""
    return page, in_training(), *map(st.session_state.get, AROUND)


def open_page(name: str, **choices: str | int) -> None:
    """Go to another page, a name of `PAGES`, with choices of its own already made."""
    path, _, _ = PAGES[name]
    st.session_state.update(choices)
    st.switch_page(ROOT / path, query_params={key: str(value) for key, value in choices.items()})


def _take_choices() -> None:
    """What was asked for when the controls had been drawn already."""
    choices = st.session_state.pop("choices_next", {})
    if "weights" in choices:
        exchange_sentences(choices["weights"])
    st.session_state.update(choices)


def _mend_address() -> None:
    """On a visitor's first run, take out of the address what no widget could be given."""
    state = st.session_state
    if "address_notes" in state:
        return
    params = st.query_params.to_dict()
    clean, state.address_notes = clean_query(params)
    if clean != params:
        st.query_params.from_dict(clean)
        st.rerun()


def _show_notes(settings: Settings) -> None:
    notes = [*st.session_state.address_notes, *settings.batch().notes]
    if too_long_for_link():
        notes.append(
            "These sentences are too long for a link: a shared address carries only the first ones."
        )
    if notes:
        st.info("  \n".join(map(literal, notes)), icon=":material/info:")
