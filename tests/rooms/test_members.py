"""Which pages are redrawn, how many at a time, and when one that does not answer is asked again."""

import time
from collections import Counter

import pytest

from benchmarks.halls import NoWindows
from explorer.rooms.member import (
    COUNTS_INTERVAL,
    FIRST_RETRY_DELAY,
    MAX_RETRY_DELAY,
    QUIET_TIME,
    START_TIMEOUT,
    Member,
    Stance,
    State,
)
from explorer.rooms.members import FORGET_AFTER, MAX_RUNS, PICTURE_WAIT, Members
from explorer.rooms.redraws import LOG, Why


class Room(NoWindows):
    """Members of one room, with a clock that stands still."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.news = Counter[str]()
        self.drawn: list[str] = []
        self.away: set[str] = set()
        self.idle = True  # whether their scripts rest
        self.shown: dict[str, str] = {}  # what is on somebody's screen
        self.passed: list[tuple[str, str]] = []  # from whom, to whom
        self.drawing: set[str] = set()
        self.page = ""  # that all others have to open
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.members = Members(
            self,
            news=lambda _, topic: self.news[topic],
            page_to_open=lambda member: "" if member.page == self.page else self.page,
        )

    def is_connected(self, session: str) -> bool:
        return session not in self.away

    def request_run(self, session: str, part: str, page: str) -> Why | None:
        if self.idle:
            self.drawn.append(f"{session} {page}".strip())
        return None if self.idle else Why.BUSY

    def is_drawing(self, session: str) -> bool:
        return session in self.drawing

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        if source not in self.shown:
            return Why.NOT_SENT
        if self.shown[source] != self.shown.get(to):
            return Why.SCREEN
        self.passed.append((source, to))
        return None

    def enter(self, session: str, *topics: str) -> Member:
        member = Member(session=session, code="1", connected_at=self.now)
        member.record_drawing("page", dict.fromkeys(topics or ("room",), 0))
        self.members.add(member)
        return member

    def redraw(self) -> list[str]:
        """The members that another round has redrawn."""
        self.drawn.clear()
        self.passed.clear()
        self.waits = self.members.redraw_some()
        return list(self.drawn)

    def shows(self, member: Member) -> None:
        """A page has been drawn with all news."""
        for name, part in member.parts.items():
            member.record_drawing(name, {topic: self.news[topic] for topic in part.topics})


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    return Room(monkeypatch)


def test_a_few_are_drawn_at_a_time_and_then_the_next(room: Room) -> None:
    # With something of their own, or they would wait for the first one's picture.
    everybody = [room.enter(str(number), "room", "own") for number in range(5)]
    room.news["room"] = 1
    assert room.redraw() == ["0", "1"]
    assert room.redraw() == []  # they are being drawn
    assert room.waits
    assert MAX_RUNS == 2
    room.shows(everybody[0])
    assert room.redraw() == ["2"]
    for member in everybody[1:3]:
        room.shows(member)
    assert room.redraw() == ["3", "4"]
    for member in everybody[3:]:
        room.shows(member)
    assert room.redraw() == []
    assert not room.waits


def test_news_that_never_ends_reaches_everybody(room: Room) -> None:
    everybody = {str(number): room.enter(str(number)) for number in range(9)}
    drawn = Counter[str]()
    for number in range(90):
        room.news["room"] = number
        room.now += 0.1
        for session in room.redraw():
            drawn[session] += 1
            room.shows(everybody[session])
    assert len(drawn) == 9
    assert min(drawn.values()) > max(drawn.values()) / 2


def test_a_page_that_cannot_be_drawn_does_not_hold_up_the_others(room: Room) -> None:
    room.enter("busy")
    room.news["room"] = 1
    room.idle = False
    assert room.redraw() == []
    room.idle = True
    assert room.redraw() == ["busy"]


def test_a_page_that_does_not_answer_is_asked_ever_more_seldom_but_never_given_up(
    room: Room,
) -> None:
    member = room.enter("deaf")
    room.news["room"] = 1
    start, asked = room.now, []
    while room.now < start + 130:
        asked += [room.now - start] * len(room.redraw())
        room.now += 0.5
    assert asked == [0, 4, 12, 28, 60, 92, 124]
    assert (FIRST_RETRY_DELAY, MAX_RETRY_DELAY) == (4, 32)
    assert not room.waits  # meanwhile nobody looks a hundred times a second
    room.shows(member)
    room.news["room"] = 2
    assert room.redraw() == ["deaf"]  # news is no repetition


def test_pages_that_do_not_answer_hold_nobody_up(room: Room) -> None:
    for number in range(MAX_RUNS):
        room.enter(f"deaf {number}", "room", "own")
    room.enter("hears", "room", "own")
    room.news["room"] = 1
    room.redraw()
    assert room.redraw() == []
    room.now += START_TIMEOUT
    assert room.redraw() == ["hears"]


def test_a_part_that_does_not_answer_does_not_hold_up_another(room: Room) -> None:
    member = room.enter("two")
    member.record_drawing("bar", {"people": 0})
    room.news.update(room=1, people=1)
    room.redraw()
    room.now += START_TIMEOUT
    room.redraw()
    assert [part.requested_version for part in member.parts.values()] == [1, 1]


def test_answers_that_come_in_are_drawn_now_and_then_and_the_teacher_at_once(room: Room) -> None:
    counts, follows = room.enter("counts", "answers"), room.enter("follows", "room")
    for number in range(1, 4):
        room.now += COUNTS_INTERVAL / 3
        room.news["room"] = room.news["answers"] = number
        assert room.redraw() == (["counts", "follows"] if number == 1 else ["follows"])
        room.shows(counts)
        room.shows(follows)
        room.news["answers"] += 1  # another one at once
    assert room.redraw() == []
    room.now += COUNTS_INTERVAL
    assert room.redraw() == ["counts"]


def test_a_member_without_a_connection_is_not_drawn_and_removed_later(room: Room) -> None:
    member = room.enter("offline")
    room.news["room"] = 1
    room.away = {"offline"}
    room.members.check_connections(room.now)
    assert room.redraw() == []
    room.members.check_connections(room.now + FORGET_AFTER - 1)
    assert list(room.members) == [member]
    room.members.check_connections(room.now + FORGET_AFTER + 1)
    assert list(room.members) == []


def test_a_short_break_is_not_counted_with_the_next(room: Room) -> None:
    room.enter("flaky")
    for start in (0, FORGET_AFTER):
        room.away = {"flaky"}
        room.members.check_connections(room.now + start + 0.9 * FORGET_AFTER)
        room.away = set()
        room.members.check_connections(room.now + start + FORGET_AFTER)
    assert list(room.members)


def test_a_picture_is_passed_on_to_all_who_show_the_same(room: Room) -> None:
    everybody = [room.enter(str(number)) for number in range(6)]
    room.shown = dict.fromkeys("01", "English") | dict.fromkeys("234", "German")
    room.news["room"] = 1
    assert room.redraw() == ["0"]
    assert room.redraw() == []  # its script runs
    assert room.waits
    room.shows(everybody[0])
    room.drawing.add("0")
    assert room.redraw() == []  # its messages are on their way
    assert room.waits
    room.drawing.clear()
    assert room.redraw() == ["2", "3"]  # they need not wait: what is there is not for them
    assert room.passed == [("0", "1")]
    for number in (2, 3):
        room.shows(everybody[number])
    assert room.redraw() == ["5"]
    assert room.passed == [("2", "4")]
    room.shows(everybody[5])
    assert room.redraw() == []
    assert room.passed == []  # once is enough
    assert room.waits  # for their own runs
    room.now += 2 * QUIET_TIME
    assert room.redraw() == ["1", "4"]
    for number in (1, 4):
        room.shows(everybody[number])
    assert room.redraw() == []
    assert not room.waits


def test_a_page_turn_is_drawn_for_everybody_who_needs_it_without_waiting_for_others(
    room: Room,
) -> None:
    everybody = [room.enter(str(number)) for number in range(4)]
    everybody[1].stance = Stance.EXPLORING
    everybody[2].page = room.page = "masks"
    room.enter("line on top", "state")
    room.shown = dict.fromkeys("0123", "English")
    room.news.update(room=1, state=1)
    assert room.redraw() == ["0 masks", "2"]
    room.shows(everybody[2])
    assert room.redraw() == ["3 masks"]
    assert room.passed == []


def test_nobody_waits_long_for_another_members_picture(room: Room) -> None:
    room.enter("deaf")
    slow, *_ = [room.enter(str(number)) for number in range(3)]
    room.news["room"] = 1
    assert room.redraw() == ["deaf"]
    room.now += PICTURE_WAIT
    assert room.redraw() == ["0"]
    room.shows(slow)
    room.drawing = {"0"}
    assert room.redraw() == []
    room.now += PICTURE_WAIT
    assert room.redraw() == ["1"]


def test_newer_pictures_are_passed_on_before_members_run_themselves(room: Room) -> None:
    """While the teacher types, no member's own run delays the next word."""
    first, *others = [room.enter(str(number)) for number in range(4)]
    room.shown = dict.fromkeys("0123", "English")
    for number in range(1, 9):
        room.news["room"] = number
        room.now += QUIET_TIME / 2
        for session in room.redraw():
            room.shows(first if session == "0" else others[int(session) - 1])
        room.redraw()
        assert len(room.passed) == 3, number


