"""Questions: a set from the first to the last, one by its address, and those of other pages."""

import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.exercises.draw import NEAREST, SET_SIZE
from explorer.exercises.facts import KINDS, Asked
from explorer.exercises.question import TOPICS, Answer, Question, as_typed
from explorer.languages import speaking
from explorer.markdown import literal
from tests.app.driving import (
    button,
    choose,
    components,
    memory_of,
    new_session,
    open_page,
    pictures,
    press,
    session_of,
    texts,
)

REVERSE: dict[str, Any] = {"weights": "reverse"}
# The small model is too sure of its words to be asked about doubt, and its words are short.
BY_TRANSLATOR = ("least_sure", "next_word", "longer_part")


def asked(at: AppTest) -> Asked:
    """The question on show."""
    chosen, found = session_of(at).chosen, memory_of(at)["predict"]["asked"]
    place = (chosen.get("topic", "all"), chosen.get("questions", 0), chosen.get("question", 1))
    one: Asked = found[place] if session_of(at).page == "predict" else list(found.values())[-1]
    return one


def question(at: AppTest) -> Question:
    return asked(at).worded()


def subheaders(at: AppTest) -> list[str]:
    return [line.value for line in at.subheader]


def widget(at: AppTest, kind: str) -> Any:
    """The widget for the answer."""
    (found,) = [one for one in at.get(kind) if one.key.startswith("answer_")]
    return found


def answer(at: AppTest, given: Answer) -> None:
    """Put an answer into the widget, and check it."""
    if isinstance(given, frozenset):
        (hint,) = [str(e.key) for e in at.expander if str(e.key).startswith("hint_")]
        memory_of(at)["predict"].setdefault("drafts", {})[hint.removeprefix("hint_")] = given
    elif question(at).form == "choice":
        widget(at, "radio").set_value(given)
    else:
        widget(at, "text_input").set_value(as_typed(given))
    press(at, "Check")


def wrong(one: Question) -> Answer:
    right: Any = one.right
    if one.form == "cells":
        return frozenset()
    if one.form == "choice":
        return (right + 1) % len(one.options)
    far = max(7, 2 * one.tolerance)
    return right + (math.ceil(far) if one.whole else far)


def answered(at: AppTest, topic: str = "all") -> dict[int, Any]:
    """What was answered, by the draws."""
    found: dict[int, Any] = memory_of(at)["predict"]["answers"][topic]
    return found


def test_ten_questions_from_the_first_to_the_last() -> None:
    at = open_page("predict", **REVERSE)
    kinds = []
    for number in range(1, SET_SIZE + 1):
        assert f"Question {number} of {SET_SIZE}" in at.get("progress")[0].proto.text
        right = number % 3 != 0
        kinds.append(asked(at).kind)
        answer(at, question(at).right if right else wrong(question(at)))
        assert answered(at)[number - 1].result().grade.is_right == right
        assert button(at, "Check").disabled
        assert at.query_params["kind"] == kinds[-1]
        press(at, "See how it went" if number == SET_SIZE else "Next question")
        assert at.query_params["question"] == str(number + 1)
    assert len(set(kinds)) == SET_SIZE
    assert subheaders(at)[-1] == "7 of 10 right"
    repeats = {b.key for b in at.button if b.key and b.key.startswith("repeat_")}
    assert repeats == {"repeat_3", "repeat_6", "repeat_9"}
    at.button(key="repeat_6").click().run()
    assert 5 not in answered(at)
    assert asked(at).kind == kinds[5]
    answer(at, question(at).right)
    assert answered(at)[5].result().grade.is_right


