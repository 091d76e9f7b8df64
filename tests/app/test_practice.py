"""The page of questions: a set from the first question to the last."""

import csv
import io
import math
import zlib
from functools import cache
from gettext import NullTranslations
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer import languages
from explorer.exercises.draw import KINDS
from explorer.exercises.question import SET_SIZE, TOPICS, Answer, Question, as_typed
from explorer.exercises.results import as_csv
from explorer.ui.markdown import literal
from explorer.ui.practice import session
from explorer.ui.practice.places import choices_for
from tests.app.driving import (
    button,
    choose,
    components,
    memory_of,
    open_page,
    pictures,
    press,
    session_of,
    state_of,
    texts,
)

REVERSE: dict[str, Any] = {"weights": "reverse"}
BY_TRANSLATOR = (
    *("least_sure", "hotter", "from_logits", "next_word", "log_probability", "job_of_head"),
    "longer_part",
)


def questions(at: AppTest) -> list[Question]:
    return memory_of(at)["practice"]["drawn"].questions


def widget(at: AppTest, kind: str) -> Any:
    """The widget for the answer."""
    (found,) = [w for w in at.get(kind) if w.key.startswith("answer_")]
    return found


def answer(at: AppTest, question: Question, given: Any) -> None:
    """Put an answer into the widget, and check it."""
    if question.form == "cells":
        drafts = memory_of(at)["practice"].setdefault("drafts", {})
        drafts[key(at, question)] = given
    elif question.form == "choice":
        widget(at, "radio").set_value(given)
    else:
        widget(at, "text_input").set_value(as_typed(given))
    press(at, "Check")


def key(at: AppTest, question: Question) -> str:
    """The key under which the answer to a question is kept."""
    chosen = session_of(at).chosen
    seed, topic = chosen.get("questions", 0), chosen.get("topic", "all")
    level = chosen.get("level", "tour")
    number = chosen.get("question", 1)
    about = memory_of(at)["practice"]["drawn"].about[number - 1]
    asked = repr((question.kind, about)).encode()
    return f"answer_{seed}_{topic}_{level}_{number}_{zlib.crc32(asked):08x}"


def wrong(question: Question) -> Answer:
    right: Any = question.right
    if question.form == "cells":
        return frozenset()
    if question.form == "choice":
        return (right + 1) % len(question.options)
    if question.form == "shape":
        return (*right, 1)
    far = max(7, 2 * question.tolerance)
    return right + (math.ceil(far) if question.whole else far)


def results(at: AppTest) -> dict[int, Any]:
    (found,) = memory_of(at)["practice"]["results"].values()
    return found


def test_ten_questions_from_the_first_to_the_last() -> None:
    at = open_page("practice", **REVERSE)
    for number, question in enumerate(list(questions(at)), start=1):
        assert f"Question {number} of {SET_SIZE}" in at.get("progress")[0].proto.text
        right = number % 3 != 0
        answer(at, question, question.right if right else wrong(question))
        assert results(at)[number].grade.is_right == right
        assert button(at, "Check").disabled
        assert at.query_params["weights"] == "reverse"
        press(at, "See how it went" if number == SET_SIZE else "Next question")
        assert at.query_params["question"] == str(number + 1)
    assert any(line.value == "7 of 10 right" for line in at.subheader)
    assert {b.key for b in at.button if b.key and b.key.startswith("repeat_")} == {
        "repeat_3",
        "repeat_6",
        "repeat_9",
    }


def test_the_end_gives_a_file_and_a_question_can_be_repeated() -> None:
    at = open_page("practice", topic="steps", questions=4, **REVERSE)
    first = questions(at)[0]
    answer(at, first, wrong(first))
    choose(at, question=len(questions(at)) + 1)
    at.run()
    (save,) = at.get("download_button")
    assert save.proto.label == "Save results"
    result = results(at)[1]
    rows = list(csv.reader(io.StringIO(as_csv([(1, result)]).decode("utf-8-sig"))))
    assert rows[1][:3] == ["1", "steps", first.text]
    assert rows[1][5] == "not right"
    at.button(key="repeat_1").click().run()
    assert 1 not in results(at)
    answer(at, first, first.right)
    assert results(at)[1].grade.is_right


def test_the_address_keeps_the_set_the_topic_and_the_number() -> None:
    link = {"questions": "123456", "topic": "attention", "question": "3", "weights": "reverse"}
    at = open_page("practice", **link)
    assert link.items() <= at.query_params.items()
    other = open_page("practice", **link)
    assert questions(other) == questions(at)
    assert any(s.value == o.value for s, o in zip(at.subheader, other.subheader, strict=True))
    at.text_input(key="questions").set_value("7").run()
    assert "question" not in at.query_params  # the first one
    assert questions(at) != questions(other)
    at.button(key="new_set").click().run()
    assert at.query_params["questions"] == "8"


