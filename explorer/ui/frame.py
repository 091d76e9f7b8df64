"""The frame of every page: navigation, sentences and model, then the page itself."""

import threading
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Final

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from explorer.languages import tr
from explorer.paths import ROOT
from explorer.runtime.engine import tidy_memory
from explorer.runtime.limits import cores
from explorer.runtime.memory import keep_memory_at_hand
from explorer.runtime.turns import ask, in_turn, start_garbage_collector
from explorer.ui import internals
from explorer.ui.address import NOTES, keep_history, part_of_page, take_address
from explorer.ui.components.explanations import explanations
from explorer.ui.components.noted import begin_notes
from explorer.ui.components.page_texts import page_texts
from explorer.ui.controls.answers import answered
from explorer.ui.controls.batch import draw_more_sentences
from explorer.ui.controls.choices import begin_page, keys_around, page_is_drawn, value
from explorer.ui.controls.loading import draw_no_loading
from explorer.ui.controls.model import draw_model, in_training, read_settings
from explorer.ui.controls.sentences import (
    Containers,
    Targets,
    draw_fields,
    remember_answers,
    some_are_cut,
    too_long_for_link,
)
from explorer.ui.controls.weights import config_on_show, source_on_show, trains_another
from explorer.ui.controls.widgets import cut_in_words
from explorer.ui.internals.messages import (
    keep_one_shot_values,
    refer_only_to_recent_messages,
)
from explorer.ui.internals.received import take_only_possible_values
from explorer.ui.internals.requests import (
    ignore_values_from_timers,
    iterate_over_copied_values,
    keep_every_change,
    keep_page_turns,
    skip_end_of_replaced_runs,
    take_over_waiting_requests,
)
from explorer.ui.language import speak_to_visitor
from explorer.ui.markdown import literal
from explorer.ui.navigation import draw_navigation
from explorer.ui.parameters import Frame, Numbers
from explorer.ui.practice.places import show_way_back
from explorer.ui.registry import open_page, pages_of_run
from explorer.ui.room.bar import draw_bar, draw_news, shown_of_room
from explorer.ui.room.following import follow_room
from explorer.ui.room.place import note_how_new, take_full_rerun_request, this_member
from explorer.ui.settings import Settings
from explorer.ui.taking.panel import show_taking
from explorer.ui.tour.panel import show_tour
from explorer.ui.training.session import leave_training
from explorer.weights.catalogue import WeightsGoneError, writes

# Every script run has its own thread. (Not the session state: reading it while a page stops would
# interrupt the clean-up, and the next run would find the settings of this one.)
_this_run: Final = threading.local()


