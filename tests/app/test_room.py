"""A teacher and those who follow, each in a session of their own, in one process."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks.redis_server import own_redis, until
from explorer.exercises.question import Question
from explorer.languages import speak
from explorer.rooms.board import Curve, Setting
from explorer.rooms.hub import question_of
from explorer.rooms.members import Member
from explorer.rooms.room import Room
from explorer.runtime import engine
from explorer.ui import internals
from explorer.ui.markdown import literal
from explorer.ui.registry import PAGES
from explorer.ui.room import leading, place
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import APP, components, open_page, pictures, texts


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Rooms of this test only; it runs each page itself."""
    monkeypatch.setattr(internals, "draw_again", lambda session, part: False)
    monkeypatch.setattr(internals, "is_connected", lambda session: True)
    place.hub.cache_clear()
    yield
    for member in list(place.hub()._members):
        place.hub().leave(member)
    place.hub.cache_clear()


def lead(**choices: Any) -> AppTest:
    """A teacher with an open room, on its page."""
    at = open_page("room", **choices)
    at.button(key="open_room").click().run()
    assert not at.exception
    return at


def place_of(at: AppTest) -> Member:
    found: Member = at.session_state["room_member"]
    return found


def join(teacher: AppTest, **said: str) -> AppTest:
    """Somebody who opens the link."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.session_state["history_ready"] = True
    for key, text in {"room": place_of(teacher).code, **said}.items():
        at.query_params[key] = text
    at.run()
    assert not at.exception
    return at


def go(at: AppTest, page: str) -> AppTest:
    at.switch_page(PAGES[page][0])
    return at.run()


def look(at: AppTest) -> AppTest:
    """Draw the page that the browser is on by now; a test's session does not move by itself."""
    return go(at, at.session_state["page_on_show"])


def address(at: AppTest) -> tuple[str, dict[str, str]]:
    page = at.session_state["page_on_show"]
    said = {key: value if isinstance(value, str) else value[0] for key, value in _params(at)}
    return page, said


def _params(at: AppTest) -> list[tuple[str, Any]]:
    return list(at.query_params.items())


def test_a_follower_sees_the_page_the_sentence_the_model_and_the_choices() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher)
    assert address(follower) == address(teacher)
    go(teacher, "attention")
    teacher.text_input(key="src").set_value("to be or not").run()
    teacher.selectbox(key="layer").set_value(2).run()
    look(follower)
    assert address(follower) == address(teacher)
    assert address(follower)[1].items() >= {"weights": "reverse", "src": "to be or not"}.items()
    assert pictures(follower)["one_head"]["spec"] == pictures(teacher)["one_head"]["spec"]


def test_the_model_runs_once_for_all_who_show_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []
    forward = engine.forward

    def counted(model: Any, batch: Any, *more: Any, **named: Any) -> Any:
        ran.append(batch)
        return forward(model, batch, *more, **named)

    monkeypatch.setattr(engine, "forward", counted)
    teacher = lead(weights="untrained", src="one sentence that nobody else has typed")
    go(teacher, "attention")
    assert ran
    ran.clear()
    for _ in range(2):
        follower = join(teacher)
        assert address(follower) == address(teacher)
    assert not ran


def test_whoever_joins_late_sees_the_stop_of_the_tour() -> None:
    teacher = lead()
    teacher.session_state["chosen"]["tour"] = 3
    go(teacher, "masks")
    follower = join(teacher)
    assert address(follower) == address(teacher)
    assert "stop 3 of" in texts(follower)


def _labelled(at: AppTest, label: str) -> Any:
    return next(button for button in at.button if button.label == label)


def _has(at: AppTest, key: str) -> bool:
    return any(button.key == key for button in at.button)


def test_own_deeds_are_exploring_and_one_button_leads_back() -> None:
    teacher = lead(weights="reverse")
    go(teacher, "masks")
    follower = join(teacher)
    assert _has(follower, "room_explore")
    follower.text_input(key="src").set_value("my own words").run()
    assert place_of(follower).exploring
    teacher.text_input(key="src").set_value("the teacher types").run()
    look(follower)
    assert follower.text_input(key="src").value == "my own words"
    follower.button(key="room_back").click().run()
    assert follower.text_input(key="src").value == "the teacher types"
    assert not place_of(follower).exploring
    go(follower, "lab")  # a page turn of one's own is exploring, too
    assert place_of(follower).exploring