def test_an_address_asks_the_same_in_another_session() -> None:
    link = {"questions": "123456", "topic": "attention", "question": "3", **REVERSE}
    at = open_page("predict", **link)
    saved = dict(at.query_params)
    assert link.items() <= saved.items()
    assert saved["kind"] == asked(at).kind
    for address in (saved, {**saved, "topic": "why"}):  # whatever the set may ask by then
        other = new_session(**address)
        other.switch_page("pages/predict.py")
        assert asked(other.run()) == asked(at)
        assert other.query_params["kind"] == saved["kind"]
        assert subheaders(other)[-1] == subheaders(at)[-1]


@pytest.mark.parametrize("gone", ["hotter", "contributes_most", "logits_shape"])
def test_a_link_to_a_kind_that_is_gone_asks_the_nearest_one(gone: str) -> None:
    at = open_page("predict", kind=gone, weights="translator")
    assert asked(at).kind == at.query_params["kind"] == NEAREST[gone]
    assert f"kind={gone}" in texts(at).replace("\\", "")
    assert f"{NEAREST[gone]} is used" in texts(at).replace("\\", "")


def test_another_set_or_topic_begins_at_its_first_question() -> None:
    at = open_page("predict", another_set=True, question=4, questions=7, **REVERSE)
    at.button(key="new_set").click().run()
    assert at.query_params["questions"] == "8"
    assert "question" not in at.query_params
    first = asked(at)
    at.text_input(key="questions").set_value("9").run()
    assert asked(at) != first
    at.selectbox(key="topic").set_value("why").run()
    assert KINDS[asked(at).kind].topic == "why"
    assert "Question 1 of 2" in at.get("progress")[0].proto.text


def test_the_answer_on_top_appears_once_it_gives_nothing_away() -> None:
    at = open_page("predict", kind="next_word", weights=None)
    assert "answer_pieces" not in components(at)
    answer(at, question(at).right)
    assert "answer_pieces" in components(at)
    # A kind that has nothing to ask about the sentence is left out.
    at = open_page("predict", src="one two three one", **REVERSE)
    for _ in range(SET_SIZE):
        gives_away = KINDS[asked(at).kind].topic == "decoding"
        assert gives_away == ("answer_pieces" not in components(at)), asked(at).kind
        at.button(key=f"next_{at.query_params.get('question', '1')}").click().run()


def test_typed_targets_stay_on_show() -> None:
    at = open_page("predict", topic="decoding", typed_target=True, **REVERSE)
    assert at.text_input(key="tgt").value


def test_without_an_answer_nothing_is_checked() -> None:
    at = open_page("predict", topic="steps", **REVERSE)
    press(at, "Check")
    assert not answered(at, "steps")
    assert "Answer first" in texts(at)
    assert button(at, "Look at it").disabled
    at.run()
    assert "Answer first" not in texts(at)


def test_another_sentence_gives_another_question_and_keeps_what_was_answered() -> None:
    at = open_page("predict", kind="score", src="one two three", **REVERSE)
    first = question(at)
    answer(at, wrong(first))
    assert "earlier sentence or model" not in texts(at)
    at.text_input(key="src").set_value("four five six seven one nine").run()
    assert asked(at).kind == "score"
    assert question(at).text != first.text
    assert subheaders(at)[-1] == literal(first.text)
    assert "earlier sentence or model" in texts(at)
    press(at, "Next question")
    assert "earlier sentence or model" not in texts(at)
    assert subheaders(at)[-1] == literal(question(at).text)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_answered_and_compared(kind: str) -> None:
    weights = "translator" if kind in BY_TRANSLATOR else "reverse"
    at = open_page("predict", kind=kind, weights=weights)
    one = question(at)
    assert one.kind == kind
    answer(at, wrong(one))
    assert not answered(at)[0].result().grade.is_right
    if one.form == "choice":
        options = widget(at, "radio").options
        signs = [option.partition(" ")[0] for option in options]
        assert [n for n, sign in enumerate(signs) if sign == "**✓"] == [one.right]
        assert [n for n, sign in enumerate(signs) if sign == "**✗"] == [wrong(one)]
        ends = {option.rpartition(" · ")[2] for option in options if option.startswith("**")}
        assert ends == {"the right answer", "your answer"}
    assert ("compared" in components(at)) == bool(one.bars)
    assert ("computed_mask" in components(at)) == (one.mask is not None)
    for picture in pictures(at).values():
        assert len(picture["alt"]) > 15
    assert literal(one.explanation) in texts(at)