@cache
def _start_process() -> None:
    """Do the work that is needed only once per process."""
    keep_memory_at_hand()
    # Half of the cores: the threads of a forward pass wait for each other, and on a core shared
    # with another program that wait takes longer than the work. Set before the first session runs.
    torch.set_num_threads(max(1, cores() // 2))
    internals.send_without_delay()
    internals.follow_typing(milliseconds=0)  # with a pause, the browser loses letters
    keep_every_change()
    keep_one_shot_values()
    refer_only_to_recent_messages()
    keep_page_turns()
    ignore_values_from_timers()
    take_over_waiting_requests()
    skip_end_of_replaced_runs()
    iterate_over_copied_values()
    internals.look_up_single_values()
    take_only_possible_values()
    ask(person=_person, go_on=_end_if_replaced)
    start_garbage_collector(tidy_memory)


@cache
def _icon() -> str:
    """The browser's icon, whole in its address: Streamlit drops a file between two runs."""
    content = (ROOT / "assets" / "icon.png").read_bytes()
    return f"data:image/png;base64,{b64encode(content).decode()}"


def _person() -> str:
    """The name of the person who takes turns: the browser's, or the window's if it is unknown."""
    return internals.browser() or internals.session_id()


def _end_if_replaced() -> None:
    """End this run if another run of the session has replaced it: each read of the state does."""
    st.session_state.get("page_on_show")


def show(page: Callable[[Settings], None]) -> None:
    """Show a page in its frame; every page's script ends with this call.

    If a page is opened directly, before any session has run app.py in this server process,
    Streamlit runs its script alone. Then the frame is drawn here and runs the page inside.
    """
    if not getattr(_this_run, "is_drawing", False):
        draw()
        st.stop()
    st.session_state.around, st.session_state.room_around = _around(), shown_of_room()
    # Typing redraws only this part, not the forty elements around it.
    part_of_page(_draw_page)(page, _this_run.sentences)


def _draw_page(page: Callable[[Settings], None], sentences: Containers | None) -> None:
    """Draw the line with the sentence, if the page speaks of it, and the page below it."""
    note_how_new()
    follow_room()
    _redraw_if_stale()  # a control of the page may have changed what the frame shows
    draw_news()
    answering = sentences is not None and _model_answers()
    settings = read_settings()
    fields = {} if sentences is None else _draw_line(sentences, answering=answering)
    if answering:
        settings = answered(settings, fields)
    else:
        remember_answers([])
    with st.container(key="page"):
        _show_notes([] if sentences is None else _notes_on_sentences(settings, answering))
        on_show, of_sentence = st.session_state.page_on_show, sentences is not None
        show_tour(settings, on_show, of_sentence=of_sentence)
        show_way_back(on_show)
        begin_notes()
        try:
            page(settings)
            if sentences is not None and on_show != "room":
                show_taking(settings, on_show)
        finally:
            if not internals.is_about_to_rerun():
                page_is_drawn()
                if st.session_state.room_around != shown_of_room():
                    st.rerun()  # not before: a click that changes the room may open a page
    _redraw_if_stale()  # the page itself may have done so, too


def _draw_line(sentences: Containers, *, answering: bool) -> dict[int, DeltaGenerator]:
    """Draw the sentences; returns the containers of the answers that the page's own model gives."""
    if st.session_state.page_on_show == "steps" and value(Numbers.case) != "model":
        sentences.answer.caption(tr("These numbers do not come from a sentence."))
        # A fragment may write only into containers that it used in the last full run.
        for container in (sentences.source, sentences.folded):
            if container is not None:
                container.empty()
        return {}
    config = config_on_show()
    targets: Targets = "typed" if config is None or config.has_decoder else "none"
    if answering:
        targets = "none" if trains_another() else "answered"
    if answering and trains_another():
        hint = tr("Press *Train*: once it has learnt, this model answers here.")
        if in_training():
            hint = tr("Once it has learnt, this model answers here.")
        sentences.answer.caption(hint)
    with internals.same_on_every_page():
        return draw_fields(sentences, targets)


@in_turn
def draw() -> None:
    """Draw the frame and, inside it, the page that the address names."""
    _start_process()
    speak_to_visitor()
    st.set_page_config(
        page_title="Transformer Explorer",
        page_icon=_icon(),
        layout="wide",
    )
    pages = pages_of_run()
    page = st.navigation(list(pages.values()), position="hidden")
    st.session_state.page_on_show = page.url_path or "home"
    take_address()
    begin_page()
    follow_room()
    take_full_rerun_request()  # a full run has just begun
    if page.url_path != "training":
        leave_training()
        draw_no_loading("training")
    if page.url_path != "decoding":
        st.session_state.pop("playing", None)
    keep_history()
    page_texts()
    if explanations():
        open_page("words")
    draw_navigation(pages)
    draw_bar()
    sentences = _draw_around_line()
    # If its server process has gone, a browser asks another process for a run only if something on
    # the page runs by itself. Without that run, the new process would not know the page's
    # fragments, and a click in them would do nothing.
    st.fragment(lambda: None, run_every=3600)()
    _this_run.sentences, _this_run.is_drawing = sentences, True
    try:
        page.run()
    finally:
        _this_run.is_drawing = False


def _draw_around_line() -> Containers | None:
    """Draw the controls around the sentence and its answer; nothing on pages that use neither."""
    page = st.session_state.page_on_show
    if page == "words" or (page == "room" and this_member() is None):
        draw_no_loading("menu")
        return None
    with st.container(key="sentences", horizontal=True, vertical_alignment="center"):
        source = st.container(key="source_on_show")
        draw_model()
        answer = st.container(key="answer_on_show", width="stretch")
        folded = draw_more_sentences(answering=writes(source_on_show()))
    return Containers(source, answer, folded)


def _model_answers() -> bool:
    """Whether the model writes the targets."""
    return writes(source_on_show()) and not value(Frame.typed_target)


def _redraw_if_stale() -> None:
    """Rerun everything if the frame is out of date, or if the weights on show are gone."""
    if take_full_rerun_request():
        st.rerun()
    before = st.session_state.get("around")
    with suppress(WeightsGoneError):
        if before == _around():
            return
    if before is not None and before[0] != internals.page_hash():
        # The browser had asked for this before it knew that the page was turned.
        open_page(st.session_state.page_on_show)
    st.rerun()


def _around() -> tuple[object, ...]:
    """What the frame depends on: the page, a running training, the weights, the choices."""
    return internals.page_hash(), in_training(), source_on_show(), *keys_around()


def _notes_on_sentences(settings: Settings, answering: bool) -> list[str]:
    notes = list(settings.batch().notes)
    if some_are_cut():
        notes.append(cut_in_words())
    if too_long_for_link(answering=answering):
        notes.append(
            tr(
                "These sentences are too long for a link: a shared address carries only the first "
                "ones."
            )
        )
    return notes


def _show_notes(on_sentences: list[str]) -> None:
    if notes := [*st.session_state[NOTES], *on_sentences]:
        st.info("  \n".join(map(literal, notes)), icon=":material/info:")