def test_without_an_answer_nothing_is_checked() -> None:
    at = open_page("practice", topic="steps", **REVERSE)
    press(at, "Check")
    assert not results(at)
    assert "Answer first" in texts(at)
    assert button(at, "Look at it").disabled
    at.run()
    assert "Answer first" not in texts(at)


def test_another_sentence_gives_other_questions_and_keeps_what_was_answered() -> None:
    at = open_page("practice", topic="steps", questions=1, src="one two three", **REVERSE)
    number = next(n for n, q in enumerate(questions(at), 1) if "“" in q.text)
    choose(at, question=number)
    at.run()
    first = questions(at)[number - 1]
    answer(at, first, wrong(first))
    assert "earlier sentence or model" not in texts(at)
    at.text_input(key="src").set_value("four five six seven one nine").run()
    assert questions(at)[number - 1] != first
    assert results(at)[number].question == first
    assert literal(first.text) in [found.value for found in at.subheader]
    assert "earlier sentence or model" in texts(at)
    press(at, "Next question")
    assert "earlier sentence or model" not in texts(at)
    assert literal(questions(at)[number].text) in [found.value for found in at.subheader]


@cache
def kinds_of(topic: str, level: str, seed: int, weights: str) -> list[str]:
    """The kinds of the questions of a set."""
    at = open_page("practice", topic=topic, level=level, questions=seed, weights=weights)
    return [question.kind for question in questions(at)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_answered_and_compared(kind: str) -> None:
    # The small model is too sure of its words to be asked about doubt, and its words are short.
    weights = "translator" if kind in BY_TRANSLATOR else "reverse"
    topic, level = KINDS[kind].topic, KINDS[kind].level
    seed = next(n for n in range(12) if kind in kinds_of(topic, level, n, weights))
    number = kinds_of(topic, level, seed, weights).index(kind) + 1
    asked = {"topic": topic, "level": level, "questions": seed, "question": number}
    at = open_page("practice", weights=weights, **asked)
    question = questions(at)[number - 1]
    answer(at, question, wrong(question))
    assert not results(at)[number].grade.is_right
    drawn = components(at)
    if question.form == "choice":
        right, given = question.right, wrong(question)
        signs = [option.partition(" ")[0] for option in widget(at, "radio").options]
        assert [at for at, sign in enumerate(signs) if sign == "**✓"] == [right]
        assert [at for at, sign in enumerate(signs) if sign == "**✗"] == [given]
    else:
        assert drawn.keys() & {"answer_cells", "compared", "compared_shapes"}
    for picture in pictures(at).values():
        assert len(picture["alt"]) > 15


@pytest.mark.parametrize("form", ["choice", "number"])
def test_an_answer_that_is_checked_at_once_stays(form: str) -> None:
    """The answer and the click on the button come in one request."""
    asked = questions(open_page("practice", **REVERSE))
    number = next(n for n, question in enumerate(asked, start=1) if question.form == form)
    at = open_page("practice", question=number, **REVERSE)
    kind, given = ("radio", 1) if form == "choice" else ("text_input", "7")
    widget(at, kind).set_value(given)
    press(at, "Check")
    for _ in range(2):
        assert widget(at, kind).disabled
        assert widget(at, kind).value == given
        press(at, "Look at it")
        press(at, "Back to the question")


def test_a_checked_option_shows_its_mark() -> None:
    at = open_page("practice", topic="positions", **REVERSE)
    question = questions(at)[0]
    options = [literal(option) for option in question.options]
    answer(at, question, wrong(question))
    signs = dict.fromkeys(range(len(options)), "") | {
        question.right: "the right answer",
        wrong(question): "your answer",
    }
    for at_, (shown, option) in enumerate(zip(widget(at, "radio").options, options, strict=True)):
        assert option in shown
        assert shown.rpartition(" · ")[2] == (signs[at_] or option)


def test_a_wrong_cell_a_missed_one_and_a_right_one_have_signs() -> None:
    for seed in range(12):
        at = open_page("practice", topic="masks", questions=seed, **REVERSE)
        found = [n for n, q in enumerate(questions(at), 1) if q.kind == "target_row"]
        rights: list[Any] = [q.right for q in questions(at) if q.kind == "target_row"]
        if found and 2 <= len(rights[0]) < len(questions(at)[found[0] - 1].grid.columns):
            break
    choose(at, question=found[0])
    at.run()
    question = questions(at)[found[0] - 1]
    last = len(question.grid.columns) - 1
    right: Any = question.right
    answer(at, question, (right - {(0, 0)}) | {(0, last)})
    sent = components(at)["answer_cells"]
    marks = {(row, column): (word, sign) for row, column, _, sign, word in sent["marks"]}
    assert marks[0, 0] == ("missed", "○")
    assert marks[0, last] == ("too much", "✗")
    assert marks[min(right - {(0, 0)})] == ("right", "✓")
    assert not sent["open"]


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_a_page_that_leads_here(topic: str) -> None:
    at = open_page(topic, **REVERSE)
    assert at.button(key="predict_first").label.startswith("Predict first: test yourself on ")
    at.button(key="predict_first").click().run()


def test_a_model_without_a_decoder_has_nothing_to_ask_about_decoding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "draw", lambda *given: [])
    at = open_page("practice", topic="decoding", **REVERSE)
    assert "nothing to ask about decoding" in texts(at)


