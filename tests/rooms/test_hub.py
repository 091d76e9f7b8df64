"""Several processes, each with its rooms: news, rights, and the counts of people."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from explorer.exercises.question import Question
from explorer.rooms import known, presence, redis_store
from explorer.rooms.codes import new_name, pass_of
from explorer.rooms.hub import NO_ROOM, Hub
from explorer.rooms.member import Member, Stance
from explorer.rooms.memory import MemoryStore
from explorer.rooms.questions import to_json
from explorer.rooms.redis_store import RedisStore
from explorer.rooms.room import RoomError, StoreGoneError, WrongSecretError
from explorer.rooms.store import ATTENDED, Store
from tests.support.redis_server import Redis
from tests.support.waiting import until

QUESTION = Question(text="?", hint="", explanation="", right=0, options=("yes", "no"))


class Process:
    """A hub, and those who have entered its rooms."""

    def __init__(self, store: Store) -> None:
        self.hub = Hub(store)
        self.members: list[Member] = []

    def enter(self, code: str, secret: str = "", seat: str = "") -> Member:
        member = Member(code, secret=secret)
        member.seat = seat or member.seat
        member.browser_pass = pass_of(self.hub.enter(member).lock)
        self.members.append(member)
        self.news(member)
        return member

    def news(self, member: Member, stance: Stance | None = Stance.FOLLOWING) -> str:
        """What this window is told when it asks."""
        return self.hub.news(member.code, member.seat, member.browser_pass, stance)


Led = tuple[Member, Member, Process, Process]


@pytest.fixture
def two(stores: Callable[[], Store]) -> tuple[Process, Process]:
    """Two processes that share their rooms."""
    first = Process(stores())
    return first, first if stores() is stores() else Process(stores())


@pytest.fixture
def led(two: tuple[Process, Process]) -> Led:
    """A teacher in one process, and a follower in the other."""
    here, there = two
    seat = new_name()
    code, secret = here.hub.open({}, seat)
    return here.enter(code, secret, seat), there.enter(code), here, there


def ask(led: Led, source: str = "") -> int:
    """Put a question to the room; returns its number, once the follower's process knows of it."""
    teacher, follower, here, there = led
    asked = {"question": to_json(QUESTION), "source": source}
    room = here.hub.change(teacher, lambda room: room.begin(after=room.activities, **asked))
    number = room.activities
    until(lambda: (room := there.hub.room(follower)) is not None and room.activities == number)
    return number


def test_a_page_turn_is_news_for_those_who_follow_and_for_nobody_else(led: Led) -> None:
    teacher, follower, here, there = led
    alone = there.enter(teacher.code)
    before = there.news(follower), there.news(alone, Stance.EXPLORING), here.news(teacher)
    until(lambda: here.hub.people(teacher.code) == (2, 1))
    before = there.news(follower), there.news(alone, Stance.EXPLORING), here.news(teacher)
    assert there.news(follower) == before[0]  # nothing has changed
    here.hub.change(teacher, lambda room: room.next(page="masks", params={"pair": "2"}))
    until(lambda: there.news(follower) != before[0])
    room = there.hub.room(follower)
    assert room is not None
    assert (room.page, room.params) == ("masks", {"pair": "2"})
    assert (there.news(alone, Stance.EXPLORING), here.news(teacher)) == before[1:]
    # The room is paused: everybody's line says so.
    here.hub.change(teacher, lambda room: room.next(paused=True))
    until(lambda: there.news(alone, Stance.EXPLORING) != before[1])
    assert here.news(teacher) != before[2]


def test_the_teacher_hears_of_people_and_of_answers(led: Led) -> None:
    teacher, follower, here, there = led
    until(lambda: here.hub.people(teacher.code) == (1, 0))
    told = [here.news(teacher)]

    def is_told() -> bool:
        told.append(here.news(teacher))
        return told[-1] != told[0]

    there.enter(teacher.code)
    until(is_told)
    number = ask(led)
    for answer in (b"0", b"1"):  # another answer of the same person, too
        told = [here.news(teacher)]
        there.hub.answer(follower, number, answer)
        until(is_told)


def test_whoever_has_no_pass_is_told_of_no_room(led: Led) -> None:
    _, follower, _, there = led
    for code, shown in ((follower.code, "x"), (follower.code, ""), ("0" * 8, "x")):
        assert there.hub.news(code, new_name(), shown, Stance.FOLLOWING) == NO_ROOM
    assert there.hub.people(follower.code)[0] <= 1


