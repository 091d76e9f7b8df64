"""The frame of every page: navigation, sentences and model, then the page itself.

A run draws everything, in one order: `begin` fetches what is known of the visitor; what the browser
says is read, and acted on in plain Python; the head, the sentences and the page are drawn; the
address is written; `run_ends` tells the browser that all is on its way.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import cache

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from explorer.choices.parameters import Frame, Numbers
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.markdown import literal
from explorer.paths import ROOT
from explorer.runtime.garbage import start_garbage_collector
from explorer.runtime.limits import cores
from explorer.runtime.memory import keep_memory_at_hand, tidy_memory
from explorer.runtime.turns import ask, in_turn, release_turn
from explorer.ui.components.enlarged import show_enlarged
from explorer.ui.components.line import run_ends
from explorer.ui.controls.answers import answered
from explorer.ui.controls.batch import draw_more_sentences
from explorer.ui.controls.choices import value
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
from explorer.ui.frame.address import (
    NOTES,
    say_address,
    settle,
    take_address,
)
from explorer.ui.frame.language import speak_to_visitor
from explorer.ui.frame.navigation import draw_navigation
from explorer.ui.frame.registry import pages
from explorer.ui.frame.running import PartEndsError
from explorer.ui.frame.session import (
    begin,
    draw_begins,
    draw_ends,
    has_session,
    memory,
    session,
    take_changes,
)
from explorer.ui.frame.stage import draw_beside_drawer
from explorer.ui.predict.places import show_way_back
from explorer.ui.predict.sets import hides_answer
from explorer.ui.room.asking import hides_answer_of_room
from explorer.ui.room.bar import draw_bar
from explorer.ui.room.following import follow_room, notice_own_way, remember_choices
from explorer.ui.room.place import is_follower, note_how_new, place_in_room, this_member
from explorer.ui.taking.noted import begin_notes
from explorer.ui.taking.panel import offer_taking
from explorer.ui.tour.panel import show_tour
from explorer.ui.training.watched import current, leave_training, runs_elsewhere
from explorer.weights.catalogue import WeightsGoneError, writes


@cache
def _start_process() -> None:
    """Do the work that is needed only once per process."""
    keep_memory_at_hand()
    # Half of the cores: the threads of a forward pass wait for each other, and on a core shared
    # with another program that wait takes longer than the work. Set before the first session runs.
    torch.set_num_threads(max(1, cores() // 2))
    ask(room=place_in_room, go_on=_end_if_replaced)
    start_garbage_collector(tidy_memory)


@cache
def _icon() -> str:
    """The browser's icon, whole in its address: Streamlit drops a file between two runs."""
    content = (ROOT / "assets" / "icon.png").read_bytes()
    return f"data:image/png;base64,{b64encode(content).decode()}"


def _end_if_replaced() -> None:
    """End this run if another run of the session is to replace it; not while a click is taken."""
    if not session().is_acting:
        st.session_state.get("session")  # reading it is what ends a run


def draw() -> None:
    """Draw the frame and, inside it, the page that the address names."""
    _start_process()
    begin()
    try:
        _draw()
    except WeightsGoneError:
        st.rerun()  # it chooses a model that is still there
    except Exception:
        run_ends()  # or a line would wait for it
        raise


@in_turn
def _draw() -> None:
    here, links = session(), pages()
    page = st.navigation(list(links.values()), position="hidden")
    asked = page.url_path or "home"
    _act(asked)
    if here.page != asked:  # the page was turned after this request, or by it
        with release_turn():  # Streamlit sleeps until the browser has the address
            st.switch_page(links[here.page], query_params=here.address)
    draw_begins()
    st.set_page_config(page_title="Transformer Explorer", page_icon=_icon(), layout="wide")
    draw_navigation()
    draw_bar()
    sentences = _draw_around_line()
    # Drawn here, in the main script, the line is the same element on every page.
    here.fields = sentences, {} if sentences is None else _draw_line(sentences)
    here.is_framed = True
    try:
        page.run()
    finally:
        here.is_framed = False
    show_enlarged()
    say_address()
    draw_ends()
    run_ends()


def _act(asked: str) -> None:
    """Take what the browser says: its address at first, then all that has changed in it."""
    here = session()
    speak_to_visitor()
    params = st.query_params.to_dict()
    here.is_acting = True
    if here.address is None:
        here.page = asked
        take_address(params)
    remember_choices(here.page)
    take_changes()
    notice_own_way(here.page)
    settle()
    note_how_new()
    follow_room()
    if here.page != "training":
        leave_training()
    here.is_acting = False
    speak_to_visitor()


def show(page: Callable[[Settings], None]) -> None:
    """Show a page in its frame; every page's script ends with this call.

    If a page is opened directly, before any session has run app.py in this server process,
    Streamlit runs its script alone. Then the frame is drawn here and runs the page inside.
    """
    if not has_session() or not session().is_framed:
        draw()
        st.stop()
    sentences, fields = session().fields
    answering = sentences is not None and _model_answers()
    settings = read_settings()
    try:
        if answering:
            settings = answered(settings, fields)
        else:
            remember_answers([])
        with st.container(key="page"):
            _show_notes([] if sentences is None else _notes_on_sentences(settings, answering))
            on_show, of_sentence = session().page, sentences is not None
            show_tour(settings, on_show, of_sentence=of_sentence)
            show_way_back(on_show)
            begin_notes()

            def body() -> None:
                page(settings)
                if of_sentence and on_show != "room":
                    offer_taking(settings, on_show)

            draw_beside_drawer(body)
    except PartEndsError:
        pass  # the message about it has been shown


def _draw_line(sentences: Containers) -> dict[int, DeltaGenerator]:
    """Draw the sentences; returns the containers of the answers that the page's own model gives."""
    if session().page == "steps" and value(Numbers.case) != "model":
        sentences.answer.caption(tr("These numbers do not come from a sentence."))
        return {}
    answering = _model_answers()
    if answering and (why := _why_hidden()):
        sentences.answer.caption(why)
        return draw_fields(sentences, "none")
    config = config_on_show()
    targets: Targets = "typed" if config is None or config.has_decoder else "none"
    if answering:
        targets = "none" if trains_another() else "answered"
    if answering and trains_another():
        hint = tr("Press *Train*: once it has learnt, this model answers here.")
        if is_follower():
            hint = tr("Once the teacher has trained this model, it answers here.")
        elif in_training() or runs_elsewhere(current()):
            hint = tr("Once it has learnt, this model answers here.")
        sentences.answer.caption(hint)
    return draw_fields(sentences, targets)


def _why_hidden() -> str:
    """The reason why the model's answer is not shown, if there is one."""
    if hides_answer():
        return tr("The answer is hidden until you have given yours.")
    if hides_answer_of_room():
        return tr("The answer is hidden until the room has seen the right one.")
    return ""


def _draw_around_line() -> Containers | None:
    """Draw the controls around the sentence and its answer; nothing on pages that use neither."""
    page = session().page
    if page == "glossary" or (page == "room" and this_member() is None):
        return None
    with st.container(key="sentences", horizontal=True, vertical_alignment="center"):
        source = st.container(key="source_on_show")
        answer = st.container(key="answer_on_show", width="stretch")
        draw_model()
        folded = draw_more_sentences(answering=writes(source_on_show()))
    return Containers(source, answer, folded)


def _model_answers() -> bool:
    """Whether the model writes the targets."""
    return writes(source_on_show()) and not value(Frame.typed_target)


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
    if notes := [*memory().get(NOTES, []), *on_sentences]:
        st.info("  \n".join(map(literal, notes)), icon=":material/info:")
