"""Several processes, each with its rooms: news, rights, and the counts of people."""

import json
import threading
from collections.abc import Callable

import pytest

from benchmarks.halls import NoWindows
from explorer.exercises.question import Question
from explorer.rooms import hub
from explorer.rooms.codes import new_name
from explorer.rooms.hub import Hub
from explorer.rooms.member import Member
from explorer.rooms.memory import MemoryStore
from explorer.rooms.questions import to_json
from explorer.rooms.redis_store import RedisStore
from explorer.rooms.room import Activity, Room, RoomError, StoreGoneError, WrongSecretError
from explorer.rooms.store import Store
from tests.support.redis_server import Redis, until

QUESTION = Question(text="?", hint="", explanation="", right=0, options=("yes", "no"))


class Process(NoWindows):
    """A hub, and the pages that it has had drawn again."""

    def __init__(self, store: Store) -> None:
        self.drawn: list[tuple[str, str]] = []
        self.gone: set[str] = set()
        self.hub = Hub(store, self)
        self.members: list[Member] = []

    def is_connected(self, session: str) -> bool:
        return session not in self.gone

    def request_run(self, session: str, part: str, page: str) -> None:
        self.drawn.append((session, page or part))
        for member in self.members:  # as a page does that shows the room
            if member.session == session:
                self.hub.subscribe(member, part, *member.parts[part].topics)

    def enter(self, code: str, secret: str = "", seat: str = "") -> Member:
        member = Member(f"session {len(self.members)}", code, secret=secret)
        member.seat = seat or member.seat
        self.hub.enter(member)
        self.members.append(member)
        self.hub.subscribe(member, "page", "room")
        return member


@pytest.fixture
def two(stores: Callable[[], Store], monkeypatch: pytest.MonkeyPatch) -> tuple[Process, Process]:
    """Two processes that share their rooms, and look after them more often than usual."""
    monkeypatch.setattr(hub, "TICK", 0.05)
    first = Process(stores())
    return first, first if stores() is stores() else Process(stores())


@pytest.fixture
def led(two: tuple[Process, Process]) -> tuple[Member, Member, Process, Process]:
    """A teacher in one process, and a follower in the other."""
    here, there = two
    seat = new_name()
    code, secret = here.hub.open("home", {}, seat)
    return here.enter(code, secret, seat), there.enter(code), here, there


Led = tuple[Member, Member, Process, Process]


def test_a_follower_is_redrawn_after_a_page_turn_and_nothing_else(led: Led) -> None:
    teacher, follower, here, there = led
    there.drawn.clear()
    assert there.hub.news(follower, "room") == 0
    here.hub.change(teacher, lambda room: room.next(page="masks", params={"pair": "2"}))
    until(lambda: (follower.session, "masks") in there.drawn)
    room = there.hub.room(follower)
    assert room is not None
    assert (room.page, room.params) == ("masks", {"pair": "2"})
    before = len(there.drawn)
    threading.Event().wait(0.5)
    assert len(there.drawn) == before  # nothing changes, and nothing is drawn


def test_no_page_is_opened_where_an_activity_leads(led: Led) -> None:
    teacher, follower, here, there = led
    there.drawn.clear()
    asked = Activity(number=1, kind="question", source="a cat")
    here.hub.change(teacher, lambda room: room.next(page="masks", activity=asked))
    until(lambda: (follower.session, "page") in there.drawn)
    assert (follower.session, "masks") not in there.drawn


