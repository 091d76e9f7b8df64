"""A teacher and followers, each in their own session, in one process."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from explorer.rooms.member import Stance
from explorer.runtime import engine
from explorer.ui.components.room_seat import KeptSeat
from explorer.ui.components.word_list import open_word
from explorer.ui.controls.choices import choices
from explorer.ui.room import door
from explorer.web.news import FOLLOWS
from tests.app.driving import (
    acting_for,
    choose,
    components,
    memory_of,
    new_session,
    open_page,
    pictures,
    texts,
)
from tests.app.rooming import address, go_to, join, lead, member_of, redraw, room_of

pytestmark = pytest.mark.usefixtures("no_other_rooms")


def test_a_follower_sees_the_page_the_sentence_the_model_and_the_choices() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher)
    assert address(follower) == address(teacher)
    go_to(teacher, "attention")
    teacher.text_input(key="src").set_value("to be or not").run()
    choose(teacher, attention="encoder", layer=2).run()
    redraw(follower)
    assert address(follower) == address(teacher)
    assert address(follower)[1].items() >= {"weights": "reverse", "src": "to be or not"}.items()
    assert pictures(follower)["one_head"]["spec"] == pictures(teacher)["one_head"]["spec"]


def test_the_model_runs_once_for_all_who_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []
    forward = vars(engine)["forward"]

    def counted(model: Any, batch: Any, *more: Any, **named: Any) -> Any:
        ran.append(batch)
        return forward(model, batch, *more, **named)

    monkeypatch.setattr(engine, "forward", counted)
    teacher = lead(weights="untrained", src="one sentence that nobody else has typed")
    go_to(teacher, "attention")
    assert ran
    ran.clear()
    for _ in range(2):
        follower = join(teacher)
        assert address(follower) == address(teacher)
    assert not ran


def _has_button(at: AppTest, key: str) -> bool:
    return any(button.key == key for button in at.button)


def test_own_actions_start_exploring_and_a_button_ends_it() -> None:
    teacher = lead(weights="reverse")
    go_to(teacher, "masks")
    follower = join(teacher)
    assert _has_button(follower, "room_explore")
    teacher.text_input(key="src").set_value("the teacher types").run()
    follower.text_input(key="src").set_value("my own words").run()  # before it asks for news
    assert member_of(follower).stance is Stance.EXPLORING
    redraw(follower)
    assert follower.text_input(key="src").value == "my own words"
    follower.button(key="room_back").click().run()
    assert follower.text_input(key="src").value == "the teacher types"
    assert member_of(follower).stance is Stance.FOLLOWING
    go_to(follower, "lab")  # a page turn of one's own is exploring, too
    assert member_of(follower).stance is Stance.EXPLORING


def test_a_look_about_is_no_way_of_ones_own() -> None:
    teacher = lead(weights="reverse")
    go_to(teacher, "attention")
    follower = join(teacher)
    choose(redraw(follower), attention="encoder", layer=2).run()
    assert member_of(follower).stance is Stance.FOLLOWING
    teacher.text_input(key="src").set_value("the teacher types").run()
    redraw(follower)
    assert address(follower) == address(teacher)


def test_what_a_window_chooses_by_itself_is_no_way_of_ones_own() -> None:
    """As one does that shows a training which has ended."""
    teacher = lead(weights="reverse")
    go_to(teacher, "training")
    follower = join(teacher)
    with acting_for(follower):
        choices()["weights"] = "copy"
    redraw(follower)
    assert member_of(follower).stance is Stance.FOLLOWING


def test_a_follower_waits_for_the_model_that_the_teacher_trains() -> None:
    teacher = lead(weights="translator")
    go_to(teacher, "training")
    assert "Press *Train*: once" in texts(teacher)
    follower = join(teacher)
    assert "Once the teacher has trained this model" in texts(follower)
    assert "Press *Train*: once" not in texts(follower)
    follower.button(key="room_explore").click().run()
    assert "Press *Train*: once" in texts(follower)


def test_everybody_is_called_back() -> None:
    teacher = lead(weights="reverse")
    go_to(teacher, "masks")
    alone = join(teacher)
    alone.button(key="room_explore").click().run()
    redraw(go_to(alone, "lab"))
    redraw(teacher)
    assert "1 explores alone" in texts(teacher)
    teacher.button(key="room_call").click().run()
    redraw(alone)
    assert address(alone) == address(teacher)
    assert member_of(alone).stance is Stance.FOLLOWING
    assert not _has_button(redraw(teacher), "room_call")


def test_nobody_sees_the_questions_before_the_room_is_asked() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher)
    go_to(teacher, "predict")
    redraw(follower)
    assert address(follower)[0] == "room"
    assert "choosing a question" in follower.title[0].value
    assert "choosing a question" not in teacher.title[0].value


@pytest.mark.parametrize("action", ["room_explore", "room_leave", "room_lead"])
def test_an_action_starts_from_the_choices_on_the_screen(action: str) -> None:
    """The session was not drawn since, and still has the old choices."""
    teacher = lead(weights="reverse")
    go_to(teacher, "masks")
    found = member_of(teacher)
    follower = join(teacher, room_key=found.secret)
    member_of(follower).stance = Stance.FOLLOWING
    redraw(follower)
    teacher.text_input(key="src").set_value("the teacher types").run()
    follower.button(key=action).click().run()
    assert follower.text_input(key="src").value == "the teacher types"
    if action == "room_lead":
        assert room_of(follower).params["src"] == "the teacher types"


def test_a_reloaded_window_waits_until_its_role_is_known() -> None:
    teacher = lead(weights="reverse")
    go_to(teacher, "masks")
    reloaded = join(teacher, weights="copy")
    assert address(reloaded)[0] == "home"  # until its browser has said whether it leads
    assert member_of(reloaded).stance is Stance.ROLE_UNKNOWN
    assert components(reloaded)["room_news"]["headers"][FOLLOWS] == "yes"  # not alone, so far
    member_of(reloaded).stance = Stance.FOLLOWING
    assert address(redraw(reloaded))[0] == "masks"


def test_a_pause_hides_what_the_teacher_does() -> None:
    teacher = lead(weights="reverse")
    follower = join(teacher)
    teacher.button(key="room_pause").click().run()
    go_to(teacher, "masks")
    redraw(follower)
    assert address(follower)[0] == "room"
    assert "paused" in texts(follower)
    teacher.button(key="room_pause").click().run()
    redraw(follower)
    assert address(follower)[0] == "masks"


def test_only_the_teachers_link_may_lead() -> None:
    teacher = lead()
    mine = member_of(teacher)
    follower = join(teacher)
    sent = [mine.secret in str(element.proto) for element in follower.main]
    assert not any(sent)
    assert "room_key" not in address(teacher)[1]
    for at in (follower, join(teacher, room_key="wrong")):
        assert not _has_button(at, "room_pause")
        assert not _has_button(at, "room_close")
        assert not _has_button(at, "room_lead")
    colleague = join(teacher, room_key=mine.secret)
    assert "room_key" not in address(colleague)[1]
    colleague.button(key="room_lead").click().run()
    go_to(colleague, "masks")
    redraw(teacher)
    assert address(teacher)[0] == "masks"  # the room has been handed over
    assert not _has_button(teacher, "room_pause")


def test_the_link_opens_the_room_and_only_the_teachers_has_the_secret() -> None:
    teacher = lead()
    shown = [parse_qs(urlsplit(code.value).query) for code in teacher.code]
    code = member_of(teacher).code
    assert shown[0] == {"room": [f"{code[:4]}-{code[4:]}"]}
    assert shown[1]["room_key"] == [member_of(teacher).secret]
    assert len(shown) == 2


def test_a_closed_room_leaves_everybody_their_page() -> None:
    teacher = lead()
    go_to(teacher, "masks")
    follower = join(teacher)
    before = address(follower)
    teacher.button(key="room_close").click().run()
    redraw(follower)
    for at in (teacher, follower):
        assert texts(at).count("is closed") == 1
        assert at.button(key="room_leave").label == "Close"
        assert "room" not in address(at)[1]
    page, params = address(follower)
    assert (page, params) == (before[0], {k: v for k, v in before[1].items() if k != "room"})
    follower.button(key="room_leave").click().run()
    assert not follower.warning


def test_the_link_of_a_closed_room_says_so_also_where_the_browser_knows_the_room() -> None:
    teacher = lead()
    member = member_of(teacher)
    teacher.button(key="room_close").click().run()
    at = new_session(room=member.code).run()
    assert "There is no room" in at.warning[0].value
    memory_of(at)["room_kept_seat"] = KeptSeat(member.code, member.seat, "", alone=False)
    assert "There is no room" in at.run().warning[0].value  # its answer has come
    assert not at.run().warning


def test_whoever_leaves_is_told_and_what_stands_below_the_line_has_one_place() -> None:
    """Or it would stand in the line until a run ends, and buttons jump from under a press."""
    teacher = lead()
    go_to(teacher, "masks")
    outside = _places(open_page("masks"))
    follower = redraw(join(teacher))
    assert address(follower)[0] == "masks"
    assert _places(follower) == outside
    follower.button(key="room_leave").click().run()
    assert _places(follower) == outside
    assert address(follower)[0] == "masks"
    assert "You have left the room" in follower.warning[0].value
    assert not follower.run().warning


def _places(at: AppTest) -> list[str]:
    """The names of what stands on the page, from its top."""
    return [one.proto.id.split("-")[-1] for one in at.main.children.values()]


def test_followers_see_the_word_that_the_teacher_looks_up() -> None:
    teacher = lead()
    follower = join(teacher)
    with acting_for(teacher):
        open_word("softmax")
        open_word("no such word")
    teacher.run()
    redraw(follower)
    assert address(follower) == address(teacher)
    assert address(follower)[1]["term"] == "softmax"


@pytest.mark.parametrize("network", ["192.0.2.7", ""])
def test_a_link_for_this_computer_only_names_the_address_on_the_network(
    network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_address_on_network", lambda: network)
    (warning,) = lead().warning
    assert "this computer only" in warning.value
    assert ("192.0.2.7:" in warning.value) == bool(network)