def test_only_the_secret_changes_a_room(led: Led) -> None:
    teacher, follower, _, there = led
    for wrong in ("", "x", teacher.secret[:-1]):
        follower.secret = wrong
        with pytest.raises(WrongSecretError):
            there.hub.change(follower, lambda room: room.next(closed=True))
    follower.secret = teacher.secret
    assert there.hub.change(follower, lambda room: room.next(paused=True)).paused


def test_two_teachers_at_once_lose_no_change(led: Led) -> None:
    teacher, other, here, there = led
    other.secret = teacher.secret

    def count(process: Process, member: Member) -> int:
        done = 0
        for _ in range(20):
            with suppress(RoomError):  # the other one was faster eight times in a row
                process.hub.change(member, lambda room: room.next(activities=room.activities + 1))
                done += 1
        return done

    with ThreadPoolExecutor() as threads:
        done = sum(threads.map(count, (here, there), (teacher, other)))
    assert done > 30

    def counts() -> set[int]:
        rooms = (here.hub.room(teacher), there.hub.room(other))
        return {room.activities for room in rooms if room is not None}

    until(lambda: counts() == {done})


def test_an_answer_counts_once_for_each_person_and_never_after_the_end(led: Led) -> None:
    teacher, follower, here, there = led
    number = ask(led)
    there.hub.answer(follower, number, b"1")
    there.hub.answer(follower, number, b"0")
    second_tab = there.enter(follower.code)
    second_tab.person = follower.person
    there.hub.answer(second_tab, number, b"1")
    until(lambda: list(here.hub.answers(teacher, number).values()) == [b"1"])
    with pytest.raises(RoomError, match="another question"):
        there.hub.answer(follower, number + 1, b"0")

    here.hub.change(teacher, lambda room: room.revealed(number))
    until(lambda: (room := there.hub.room(follower)) is not None and not room.is_open)
    with pytest.raises(RoomError, match="does not count"):
        there.hub.answer(follower, number, b"0")
    assert list(here.hub.answers(teacher, number).values()) == [b"1"]


def test_all_questions_of_a_lesson_are_kept_with_their_answers(led: Led) -> None:
    teacher, follower, here, there = led
    for answer in (b"0", b"1", b"1"):
        number = ask(led, f"sentence {answer.decode()}")
        here.hub.keep_question(teacher)
        assert here.hub.answers(teacher, number) == {}
        there.hub.answer(follower, number, answer)
    here.hub.change(teacher, lambda room: room.ended(3))

    def results() -> list[tuple[str, list[bytes]]]:
        found = here.hub.results(teacher)
        return [(json.loads(question)[1], [*answers.values()]) for question, answers in found]

    shown = [("sentence 0", [b"0"]), ("sentence 1", [b"1"]), ("sentence 1", [b"1"])]
    until(lambda: results() == shown)