@pytest.mark.parametrize("whose", [0, 1])
def test_a_picture_with_something_personal_is_not_passed_on(room: Room, whose: int) -> None:
    topics: list[tuple[str, ...]] = [("room",), ("room",)]
    topics[whose] += ("own",)
    first, _ = room.enter("0", *topics[0]), room.enter("1", *topics[1])
    room.shown = dict.fromkeys("01", "English")
    room.news["room"] = 1
    room.redraw()
    room.shows(first)
    room.redraw()
    assert room.passed == []


@pytest.mark.parametrize("stance", [Stance.EXPLORING, Stance.ROLE_UNKNOWN])
def test_members_who_explore_are_neither_drawn_nor_sent_anything(
    room: Room, stance: Stance
) -> None:
    first, second = room.enter("0"), room.enter("1")
    room.shown = dict.fromkeys("01", "English")
    second.stance = stance
    room.news["room"] = 1
    assert room.redraw() == ["0"]
    room.shows(first)
    assert room.redraw() == []
    assert room.passed == []
    assert not room.waits


def test_the_lines_on_top_differ_and_are_not_passed_on(room: Room) -> None:
    first, _ = room.enter("0", "state"), room.enter("1", "state")
    room.shown = dict.fromkeys("01", "the line")
    room.news["state"] = 1
    room.redraw()
    room.shows(first)
    room.redraw()
    assert room.passed == []


def test_the_log_says_why_a_page_was_not_drawn(
    room: Room, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", LOG.name)
    busy, offline, explores = (room.enter(name) for name in ("busy", "offline", "explores"))
    explores.stance = Stance.EXPLORING
    room.away, room.idle = {"offline"}, False
    room.news["room"] = 1
    for _ in range(3):  # each reason is said once
        room.redraw()
    lines = [message for message in caplog.messages if "not drawn" in message]
    assert lines == [
        f"{member}, room 1: not drawn: {why}"
        for member, why in (
            (offline, Why.AWAY),
            (explores, Why.EXPLORES),
            (busy, Why.BUSY),
        )
    ]
    room.news["room"] = 2  # and again for other news
    room.redraw()
    assert caplog.messages[-1] == f"{busy}, room 2: not drawn: {Why.BUSY}"
    assert busy.parts["page"].state is State.BEHIND