def test_a_window_that_may_lead_stays_where_its_address_says() -> None:
    teacher = lead(weights="reverse")
    go(teacher, "masks")
    reloaded = join(teacher, weights="copy")
    assert address(reloaded)[0] == "home"  # until its browser has said whether it leads
    place_of(reloaded).unsure = False
    assert address(look(reloaded))[0] == "masks"


def test_a_pause_hides_what_the_teacher_does() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher)
    teacher.button(key="room_pause").click().run()
    go(teacher, "masks")
    look(follower)
    assert address(follower)[0] == "room"
    assert "paused" in texts(follower)
    teacher.button(key="room_pause").click().run()
    look(follower)
    assert address(follower)[0] == "masks"


def test_only_the_teachers_link_may_lead() -> None:
    teacher = lead()
    mine = place_of(teacher)
    follower = join(teacher)
    sent = [mine.secret in str(element.proto) for element in follower.main.children.values()]
    assert not any(sent)
    assert "room_key" not in address(teacher)[1]
    for at in (follower, join(teacher, room_key="wrong")):
        assert not _has(at, "room_pause")
        assert not _has(at, "room_close")
        assert not _has(at, "room_lead")
    colleague = join(teacher, room_key=mine.secret)
    assert "room_key" not in address(colleague)[1]
    colleague.button(key="room_lead").click().run()
    go(colleague, "masks")
    look(teacher)
    assert address(teacher)[0] == "masks"  # the room has been handed over
    assert not _has(teacher, "room_pause")


def test_the_link_leads_into_the_room_and_the_teachers_has_the_secret() -> None:
    teacher = lead()
    shown = [parse_qs(urlsplit(code.value).query) for code in teacher.code]
    code = place_of(teacher).code
    assert shown[0] == {"room": [f"{code[:4]}-{code[4:]}"]}
    assert shown[1]["room_key"] == [place_of(teacher).secret]
    assert len(shown) == 2


def test_a_closed_room_leaves_everybody_their_page() -> None:
    teacher = lead()
    go(teacher, "masks")
    follower = join(teacher)
    before = address(follower)
    go(teacher, "room").button(key="room_close").click().run()
    look(follower)
    assert "is closed" in texts(follower)
    assert address(follower) == before
    follower.button(key="room_leave").click().run()
    assert "room" not in address(follower)[1]


def test_wrong_codes_are_refused_and_then_no_more_are_tried() -> None:
    at = open_page("room")
    for typed, said in [("hello", "8 letters"), *[("0000-0000", "no room")] * 10]:
        at.text_input(key="room_code").set_value(typed)
        _labelled(at, "Join").click().run()
        assert said in "\n".join(warning.value for warning in at.warning)
    at.text_input(key="room_code").set_value("0000-0000")
    _labelled(at, "Join").click().run()
    assert "Too many" in at.warning[0].value


def asked(weights: str, topic: str, number: int = 1) -> tuple[AppTest, AppTest, Question]:
    """A question put to the room: the teacher, a follower, and what was asked."""
    teacher = lead(weights=weights)
    follower = join(teacher)
    teacher.session_state["chosen"] |= {"topic": topic, "question": number}
    go(teacher, "practice")
    teacher.button(key="ask_room").click().run()
    look(follower)
    room = place.hub().room(place_of(teacher))
    assert room is not None
    question = question_of(room)
    assert question is not None
    assert follower.title[0].value
    return teacher, follower, question