def test_typed_text_is_shown_as_typed() -> None:
    at = open_page("practice", topic="masks", **state_of([("<b>x</b> **y** $z$ `q`", "a <i> b")]))
    for line in at.subheader:
        assert "<b>" not in line.value


@pytest.mark.parametrize("topic", TOPICS)
def test_look_at_it_opens_the_page_that_shows_the_answer(topic: str) -> None:
    at = open_page("practice", topic=topic, questions=2, **REVERSE)
    question = questions(at)[0]
    answer(at, question, wrong(question))
    press(at, "Look at it")
    assert at.button(key="predict_first")  # it is a page of the topic
    for name, choice in choices_for(question).items():
        assert session_of(at).chosen[name] == choice
    focus = question.focus
    if topic in ("attention", "steps") and focus.layer is not None:
        assert at.selectbox(key="layer").value == focus.layer + 1
    button(at, "Back to the question").click().run()
    assert not at.exception
    assert session_of(at).page == "practice"
    assert literal(question.text) in [there.value for there in at.subheader]
    assert not [there for there in at.button if there.label == "Back to the question"]


class Marked(NullTranslations):
    """A catalogue that marks what it has been asked for."""

    def gettext(self, text: str) -> str:
        return f"¿{text}?"

    def ngettext(self, one: str, many: str, n: int) -> str:
        return f"¿{one if n == 1 else many}?"


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """All languages but English are marked English."""
    catalogue = languages._Catalogue(Marked(), languages._Fill(",."))
    monkeypatch.setattr(languages, "_catalogue", lambda language: catalogue)


@pytest.mark.usefixtures("marked")
def test_answered_questions_change_their_language_with_the_page() -> None:
    at = open_page("practice", questions=3, **REVERSE)
    english = list(questions(at))
    answer(at, english[0], wrong(english[0]))
    choose(at, lang="es")
    at.run()
    translated = questions(at)
    assert [(q.kind, q.right, q.focus) for q in translated] == [
        (q.kind, q.right, q.focus) for q in english
    ]
    assert all("¿" in q.text for q in translated)
    assert results(at)[1].question == translated[0]
    assert results(at)[1].answer == wrong(english[0])
    assert "earlier sentence or model. It stays" not in texts(at)
    choose(at, lang=None)
    languages.speak("es")  # AppTest writes the options of menus itself
    at.run()
    assert questions(at) == english
    assert results(at)[1].question == english[0]


@pytest.mark.parametrize(
    ("form", "kind", "typed"), [("choice", "radio", 1), ("number", "text_input", "7")]
)
def test_an_answer_that_is_not_checked_yet_outlives_a_change_of_the_language(
    form: str, kind: str, typed: int
) -> None:
    asked = questions(open_page("practice", **REVERSE))
    number = next(n for n, question in enumerate(asked, start=1) if question.form == form)
    at = open_page("practice", question=number, **REVERSE)
    widget(at, kind).set_value(typed).run()
    choose(at, lang="de").run()
    assert widget(at, kind).label.startswith("Ihre Antwort")
    assert widget(at, kind).value == typed


@pytest.mark.usefixtures("marked")
def test_a_question_about_an_earlier_sentence_changes_its_language_too() -> None:
    at = open_page("practice", questions=3, **REVERSE)
    choose(at, src="e d c b a").run()  # the question on show follows, the others wait
    choose(at, lang="es").run()
    languages.speak("es")  # AppTest writes the options of menus itself
    choose(at, src=None, question=2).run()
    assert "¿" in questions(at)[1].text


def test_the_first_level_is_about_the_tour() -> None:
    at = open_page("practice", **REVERSE)
    assert at.selectbox(key="level").value == "tour"
    assert {KINDS[question.kind].level for question in questions(at)} == {"tour"}
    at.selectbox(key="level").set_value("builders").run()
    assert at.query_params["level"] == "builders"
    assert {KINDS[question.kind].level for question in questions(at)} == {"builders"}
