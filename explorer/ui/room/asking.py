"""A question for everybody: the answers as they come in, and the right one for all at once."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import streamlit as st

from explorer.choices.parameters import Frame, Predict
from explorer.exercises.draw import SET_SIZE
from explorer.exercises.facts import KINDS
from explorer.exercises.question import Answer, Question, Result, as_typed, in_words
from explorer.export.tables import DecimalSign
from explorer.languages import tr
from explorer.markdown import literal
from explorer.rooms import questions
from explorer.rooms.hub import hub, question_of
from explorer.rooms.member import Member
from explorer.rooms.questions import tally
from explorer.rooms.room import Activity, Room, RoomError
from explorer.ui.components.csv_button import csv_button
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.send_button import send_button
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import value
from explorer.ui.controls.weights import weights_in_words
from explorer.ui.frame.page import heading
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import held, memory, session
from explorer.ui.predict.answering import UNANSWERED, given, say_if_unanswered, show_answer
from explorer.ui.predict.sets import drafts
from explorer.ui.predict.showing import show_comparison
from explorer.ui.room.place import (
    change_room,
    leads,
    room_on_show,
    set_message,
    this_member,
)
from explorer.views.room import answers_picture

Others = Mapping[str, Question]  # by language
PROJECTOR = "room_projector"


def show_ask_button(question: Question, source: str, others: Callable[[], Others]) -> None:
    """Put this question to the room, if this window leads one.

    `others` has it in all other languages.
    """
    member, room = this_member(), room_on_show()
    if member is None or room is None or room.closed or not leads(member, room):
        return
    button(
        tr("Ask the room"),
        icon=":material/groups:",
        key="ask_room",
        on_click=_ask,
        args=(member, question, source, others, room.activities),
    )


def _ask(
    member: Member, question: Question, source: str, others: Callable[[], Others], activities: int
) -> None:
    data, weights = questions.to_json(question, others()), value(Frame.weights)
    change_room(
        member,
        lambda now: now.begin(after=activities, question=data, source=source, weights=weights),
    )
    with suppress(RoomError):
        hub().keep_question(member)
    open_page("room")


def show_question(member: Member, room: Room) -> None:
    """The question that the room is asked: to answer, or with everybody's answers."""
    activity, question = room.activity, question_of(room)
    if activity is None or question is None:
        return
    leading = leads(member, room)
    about = tr("About: *{source}*", source=literal(activity.source))
    weights = literal(weights_in_words(activity.weights))
    heading(literal(question.text), f"{about} · {weights}", typed=True)
    if leading:
        _show_teachers_buttons(member, activity)
    elif not activity.revealed:
        _show_widget(member, activity, question)
    if activity.revealed:
        _show_right(member, activity, question, leading=leading)
    if leading or activity.revealed:
        _show_answers(member, activity, question)


def hides_answer_of_room() -> bool:
    """Whether the model's answer on top would give away what the room is asked."""
    room = room_on_show()
    if session().page != "room" or room is None or not room.is_open:
        return False
    question = question_of(room)
    kind = None if question is None else KINDS.get(question.kind)
    return kind is not None and kind.topic == "decoding"


def _show_teachers_buttons(member: Member, activity: Activity) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="room_question"):
        button(
            tr("Show the answer"),
            icon=":material/visibility:",
            type="secondary" if activity.revealed else "primary",
            disabled=activity.revealed,
            key="room_reveal",
            on_click=change_room,
            args=(member, lambda now: now.revealed(activity.number)),
        )
        st.toggle(
            tr("Projector view"),
            (shown := bool(memory().get(PROJECTOR))),
            key=held(PROJECTOR, shown, partial(memory().__setitem__, PROJECTOR)),
            help=tr("Large, and without the answers until you show the right one."),
        )
        button(
            tr("Back to the questions"),
            icon=":material/quiz:",
            key="room_next",
            on_click=_go_on,
            args=(member, activity.number),
        )


def _go_on(member: Member, number: int) -> None:
    """End this question, and go on to the next."""
    change_room(member, lambda now: now.ended(number))
    open_page("predict", question=min(value(Predict.question), SET_SIZE) + 1, kind=None)


