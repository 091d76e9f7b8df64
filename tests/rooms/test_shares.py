"""The limits for one person in the rooms: whoever reaches them costs the others nothing."""

from collections.abc import Callable, Iterator

import pytest
import redis

from explorer.rooms import known, memory, presence
from explorer.rooms.codes import new_name, pass_of
from explorer.rooms.member import Member
from explorer.rooms.memory import MemoryStore
from explorer.rooms.redis_store import RedisStore
from explorer.rooms.room import RoomError
from explorer.rooms.store import ATTENDED, LEFT_ALONE, Store
from tests.rooms.test_hub import Led, Process, ask
from tests.rooms.test_hub import led as led
from tests.rooms.test_hub import two as two
from tests.support.redis_server import Redis, own_redis
from tests.support.waiting import until


def opened(process: Process) -> Member:
    """A teacher in a room of their own."""
    seat = new_name()
    return process.enter(*process.hub.open({}, seat), seat)


def test_a_former_member_is_never_refused(led: Led) -> None:
    teacher, _, here, there = led
    room = here.hub.room(teacher)
    assert room is not None
    limits = {f"address {new_name()}": 3}
    for _ in range(3):
        with pytest.raises(RoomError, match="There is no room"):
            here.hub.find("0" * 8, limits)
    for shown in ((), ("",), ("é",), (pass_of(pass_of(room.lock)),), (room.lock,)):
        with pytest.raises(RoomError, match="Too many"):
            there.hub.find(teacher.code, limits, shown)
    assert there.hub.find(teacher.code, limits, ("", pass_of(room.lock))).code == teacher.code
    other = opened(here)
    with pytest.raises(RoomError, match="Too many"):  # it is the pass of one room
        there.hub.find(other.code, limits, (pass_of(room.lock),))


def test_an_answer_is_removed_with_its_member(led: Led) -> None:
    teacher, follower, here, there = led
    ask(led)
    there.hub.answer(follower, 1, b"0")
    for _ in range(91):
        guest = there.enter(follower.code)
        before, guest.seat = guest.seat, new_name()  # after a reload
        there.hub.move(guest, before)
        there.hub.answer(guest, 1, b"1")
        there.hub.leave(guest)
    until(lambda: here.hub.answers(teacher, 1) == {follower.person: b"0"})


def test_an_answer_stays_while_a_window_of_its_person_does_and_outlives_its_question(
    led: Led,
) -> None:
    teacher, follower, here, there = led
    ask(led)
    there.hub.answer(follower, 1, b"0")
    again = Member(follower.code, follower.person)  # a reload, say
    there.hub.enter(again)
    there.hub.leave(follower)
    assert there.hub.own_answer(again, 1) == b"0"
    here.hub.change(teacher, lambda room: room.revealed(1))
    until(lambda: (room := there.hub.room(follower)) is not None and not room.is_open)
    there.hub.leave(again)
    assert here.hub.answers(teacher, 1) == {follower.person: b"0"}


def test_a_room_that_somebody_follows_is_kept_for_longer(
    stores: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "PRESENCE", 0.8)
    # Reports say whole seconds, and hold for 2.5 times it.
    monkeypatch.setattr(presence, "PRESENCE", 0.8)
    store = stores()
    process = Process(store)
    teacher = opened(process)

    def is_attended() -> bool:
        return store.get(teacher.code)[1] > LEFT_ALONE

    assert not is_attended()

    def asks() -> bool:
        process.news(teacher)
        return is_attended()

    follower = process.enter(teacher.code)
    until(asks)
    process.hub.leave(follower)
    until(lambda: not is_attended())
    process.enter(teacher.code)
    until(asks)
    for member in process.members:
        process.hub.leave(member)
    until(lambda: not is_attended())


def test_empty_rooms_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_ROOMS", 4)
    store = MemoryStore()
    for code in ("attended", "led"):
        store.put_newer(code, 1, b"room")
    for number in range(50):
        store.put_newer(f"abandoned {number}", 1, b"room")
        store.touch("attended", ATTENDED)
        store.touch("led")
    assert store.get("attended")
    assert store.get("led")
    assert [n for n in range(50) if store.get(f"abandoned {n}")] == [48, 49]


@pytest.fixture
def small() -> Iterator[Redis]:
    """A Redis with little memory, set up as in `deploy/`."""
    with own_redis() as server, redis.Redis(port=server.port) as asked:
        asked.config_set("maxmemory-policy", "volatile-ttl")
        asked.config_set("maxmemory", int(asked.info("memory")["used_memory"]) + 4_000_000)
        yield server


@pytest.mark.server
def test_in_redis_too_empty_rooms_go_first(small: Redis) -> None:
    store, state = RedisStore(small.url), b"x" * 20_000
    for code in ("attended", "other"):
        store.put_newer(code, 1, state)
        store.touch(code, ATTENDED)
        store.put_note(code, "answers-1", "somebody", b"0")
    for number in range(2000):
        store.put_newer(f"abandoned {number}", 1, state)
        store.put_note(f"abandoned {number}", "answers-1", "nobody", b"0" * 5000)
    with redis.Redis(port=small.port) as asked:
        assert asked.info("stats")["evicted_keys"] > 1000
    for code in ("attended", "other"):
        assert store.get(code)[0] == state
        assert store.notes(code, "answers-1") == {"somebody": b"0"}
