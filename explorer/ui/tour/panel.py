"""The tour's place on top of a page: the question, what to read and do, and the ways on."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choices.parameters import PARAMETERS, Frame, text_key
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.tour.stops import CHOICE_KEYS, TOUR_STOPS, Choices, TourStop
from explorer.tour.tour_run import TourRun, tour_run_of
from explorer.ui.components.explanations import explained
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choices, choose, choose_by_key, chosen, value
from explorer.ui.controls.sentences import current_text
from explorer.ui.controls.weights import offer_translator, show_weights
from explorer.ui.frame.page import ON_TOUR
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.running import run_if_possible
from explorer.ui.frame.session import Act, memory, session
from explorer.ui.training.watched import leave_training
from explorer.weights.catalogue import TRANSLATOR, TrainedHere

LEFT_AT = "tour_left_at"  # the stop at which the visitor has left the tour
FINISHED = "tour_finished"
BORROWED = "tour_borrowed"  # the stop, the key of the reader's sentence, and its text before
APPLIED = "tour_applied"  # the stop, and the choices that it has made


def show_tour(settings: Settings, page: str, *, of_sentence: bool) -> None:
    """Draw the stop that the address names on top of this page; nothing if there is none.

    On a page that is not `of_sentence`, the stop has no text.
    """
    number = value(Frame.tour)
    memory()[ON_TOUR] = number is not None and TOUR_STOPS[number - 1].page == page
    if number is None or page == "tour":
        return
    stop = TOUR_STOPS[number - 1]
    with st.container(key="tour", border=True):
        with st.container(horizontal=True, vertical_alignment="center", key="tour_head"):
            st.markdown(
                tr(
                    "Tour · stop {number} of {stops} · **{question}**",
                    number=number,
                    stops=len(TOUR_STOPS),
                    question=tr(stop.question),
                )
            )
            _draw_buttons(settings, number)
            back = st.container(width="content")
        if page != stop.page or not of_sentence:
            with back:
                _offer_picture(open_page, stop.page)
            return
        ran = run_if_possible(settings)
        tour = None if ran is None else tour_run_of(settings, ran, choices())
        if ran is None:
            st.markdown(tr("This stop speaks of your sentence: type one above."))
        elif tour is None:
            st.markdown(tr("The tour follows a trained model that answers in its own words."))
            button(tr("Let it answer"), on_click=_let_answer, args=(settings,))
        else:
            _draw_stop(number, stop, tour, back)


def _draw_stop(number: int, stop: TourStop, tour: TourRun, back: DeltaGenerator) -> None:
    """Draw the text and task of a stop; in `back`, a button to the picture if it is not shown."""
    wanted = stop.choices(tour)
    _follow(number, wanted)
    task = tr("**Try:** {task}", task=tr(stop.does))
    st.markdown(explained(f"**{tr(stop.answer)}** {stop.says(tour)}  \n{task}"))
    if isinstance(tour.settings.request.source, TrainedHere) and stop.page != "training":
        offer_translator()
    if not _is_there(wanted):
        with back:
            _offer_picture(open_stop, tour.settings, number)


def _offer_picture(on_click: Act, *args: object) -> None:
    label = tr("Back to the picture")
    button(label, icon=":material/undo:", key="tour_return", on_click=on_click, args=args)


def _let_answer(settings: Settings) -> None:
    """Put a model that answers in place of typed targets, or of a model that cannot answer."""
    config = settings.config
    if settings.learnt is None or not (config.has_encoder and config.has_decoder):
        show_weights(TRANSLATOR)
    choose(Frame.typed_target, None)


def open_stop(settings: Settings, number: int) -> None:
    """Go to a stop, counted from 1, at its telling place."""
    is_other = _change_sentence(settings, number)
    choose(Frame.tour, number)
    memory().pop(LEFT_AT, None)
    stop, tour = TOUR_STOPS[number - 1], None
    was_trained = isinstance(settings.request.source, TrainedHere)
    leaves_training = session().page == "training" != stop.page
    if leaves_training:
        leave_training(show=False)
    if was_trained and leaves_training:
        show_weights(TRANSLATOR)  # the small model has nothing to show at other stops
    elif is_other:
        for key in CHOICE_KEYS:  # the stop finds its place when it is drawn
            choose_by_key(key, None)
    elif (ran := run_if_possible(settings)) is not None:
        tour = tour_run_of(settings, ran, choices())
    wanted = {} if tour is None else dict(stop.choices(tour))
    if wanted:
        memory()[APPLIED] = number, wanted
    open_page(stop.page, **wanted)


def _change_sentence(settings: Settings, to: int | None) -> bool:
    """Give back the sentence in whose place a stop has put its own, and put that of the next.

    What the reader has typed there since stays. Returns whether the sentence on show is another.
    """
    key = text_key("src", settings.row)
    before = current_text(key)
    at, place, own = memory().pop(BORROWED, (0, key, ""))
    if at == value(Frame.tour) and current_text(place) == TOUR_STOPS[at - 1].sentence:
        choose_by_key(place, own)
    sentence = None if to is None else TOUR_STOPS[to - 1].sentence
    if sentence and value(Frame.weights) == TRANSLATOR:
        memory()[BORROWED] = to, key, current_text(key)
        choose_by_key(key, sentence)
    return current_text(key) != before


def leave_tour(settings: Settings) -> None:
    """End the tour; it can be taken up again where it was left."""
    _change_sentence(settings, None)
    memory()[LEFT_AT] = value(Frame.tour)
    choose(Frame.tour, None)


def _draw_buttons(settings: Settings, number: int) -> None:
    """The buttons: back, next and leave."""
    last = number == len(TOUR_STOPS)
    button(
        tr("Previous stop"),
        key="tour_back",
        disabled=number == 1,
        shortcut="Alt+P",
        on_click=open_stop,
        args=(settings, number - 1),
    )
    button(
        tr("Finish") if last else tr("On to stop {number}", number=number + 1),
        key="tour_next",
        type="primary",
        shortcut="Alt+N",
        on_click=_finish if last else open_stop,
        args=(settings,) if last else (settings, number + 1),
    )
    button(tr("Leave"), key="tour_leave", type="tertiary", on_click=leave_tour, args=(settings,))


def _finish(settings: Settings) -> None:
    """After the last stop."""
    _change_sentence(settings, None)
    choose(Frame.tour, None)
    memory().pop(LEFT_AT, None)
    memory()[FINISHED] = True
    if isinstance(settings.request.source, TrainedHere):  # what was just watched at the end
        show_weights(TRANSLATOR)
    for key in CHOICE_KEYS:  # from now on, each page opens on its own most telling case
        choose_by_key(key, None)
    open_page("tour")


def _is_there(wanted: Choices) -> bool:
    """Whether the page of a stop is at its place."""
    return all(value(PARAMETERS[key]) == at for key, at in wanted.items())


def _follow(number: int, wanted: Choices) -> None:
    """Move with the sentence: new words have another telling place.

    What the visitor has chosen since the stop was opened stays.
    """
    applied, before = memory().get(APPLIED, (None, {}))
    if applied == number and before == wanted:
        return
    if not _is_there(wanted):  # after Back, say, it is
        untouched = applied == number and _is_there(before)
        if applied != number:  # the address names the stop, and perhaps nothing else
            untouched = all(chosen(PARAMETERS[key]) is None for key in wanted)
        if not untouched:
            return
        for key, at in wanted.items():
            choose_by_key(key, at)
    memory()[APPLIED] = number, dict(wanted)