def _show_widget(member: Member, activity: Activity, question: Question) -> None:
    key, sent = _key_of(activity), _own_answer(member, activity, question)
    if sent is not None and key not in drafts():  # from before a reload
        drafts()[key] = (
            sent if isinstance(sent, frozenset) or question.form == "choice" else as_typed(sent)
        )
    show_answer(question, key, None, keep=f"{member.code} {activity.number}")
    is_sent = sent is not None and given(question, key) == sent
    send_button(
        f"room_send_{activity.number}",
        again=sent is not None,
        is_sent=is_sent,
        on_send=partial(_send, member, activity, question),
    )
    if say_if_unanswered(question, key) or sent is None:
        return
    answer = literal(in_words(question, sent))
    if is_sent:
        st.success(
            tr(
                "Sent, without your name: {answer}. You can change it until the right answer is "
                "shown.",
                answer=answer,
            ),
            icon=":material/check:",
        )
    else:
        st.warning(
            tr(
                "You have changed your answer, and not sent it yet. Sent is: {answer}.",
                answer=answer,
            ),
            icon=":material/edit:",
        )


def _key_of(activity: Activity) -> str:
    """The key of the widget: that of no other question."""
    return f"answer_room_{activity.number}"


def _send(member: Member, activity: Activity, question: Question) -> None:
    answer = given(question, _key_of(activity))
    data = None if answer is None else questions.write_answer(question, answer)
    if data is None:
        memory()[UNANSWERED] = _key_of(activity)
        return
    try:
        hub().answer(member, activity.number, data)
    except RoomError as error:
        set_message(str(error))


def _own_answer(member: Member, activity: Activity, question: Question) -> Answer | None:
    """This person's answer from any of their windows, also from before a reload."""
    data = None
    with suppress(RoomError):  # the line on top shows it
        data = hub().own_answer(member, activity.number)
    return None if data is None else questions.read_answer(question, data)


def _show_right(member: Member, activity: Activity, question: Question, *, leading: bool) -> None:
    """The right answer and why it is right, compared with what this person has sent."""
    sent = None if leading else _own_answer(member, activity, question)
    with st.container(key="room_right"):
        right = literal(in_words(question, question.right))
        st.markdown(tr("**Right: {answer}**", answer=right))
        if sent is not None:
            st.markdown(tr("Your answer: {answer}", answer=literal(in_words(question, sent))))
    if sent is None:
        if not leading:
            st.markdown(tr("You have sent no answer."))
        st.markdown(literal(question.explanation))
        return
    result = Result(question=question, answer=sent)
    if question.form == "cells":
        show_answer(question, _key_of(activity), result)
    show_comparison(result)


def _show_answers(member: Member, activity: Activity, question: Question) -> None:
    """Everybody's answers."""
    answers = _answers(member, activity, question)
    result = tally(question, answers)
    people, _ = hub().people(member.code)
    counts = tr(
        "**{n}** answered, of {people} in the room",
        n=result.people,
        people=max(people, result.people),
    )
    if activity.revealed:
        counts += " · " + tr("**{n} right**", n=result.right)
    st.markdown(counts)
    if not activity.revealed and memory().get(PROJECTOR):
        _show_form(question)
        return
    live_plot(answers_picture(question, result, revealed=activity.revealed))
    if member.secret:
        show_saving(member)


def _show_form(question: Question) -> None:
    """The possible answers without the counts, so that nobody is influenced."""
    if question.form == "choice":
        with st.container(key="room_options"):
            st.markdown("\n".join(f"- {literal(option)}" for option in question.options))
    elif question.grid is not None:
        live_plot(answers_picture(question, tally(question, []), revealed=False))


def show_saving(member: Member) -> None:
    """A button that saves the answers to all questions of the lesson."""
    with st.container(key="room_saving"):
        label, file = tr("Save all answers as CSV"), "room-answers.csv"
        csv_button(label, partial(_csv, member), file, key="room_csv")


def _csv(member: Member, decimal: DecimalSign) -> bytes:
    return questions.as_csv(hub().results(member), decimal)


def _answers(member: Member, activity: Activity, question: Question) -> list[Answer]:
    kept = {}
    with suppress(RoomError):  # the line on top shows it
        kept = hub().answers(member, activity.number)
    read = (questions.read_answer(question, data) for data in kept.values())
    return [answer for answer in read if answer is not None]