def test_whoever_takes_the_lead_keeps_their_page(led: Led) -> None:
    teacher, follower, here, there = led
    follower.secret, follower.page = teacher.secret, "steps"
    here.hub.change(teacher, lambda room: room.next(page="masks"))
    until(lambda: (follower.session, "masks") in there.drawn)
    there.drawn.clear()
    there.hub.change(follower, lambda room: room.next(leader=follower.seat))
    until(lambda: (follower.session, "page") in there.drawn)
    assert (follower.session, "masks") not in there.drawn


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

    def count(process: Process, member: Member) -> None:
        for _ in range(20):
            done = False
            while not done:
                try:
                    process.hub.change(
                        member, lambda room: room.next(activities=room.activities + 1)
                    )
                    done = True
                except WrongSecretError:
                    raise
                except RoomError:
                    pass  # the other one was faster eight times in a row

    threads = [
        threading.Thread(target=count, args=pair) for pair in ((here, teacher), (there, other))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def counts() -> set[int]:
        rooms = (here.hub.room(teacher), there.hub.room(other))
        return {room.activities for room in rooms if room is not None}

    until(lambda: counts() == {40})


def test_an_answer_counts_once_for_each_person_and_never_after_the_end(led: Led) -> None:
    teacher, follower, here, there = led
    asked = here.hub.change(
        teacher, lambda room: room.begin("question", question=to_json(QUESTION))
    )
    number = asked.activities
    until(lambda: (room := there.hub.room(follower)) is not None and room.is_open)
    there.hub.answer(follower, number, b"1")
    there.hub.answer(follower, number, b"0")
    second_tab = there.enter(follower.code)
    second_tab.person = follower.person
    there.hub.answer(second_tab, number, b"1")
    part = f"answers-{number}"
    until(lambda: list(here.hub.notes(teacher, part).values()) == [b"1"])
    with pytest.raises(RoomError, match="another question"):
        there.hub.answer(follower, number + 1, b"0")

    def reveal(room: Room) -> Room:
        assert room.activity is not None
        return room.next(activity=room.activity.shown())

    here.hub.change(teacher, reveal)
    until(lambda: (room := there.hub.room(follower)) is not None and not room.is_open)
    with pytest.raises(RoomError, match="does not count"):
        there.hub.answer(follower, number, b"0")
    assert list(here.hub.notes(teacher, part).values()) == [b"1"]


def test_everybody_present_is_counted(led: Led, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher, follower, here, there = led
    there.enter(follower.code)
    until(lambda: here.hub.people(teacher.code)[0] == 2)  # the teacher does not follow
    there.gone.add(follower.session)
    until(lambda: here.hub.people(teacher.code)[0] == 1)


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
    assert here.hub.borrow(teacher, "second") is None  # it has it itself
    assert lent == {
        "first": None,
        "second": None if alone else b"\nthree\0\n",
        "third": None,
    }


def test_too_large_weights_are_not_lent(led: Led, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher, follower, here, there = led
    monkeypatch.setattr(hub, "MAX_LENT", 3)
    here.hub.lend(teacher, "large", b"1234")
    assert there.hub.borrow(follower, "large") is None


def test_redis_goes_away_and_comes_back_empty(server: Redis) -> None:
    here, there = Process(RedisStore(server.url)), Process(RedisStore(server.url))
    seat = new_name()
    code, secret = here.hub.open("home", {}, seat)
    teacher, follower = here.enter(code, secret, seat), there.enter(code)
    number = here.hub.change(
        teacher, lambda room: room.begin("question", question=to_json(QUESTION))
    ).activities
    until(lambda: (room := there.hub.room(follower)) is not None and room.is_open)
    there.hub.answer(follower, number, b"0")
    here.hub.lend(teacher, "weights", b"1")
    server.stop()
    with pytest.raises(StoreGoneError):
        there.hub.answer(follower, number, b"1")
    assert there.hub.is_store_gone
    until(lambda: here.hub.is_store_gone)
    assert (kept := there.hub.room(follower)) is not None  # everybody keeps their picture
    assert kept.page == "home"
    server.start()
    until(lambda: not here.hub.is_store_gone and not there.hub.is_store_gone)
    assert here.hub.notes(teacher, f"answers-{number}") == {follower.person: b"0"}
    assert here.hub.has_to_lend(teacher, "weights")  # it is gone
    here.hub.change(teacher, lambda room: room.next(page="lab"))
    until(lambda: (room := there.hub.room(follower)) is not None and room.page == "lab")


def test_a_room_that_the_store_has_lost_is_closed_but_not_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A store that has just come back, empty, is being given its rooms."""
    monkeypatch.setattr(hub, "TICK", 0.01)
    monkeypatch.setattr(hub, "PRESENCE", 0.0)
    store, asked = MemoryStore(), 0
    missing = {2, 5}

    def touch(code: str, *_: object) -> bool:
        nonlocal asked
        asked += 1
        return asked not in missing

    monkeypatch.setattr(store, "touch", touch)
    process, seat = Process(store), new_name()
    code, secret = process.hub.open("home", {}, seat)
    teacher = process.enter(code, secret, seat)
    until(lambda: asked > 8)
    assert (room := process.hub.room(teacher)) is not None
    assert not room.closed
    missing.update(range(9, 1000))
    until(lambda: (room := process.hub.room(teacher)) is not None and room.closed)


def test_presence_is_a_number_and_no_name(led: Led) -> None:
    teacher, _, here, _ = led
    until(lambda: here.hub.people(teacher.code)[0] == 1)
    for note in here.hub.notes(teacher, "presence").values():
        assert [type(value) for value in json.loads(note)] == [int, int, int]


def test_ten_thousand_hostile_messages_change_nothing_for_the_others(led: Led) -> None:
    teacher, follower, here, there = led
    asked = here.hub.change(
        teacher, lambda room: room.begin("question", question=to_json(QUESTION))
    )
    number, part = asked.activities, f"answers-{asked.activities}"
    until(lambda: (room := there.hub.room(follower)) is not None and room.is_open)
    there.hub.answer(follower, number, b"0")
    guest = there.enter(follower.code)
    limits = {f"guest {guest.seat}": 10}
    for attempt in range(2500):
        for attack in (
            lambda code=f"{attempt:08}": there.hub.find(code, limits),
            lambda: there.hub.answer(guest, number, b"x" * 30_000),
            lambda: there.hub.answer(guest, number - 1, b"0"),
            lambda: there.hub.change(guest, lambda room: room.next(closed=True)),
        ):
            with pytest.raises(RoomError):
                attack()
    assert here.hub.notes(teacher, part) == {follower.person: b"0"}
    room = here.hub.room(teacher)
    assert room is not None
    assert room.dump() == asked.dump()


def test_a_request_that_fails_late_leaves_no_room_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is back, and has said so, when the failure of an earlier request is noticed."""
    store = MemoryStore()

    def fail(code: str) -> None:
        raise StoreGoneError("too late")

    monkeypatch.setattr(store, "get", fail)
    process = Process(store)
    with pytest.raises(StoreGoneError):
        process.hub.find("K7QM2XPD")
    assert not process.hub.is_store_gone
