"""The questions that everybody in a room answers at the same time."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.exercises.question import Question, as_typed
from explorer.languages import speak
from explorer.markdown import literal
from explorer.rooms.hub import question_of
from explorer.rooms.member import Stance
from tests.app.driving import (
    choose,
    components,
    memory_of,
    new_session,
    pictures,
    session_of,
    texts,
)
from tests.app.rooming import address, go_to, join, lead, member_of, redraw, room_of, send

pytestmark = pytest.mark.usefixtures("no_other_rooms")


KEY = "answer_room_1"  # of the field for the answer to a room's first question


def asked(kind: str) -> tuple[AppTest, AppTest, Question]:
    """A question put to the room: the teacher, a follower, and what was asked."""
    teacher = lead(weights="reverse")
    follower = join(teacher)
    session_of(teacher).chosen["kind"] = kind
    go_to(teacher, "predict")
    teacher.button(key="ask_room").click().run()
    redraw(follower)
    room = room_of(teacher)
    question = question_of(room)
    assert question is not None
    assert follower.title[0].value
    return teacher, follower, question


@pytest.mark.parametrize("kind", ["cross_row", "scores_shape", "attention_parameters"])
def test_a_question_for_everybody(kind: str) -> None:
    teacher, follower, question = asked(kind)
    if question.form == "cells":
        assert isinstance(question.right, frozenset)
        assert "answer_cells" in components(follower)
        memory_of(follower)["predict"].setdefault("drafts", {})[KEY] = question.right
    elif question.form == "choice":
        follower.radio(key=KEY).set_value(question.right)
    else:
        assert not isinstance(question.right, frozenset)
        follower.text_input(key=KEY).set_value(as_typed(question.right))
    assert "Right:" not in texts(follower)
    send(redraw(follower))
    assert "without your name" in follower.success[0].value
    assert "room_answers" not in components(follower)  # nobody sees the others' before the end
    redraw(teacher)
    assert "question asked" in texts(teacher)
    assert "**1** answered" in texts(teacher)
    assert "right**" not in texts(teacher)
    teacher.button(key="room_reveal").click().run()
    redraw(follower)
    for at in (teacher, follower):
        assert "**1 right**" in texts(at)
        assert "Right:" in texts(at)
        assert ("Your answer:" in texts(at)) == (at is follower)
        assert "sent no answer" not in texts(at)
        assert (":material/check:" in texts(at)) == (at is follower)
        assert "room_answers" in pictures(at)
        shown = texts(at)
        assert shown.index(literal(question.explanation)) < shown.index("**1** answered")
    (saved,) = (b for b in teacher.get("download_button") if "room_csv" in b.proto.id)
    assert not any("room_csv" in b.proto.id for b in follower.get("download_button"))
    assert saved.proto.label == "Save all answers as CSV"


def test_without_an_answer_nothing_is_sent_and_the_end_says_so() -> None:
    teacher, follower, _ = asked("without_positions")
    send(follower)
    assert "Answer first" in texts(follower)
    assert not follower.success
    follower.run()
    assert "Answer first" not in texts(follower)
    redraw(teacher).button(key="room_reveal").click().run()
    assert "sent no answer" in texts(redraw(follower))
    assert "sent no answer" not in texts(teacher)


def test_an_answer_that_was_changed_is_not_sent_yet_and_what_was_sent_comes_back() -> None:
    teacher, follower, question = asked("without_positions")
    other = 1 - question.right
    follower.radio(key=KEY).set_value(question.right).run()
    assert not send(follower).warning
    follower.radio(key=KEY).set_value(other).run()
    assert "not sent it yet" in follower.warning[0].value
    assert literal(question.options[question.right]) in follower.warning[0].value
    again = new_session(room=member_of(teacher).code)  # the same person, after a reload
    memory_of(again)["room_person"] = memory_of(follower)["room_person"]
    again.run()
    assert again.radio(key=KEY).value == question.right
    assert again.success
    send(follower)
    assert not follower.warning
    assert redraw(again).warning  # there the earlier one stands


@pytest.mark.parametrize(("kind", "hidden"), [("passes", True), ("reason", False)])
def test_the_answer_on_top_gives_nothing_away(kind: str, hidden: bool) -> None:
    teacher, follower, _ = asked(kind)
    for at in (redraw(teacher), follower):
        assert ("answer_pieces" in components(at)) != hidden
    teacher.button(key="room_reveal").click().run()
    for at in (teacher, redraw(follower)):
        assert "answer_pieces" in components(at)


def test_the_projector_shows_what_can_be_answered_and_not_what_was() -> None:
    teacher, follower, question = asked("without_positions")
    assert question.form == "choice"
    follower.radio(key=KEY).set_value(question.right).run()
    send(follower)
    redraw(teacher).toggle(key="room_projector").set_value(True).run()
    shown = texts(teacher)
    assert "**1** answered" in shown
    assert all(f"- {literal(option)}" in shown for option in question.options)
    assert "room_answers" not in pictures(teacher)
    teacher.button(key="room_reveal").click().run()
    assert "room_answers" in pictures(teacher)


def test_the_line_on_top_leads_to_a_question_as_long_as_it_can_be_answered() -> None:
    teacher, follower, _ = asked("reason")
    follower.button(key="room_explore").click().run()
    go_to(follower, "masks")
    follower.button(key="room_activity")
    redraw(teacher).button(key="room_reveal").click().run()
    redraw(follower)
    assert not any(button.key == "room_activity" for button in follower.button)


def test_back_to_the_questions_ends_this_one() -> None:
    teacher, _, _ = asked("reason")
    redraw(teacher).button(key="room_next").click().run()
    room = room_of(teacher)
    assert room.activity is None
    assert address(teacher)[0] == room.page == "predict"
    assert address(teacher)[1]["question"] == "2"
    assert address(go_to(teacher, "room"))[0] == "room"
    assert any("room_csv" in b.proto.id for b in teacher.get("download_button"))


def test_a_question_names_its_model_and_once_answered_goes_with_it() -> None:
    teacher, follower, question = asked("reason")
    assert " · reverse" in texts(follower)
    choose(teacher, weights="copy").run()
    redraw(follower)
    for at in (teacher, follower):
        assert at.title[0].value == literal(question.text)
        assert " · reverse" in texts(at)
    teacher.button(key="room_reveal").click().run()
    assert "Right:" in texts(redraw(follower))
    choose(teacher, weights="sort").run()
    for at in (redraw(teacher), redraw(follower)):
        assert at.title[0].value != literal(question.text)
        assert "Right:" not in texts(at)
    assert any("room_csv" in b.proto.id for b in teacher.get("download_button"))


def test_everybody_reads_in_a_language_of_their_own() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher, lang="ko")
    before = room_of(teacher)
    session_of(teacher).chosen["lang"] = "es"
    teacher.run()
    after = room_of(teacher)
    assert after.version == before.version  # nobody's page has to be opened
    speak("es")  # AppTest writes the options of menus itself
    go_to(teacher, "masks")
    speak("ko")
    redraw(follower)
    assert address(follower)[0] == "masks"
    assert address(teacher)[1]["lang"] == "es"
    assert address(follower)[1]["lang"] == "ko"
    session_of(follower).chosen["lang"] = "fr"
    redraw(follower)
    assert member_of(follower).stance is Stance.FOLLOWING
    assert address(follower)[1]["lang"] == "fr"
    assert "lang" not in str(after.params)


def test_a_question_is_read_in_the_reader_s_own_language() -> None:
    teacher, follower, english = asked("attention_parameters")
    session_of(follower).chosen["lang"] = "de"
    redraw(follower)
    speak("de")
    german = question_of(room_of(teacher))
    assert german is not None
    assert (english.kind, english.right) == (german.kind, german.right)
    assert teacher.title[0].value == literal(english.text)
    assert follower.title[0].value == literal(german.text) != literal(english.text)