@pytest.mark.parametrize("topic", ["masks", "steps", "stack"])
def test_a_question_for_everybody(topic: str) -> None:
    teacher, follower, question = asked("reverse", topic)
    if question.form == "cells":
        assert isinstance(question.right, frozenset)
        key = next(key for key in components(follower) if key == "answer_cells")
        assert key
        follower.session_state["practice"].setdefault("drafts", {})[_key(question)] = question.right
    elif question.form == "choice":
        follower.radio(key=_key(question)).set_value(question.right)
    elif question.form == "number":
        follower.number_input(key=_key(question)).set_value(question.right)
    else:
        assert isinstance(question.right, tuple)
        follower.text_input(key=_key(question)).set_value(", ".join(map(str, question.right)))
    assert "Right:" not in texts(follower)
    look(follower).button(key="room_send").click().run()
    assert "without your name" in follower.success[0].value
    assert "room_answers" not in components(follower)  # nobody sees the others' before the end
    look(teacher)
    assert "**1** answered" in texts(teacher)
    assert "right**" not in texts(teacher)
    teacher.button(key="room_reveal").click().run()
    look(follower)
    for at in (teacher, follower):
        assert "**1 right**" in texts(at)
        assert "Right:" in texts(at)
        assert "room_answers" in pictures(at)
    (saved,) = (b for b in teacher.get("download_button") if "room_csv" in b.proto.id)
    assert not any("room_csv" in b.proto.id for b in follower.get("download_button"))
    assert saved.proto.label == "Save as CSV"


def _key(question: Question) -> str:
    from explorer.ui.practice.answering import key_of  # the set on show is the usual one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorer.ui.practice.answering.chosen_set", lambda: (0, "all"))
        return key_of(question, -1)


def _board(at: AppTest) -> list[str]:
    (table,) = (m.value for m in at.markdown if m.value.startswith("| rank"))
    return [" |".join(line.split(" |")[:2]) for line in table.splitlines()[2:]]


def test_everybodys_curves_on_one_board() -> None:
    teacher = lead(weights="reverse", steps=77)
    follower = join(teacher)
    teacher.button(key="room_train").click().run()
    look(follower)
    assert address(follower)[0] == "training"
    assert address(follower)[1]["steps"] == "77"
    shares = {0.25: follower, 0.75: join(teacher)}
    setting = Setting(
        task="reverse", steps=77, rate=0.002, batch=64, d_model=64, heads=4, encoder_layers=2,
        decoder_layers=1,
    )  # fmt: skip
    for share, at in shares.items():
        curve = Curve(
            setting=setting, step=10, steps=20, accuracies=((10, share),),
            losses=((10, 1.0),),
        )  # fmt: skip
        place_of(at).curve, place_of(at).trains = (lambda curve=curve: curve), 1
    place.hub()._wake.set()
    until(lambda: len(place.hub().notes(place_of(teacher), "curves-1")) == 2)
    look(teacher)
    assert _board(teacher) == ["| 1 | 75 %", "| 2 | 25 %"]
    said = literal("reverse, 77 steps, rate 0.002, batch 64, d_model 64, 4 heads, 2 + 1 layers")
    assert any(said in m.value for m in teacher.markdown)
    assert _board(look(follower)) == ["| 1 | 75 %", "| 2 (yours) | 25 %"]
    go(teacher, "masks")
    look(follower)
    assert address(follower)[0] == "training"  # everybody is on their own
    go(teacher, "room").button(key="room_train_end").click().run()
    go(teacher, "masks")
    look(follower)
    assert address(follower)[0] == "masks"
    go(teacher, "room").button(key="room_train").click().run()
    place.hub()._wake.set()
    assert "Nobody has begun yet." in texts(look(teacher))  # what ended before is on no board


def test_a_button_counts_even_if_the_page_is_turned_at_once() -> None:
    teacher = lead(weights="reverse")
    teacher.button(key="room_train").click()
    go(teacher, "masks")  # with the click in the same request
    room = place.hub().room(place_of(teacher))
    assert room is not None
    assert room.activity is not None
    go(teacher, "room").button(key="room_train_end").click()
    go(teacher, "lab")
    room = place.hub().room(place_of(teacher))
    assert room is not None
    assert room.activity is None
    assert address(teacher)[0] == room.page == "lab"


def test_back_to_the_questions_ends_this_one_whatever_comes_with_it() -> None:
    teacher, _, _ = asked("reverse", "masks")
    teacher.button(key="room_next").click().run()
    room = place.hub().room(place_of(teacher))
    assert room is not None
    assert room.activity is None
    assert address(teacher)[0] == room.page == "practice"
    teacher.button(key="ask_room").click().run()
    teacher.button(key="room_next").click()
    go(teacher, "lab")  # with the click in the same request
    assert address(teacher)[0] == "lab"
    room = place.hub().room(place_of(teacher))
    assert room is not None
    assert room.activity is None
    assert address(go(teacher, "room"))[0] == "room"


