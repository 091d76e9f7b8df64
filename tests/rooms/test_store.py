"""The contract of both stores, memory and a real Redis; and the limits of memory alone."""

from collections.abc import Callable

import pytest

from explorer.rooms import memory, redis_store
from explorer.rooms.codes import new_code
from explorer.rooms.room import RoomError
from explorer.rooms.store import ATTENDED, MAX_NOTE, Store
from tests.support.waiting import until

Stores = Callable[[], Store]


def state_of(store: Store, code: str) -> bytes | None:
    found = store.get(code)
    return None if found is None else found[0]


def test_only_a_newer_state_replaces_another(stores: Stores) -> None:
    store, code = stores(), new_code()
    assert store.get(code) is None
    assert store.put_newer(code, 2, b"two")
    assert not store.put_newer(code, 2, b"also two")
    assert not store.put_newer(code, 1, b"one")
    assert state_of(store, code) == b"two"
    assert store.put_newer(code, 10, b"ten")
    assert not store.put_newer(code, 9, b"nine")  # compared as numbers
    assert state_of(store, code) == b"ten"


def test_a_room_expires_unless_it_is_touched(stores: Stores) -> None:
    store, touched, code = stores(), new_code(), new_code()
    store.put_newer(touched, 1, b"touched", seconds=1)
    assert store.put_note(touched, "answers-1", "a", b"1")
    store.touch(touched, parts=["answers-1"])
    store.put_newer(code, 1, b"one", seconds=1)
    assert state_of(store, code) == b"one"
    until(lambda: store.get(code) is None)
    store.touch(code)
    assert store.get(code) is None
    assert not store.put_note(code, "answers-1", "a", b"1")
    assert state_of(store, touched) == b"touched"
    assert store.notes(touched, "answers-1") == {"a": b"1"}


def test_a_second_note_of_the_same_name_replaces_the_first(stores: Stores) -> None:
    store, code = stores(), new_code()
    store.put_newer(code, 1, b"one")
    assert store.put_note(code, "answers-1", "a", b"1")
    assert store.put_note(code, "answers-1", "b", b"2")
    assert store.put_note(code, "answers-1", "a", b"3")
    assert store.notes(code, "answers-1") == {"a": b"3", "b": b"2"}
    assert store.notes(code, "answers-2") == {}


def test_notes_are_bounded(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (memory, redis_store):
        monkeypatch.setattr(module, "MAX_PEOPLE", 3)
    store, code = stores(), new_code()
    store.put_newer(code, 1, b"one")
    kept = [store.put_note(code, "answers-1", name, b"1") for name in "abcde"]
    assert kept == [True, True, True, False, False]
    assert store.put_note(code, "answers-1", "a", b"2")  # whoever is there may change theirs
    assert not store.put_note(code, "answers-1", "a", b"x" * (MAX_NOTE + 1))
    assert store.notes(code, "answers-1") == {"a": b"2", "b": b"1", "c": b"1"}


def test_all_notes_of_a_process_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "ALL_NOTES", 100)
    monkeypatch.setattr(memory, "MAX_PARTS", 3)
    store, codes = memory.MemoryStore(), [new_code(), new_code()]
    for code in codes:
        store.put_newer(code, 1, b"one", seconds=60)
    assert store.put_note(codes[0], "presence", "a", b"x" * 30)
    assert store.put_note(codes[0], "answers-1", "a", b"x" * 30)
    assert store.put_note(codes[1], "answers-1", "a", b"x" * 30)
    assert not store.put_note(codes[1], "answers-1", "b", b"x" * 30)
    assert not store.put_note(codes[1], "answers-1", "a", b"x" * 50)
    assert store.put_note(codes[1], "answers-1", "a", b"x")  # smaller than before
    assert store.put_note(codes[1], "answers-1", "b", b"x" * 30)
    for number in range(2, 5):  # answers of earlier activities are forgotten
        store.put_note(codes[0], f"answers-{number}", "a", b"")
    assert store.put_note(codes[0], "answers-4", "b", b"x" * 39)
    assert not store.put_note(codes[0], "answers-4", "c", b"x")
    assert store.put_newer(codes[1], 2, b"closed", seconds=-1)
    assert store.get(codes[1]) is None
    assert store.put_note(codes[0], "answers-4", "c", b"x" * 31)


def test_tries_are_counted_for_each_visitor(stores: Stores) -> None:
    store, who = stores(), new_code()
    assert [store.count_tries(who, 60) for _ in range(3)] == [1, 2, 3]
    assert store.count_tries(who, 60, 0) == 3
    assert store.count_tries(new_code(), 60, 0) == 0
    assert store.count_tries(new_code(), 60) == 1


def test_tries_are_forgotten(stores: Stores) -> None:
    store, who = stores(), new_code()
    assert store.count_tries(who, 1) == 1
    until(lambda: store.count_tries(who, 1, 0) == 0)
    assert store.count_tries(who, 1) == 1


def test_the_number_of_rooms_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_ROOMS", 2)
    store = memory.MemoryStore()
    store.put_newer("A", 1, b"a", seconds=ATTENDED)
    store.put_newer("B", 1, b"b", seconds=-1)  # over already
    store.put_newer("C", 1, b"c", seconds=ATTENDED)
    with pytest.raises(RoomError, match="2 rooms"):
        store.put_newer("D", 1, b"d")
    assert store.put_newer("A", 2, b"a again")
