"""The state of a room, written and read."""

import pytest

from explorer.rooms.room import MAX_STATE, Activity, Room, RoomError, load


def test_a_room_is_loaded_with_its_activity() -> None:
    room = Room(code="A" * 8, lock="l", page="masks", params={"src": "<b>é"}, leader="s")
    assert load(room.dump()) == room
    asked = room.begin(question={"text": "?"}, source="s")
    assert load(asked.dump()) == asked


def test_each_change_has_a_newer_version_and_each_activity_a_new_number() -> None:
    room = Room(code="A" * 8, lock="l", paused=True)
    first = room.begin()
    second = first.next(activity=None).begin()
    assert room.version < first.version < second.version
    assert first.activity is not None
    assert second.activity is not None
    assert first.activity.number < second.activity.number
    assert not first.paused


def test_a_second_click_begins_no_second_activity() -> None:
    room = Room(code="A" * 8, lock="l", page="predict")
    asked = room.begin_once(after=0, source="s")
    assert asked is not None
    assert (asked.page, asked.activity) == ("room", Activity(number=1, source="s"))
    assert asked.begin_once(after=0, source="s") is None
    again = asked.begin_once(after=1)
    assert again is not None
    assert again.activity == Activity(number=2)


def test_answers_count_until_the_right_one_is_shown() -> None:
    asked = Room(code="A" * 8, lock="l").begin()
    assert asked.activity is not None
    assert asked.is_open
    assert asked.revealed(2) is None  # a question that is over
    assert (shown := asked.revealed(1)) is not None
    assert not shown.is_open
    assert not asked.next(closed=True).is_open
    assert not asked.next(activity=None).is_open


def test_the_size_of_a_room_is_limited() -> None:
    with pytest.raises(RoomError, match="shorten"):
        Room(code="A" * 8, lock="l", params={"src": "x" * MAX_STATE}).dump()