@pytest.mark.parametrize("form", ["choice", "number"])
def test_an_answer_that_is_checked_at_once_stays(form: str) -> None:
    """The answer and the click on the button come in one request."""
    at = open_page("predict", kind="reason" if form == "choice" else "score", **REVERSE)
    kind, given = ("radio", 1) if form == "choice" else ("text_input", "7")
    widget(at, kind).set_value(given)
    press(at, "Check")
    for _ in range(2):
        assert widget(at, kind).disabled
        assert widget(at, kind).value == given
        press(at, "Look at it")
        press(at, "Back to the question")


def test_a_wrong_cell_a_missed_one_and_a_right_one_have_signs() -> None:
    at = open_page("predict", kind="cross_row", **REVERSE)
    one = question(at)
    right: Any = one.right
    assert one.grid is not None
    last = len(one.grid.columns) - 1  # PAD
    answer(at, (right - {(0, 0)}) | {(0, last)})
    sent = components(at)["answer_cells"]
    marks = {(row, column): (word, sign) for row, column, _, sign, word in sent["marks"]}
    assert marks[0, 0] == ("missed", "○")
    assert marks[0, last] == ("too much", "✗")
    assert marks[min(right - {(0, 0)})] == ("right", "✓")
    assert not sent["open"]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_asks_about_itself(topic: str) -> None:
    at = open_page(topic, drawer="ask_me", **REVERSE)
    first = asked(at)
    assert KINDS[first.kind].topic == topic
    assert literal(question(at).text) in subheaders(at)
    answer(at, wrong(question(at)))
    press(at, "Look at it")
    assert session_of(at).page == topic
    assert first.facts.look.items() <= session_of(at).chosen.items()
    assert not [one for one in at.button if one.label == "Back to the question"]
    press(at, "Another question")
    assert KINDS[asked(at).kind].topic == topic
    assert asked(at).draw == first.draw + 1


@pytest.mark.parametrize("topic", TOPICS)
def test_look_at_it_opens_the_page_that_shows_the_answer(topic: str) -> None:
    at = open_page("predict", topic=topic, questions=2, **REVERSE)
    one = asked(at)
    answer(at, wrong(question(at)))
    press(at, "Look at it")
    assert session_of(at).page == topic
    for name, choice in one.facts.look.items():
        assert session_of(at).chosen[name] == choice
        if name in ("layer", "head") and topic in ("attention", "steps"):
            assert session_of(at).on_show[name] == choice
    button(at, "Back to the question").click().run()
    assert session_of(at).page == "predict"
    assert literal(one.worded().text) in subheaders(at)
    assert not [there for there in at.button if there.label == "Back to the question"]


def test_answered_questions_change_their_language_with_the_page() -> None:
    at = open_page("predict", kind="reason", **REVERSE)
    english = question(at)
    answer(at, wrong(english))
    choose(at, lang="de").run()
    with speaking("de"):
        german = question(at)
    assert german.text != english.text
    assert subheaders(at)[-1] == literal(german.text)
    assert literal(german.explanation) in texts(at)


@pytest.mark.parametrize(
    ("asks", "kind", "typed"), [("reason", "radio", 1), ("score", "text_input", "7")]
)
def test_an_answer_that_is_not_checked_yet_outlives_a_change_of_the_language(
    asks: str, kind: str, typed: int
) -> None:
    at = open_page("predict", kind=asks, **REVERSE)
    widget(at, kind).set_value(typed).run()
    choose(at, lang="de").run()
    assert widget(at, kind).label.startswith("Ihre Antwort")
    assert widget(at, kind).value == typed