def test_everybody_reads_in_a_language_of_their_own() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher, lang="ko")
    before = place.hub().room(place_of(teacher))
    teacher.session_state["chosen"]["lang"] = "es"
    teacher.run()
    after = place.hub().room(place_of(teacher))
    assert before is not None
    assert after is not None
    assert after.version == before.version  # nobody has to be brought anywhere
    speak("es")  # AppTest writes the options of menus itself
    go(teacher, "masks")
    speak("ko")
    look(follower)
    assert address(follower)[0] == "masks"
    assert address(teacher)[1]["lang"] == "es"
    assert address(follower)[1]["lang"] == "ko"
    follower.session_state["chosen"]["lang"] = "fr"
    look(follower)
    assert not place_of(follower).exploring
    assert address(follower)[1]["lang"] == "fr"
    assert "lang" not in str(after.params)


def test_a_question_is_read_in_the_reader_s_own_language() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher, lang="de")
    teacher.session_state["chosen"] |= {"topic": "stack", "question": 1}
    speak("en")  # AppTest writes the options of menus itself
    go(teacher, "practice")
    teacher.button(key="ask_room").click().run()
    look(teacher)
    speak("de")
    look(follower)
    room = place.hub().room(place_of(teacher))
    assert room is not None
    english, german = (_told(room, language) for language in ("en", "de"))
    assert english.text != german.text
    assert (english.kind, english.right) == (german.kind, german.right)
    assert teacher.title[0].value == literal(english.text)
    assert follower.title[0].value == literal(german.text)


def _told(room: Room, language: str) -> Question:
    speak(language)
    question = question_of(room)
    assert question is not None
    return question


@pytest.fixture
def trained() -> Iterator[str]:
    """The token of weights that were trained in this process."""
    token = trained_here.keep(load(shipped("reverse")))
    yield token
    trained_here.drop(token)


def in_another_process() -> None:
    """From now on, this is a process that knows nothing but the Redis."""
    place.hub.cache_clear()
    trained_here._shelves.cache_clear()
    engine.engine.cache_clear()


@pytest.fixture
def with_redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with own_redis() as store:
        monkeypatch.setenv(place.REDIS_URL, store.url)
        place.hub.cache_clear()
        yield


@pytest.mark.usefixtures("with_redis")
def test_weights_that_the_teacher_trained_reach_a_follower_in_another_process(trained: str) -> None:
    teacher = lead(weights="here", run=trained)
    go(teacher, "attention")
    in_another_process()
    follower = join(teacher)
    assert address(follower) == address(teacher)
    assert address(follower)[1].items() >= {"weights": "here", "run": trained}.items()
    assert pictures(follower)["one_head"]["spec"] == pictures(teacher)["one_head"]["spec"]
    assert "could not be brought here" not in texts(follower)


@pytest.mark.usefixtures("with_redis")
def test_a_follower_is_told_that_the_weights_are_too_large_to_be_lent(
    trained: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leading, "MAX_LENT", 200_000)
    teacher = lead(weights="here", run=trained)
    go(teacher, "attention")
    in_another_process()
    follower = join(teacher)
    assert address(follower)[1].get("weights") != "here"
    assert "The weights that the teacher shows could not be brought here" in texts(follower)


@pytest.mark.usefixtures("with_redis")
def test_whoever_joins_brings_no_older_weights_back(trained: str) -> None:
    teacher = lead(weights="here", run=trained)
    go(teacher, "attention")
    first = trained_here.find(trained)
    trained_here.keep(replace(first, steps=first.steps + 10), trained)  # it trains on
    join(teacher)
    assert trained_here.find(trained).steps == first.steps + 10
    look(teacher)  # the same page, and the same address
    in_another_process()
    follower = join(teacher)
    assert address(follower) == address(teacher)
    assert trained_here.find(trained).steps == first.steps + 10