def test_everybody_who_asks_is_counted(led: Led, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher, follower, here, there = led
    monkeypatch.setattr(presence, "PRESENT", 2.0)
    other = there.enter(follower.code)
    until(lambda: here.hub.people(teacher.code) == (2, 0))  # the teacher does not follow
    there.news(other, Stance.EXPLORING)
    until(lambda: here.hub.people(teacher.code) == (2, 1))
    third, fourth = there.enter(follower.code), there.enter(follower.code)
    there.news(third, None)  # it is being closed
    there.hub.leave(fourth)
    there.news(fourth)  # its last question comes late
    until(lambda: here.hub.people(teacher.code) == (2, 1))
    there.hub.enter(fourth)  # and comes again
    there.news(fourth)
    until(lambda: here.hub.people(teacher.code) == (3, 1))
    there.hub.leave(fourth)

    def only_one_asks() -> bool:
        there.news(follower)
        return here.hub.people(teacher.code) == (1, 0)

    until(only_one_asks)  # a window that is gone asks no more


def test_a_room_that_is_forgotten_and_lost_is_closed(
    led: Led, monkeypatch: pytest.MonkeyPatch
) -> None:
    teacher, follower, here, there = led
    room = here.hub.room(teacher)
    assert room is not None
    here.hub.store.put_newer(teacher.code, room.version + 1, room.next().dump(), seconds=1)
    monkeypatch.setattr(known, "PRESENT", 0.1)
    here.news(teacher, None)
    there.news(follower, None)
    until(lambda: here.hub.store.get(teacher.code) is None)
    seat = new_name()
    code, secret = here.hub.open({}, seat)
    here.enter(code, secret, seat)  # now all rooms are forgotten in which nobody is
    with pytest.raises(RoomError, match="closed"):
        here.hub.change(teacher, lambda now: now.next())
    with pytest.raises(RoomError, match="closed"):
        here.hub.keep_question(teacher)
    assert here.hub.results(teacher) == []
    here.hub.move(teacher, new_name())
    here.hub.leave(teacher)


def test_a_closed_room_is_closed_for_all_and_cannot_be_found(led: Led) -> None:
    teacher, follower, here, there = led
    here.hub.change(teacher, lambda room: room.next(closed=True))
    until(lambda: (room := there.hub.room(follower)) is not None and room.closed)
    with pytest.raises(RoomError, match="no room"):
        there.hub.find(teacher.code)
    with pytest.raises(RoomError, match="closed"):
        here.hub.change(teacher, lambda room: room.next(page="lab"))


def test_wrong_codes_are_limited(led: Led) -> None:
    teacher, _, here, there = led
    limits = {f"window {new_name()}": 10, f"address {new_name()}": 12}
    for _ in range(10):
        with pytest.raises(RoomError, match="There is no room"):
            here.hub.find("0" * 8, limits)
    for process in (here, there):
        with pytest.raises(RoomError, match="Too many"):  # or the right one would be found at last
            process.hub.find(teacher.code, limits)
    address = list(limits)[1]
    assert there.hub.find(teacher.code, {"window b": 10, address: 12}).code == teacher.code
    for _ in range(2):
        with pytest.raises(RoomError, match="There is no room"):
            there.hub.find("0" * 8, {f"window {new_name()}": 10, address: 12})
    with pytest.raises(RoomError, match="Too many"):
        here.hub.find(teacher.code, {f"window {new_name()}": 10, address: 12})


def test_a_loan_of_the_teacher_is_found_in_another_process(led: Led) -> None:
    teacher, follower, here, there = led
    alone = here is there
    assert there.hub.borrow(follower, "first") is None
    assert here.hub.has_to_lend(teacher, "first") != alone
    here.hub.lend(teacher, "first", b"one\ntwo")
    here.hub.lend(teacher, "second", b"\nthree\0\n")
    with pytest.raises(WrongSecretError):
        there.hub.lend(follower, "third", b"four")
    here.hub.change(teacher, lambda room: room.next(lent="second"))
    assert not here.hub.has_to_lend(teacher, "second")
    lent = {name: there.hub.borrow(follower, name) for name in ("first", "second", "third")}
    second = None if alone else b"\nthree\0\n"
    assert lent == {"first": None, "second": second, "third": None}


def test_redis_goes_away_and_comes_back_empty(
    server: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "AGAIN", 0.1)
    stores = [RedisStore(server.url) for _ in range(2)]
    here, there = map(Process, stores)
    seat = new_name()
    code, secret = here.hub.open({}, seat)
    teacher, follower = here.enter(code, secret, seat), there.enter(code)
    number = ask((teacher, follower, here, there))
    there.hub.answer(follower, number, b"0")
    here.hub.lend(teacher, "weights", b"1")
    before = there.news(follower)
    server.stop()
    with pytest.raises(StoreGoneError):
        there.hub.answer(follower, number, b"1")
    assert there.hub.store.is_gone
    assert there.news(follower) != before  # the page says that the room waits
    assert (kept := there.hub.room(follower)) is not None  # everybody keeps their picture
    assert kept.page == "room"
    server.start()

    def is_back() -> bool:
        here.news(teacher)
        there.news(follower)
        return not here.hub.store.is_gone and not there.hub.store.is_gone

    until(is_back)
    until(lambda: here.hub.answers(teacher, number) == {follower.person: b"0"})
    assert here.hub.has_to_lend(teacher, "weights")  # it is gone
    here.hub.change(teacher, lambda room: room.next(page="lab"))
    until(lambda: (room := there.hub.room(follower)) is not None and room.page == "lab")
    for store in stores:
        store._redis.close()  # an error that was caught holds its sockets


def test_what_a_store_has_lost_is_written_again_and_what_expired_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    process, seat = Process(store), new_name()
    code, secret = process.hub.open({}, seat)
    teacher = process.enter(code, secret, seat)
    store._drop(code)
    assert (room := process.hub.room(teacher)) is not None
    assert not room.closed
    assert store.get(code) is not None
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + ATTENDED + 1)
    assert (room := process.hub.room(teacher)) is not None
    assert room.closed
    assert store.get(code) is None


def test_presence_is_a_number_and_no_name(led: Led) -> None:
    teacher, _, here, _ = led
    until(lambda: here.hub.people(teacher.code)[0] == 1)
    for note in here.hub.store.notes(teacher.code, "presence").values():
        assert [type(value) for value in json.loads(note)] == [int, int, int]
