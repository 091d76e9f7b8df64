"""The state of a room, written and read."""

import pytest

from explorer.rooms.room import MAX_STATE, Activity, Room, RoomError, load

ROOM = Room(code="A" * 8, lock="l", page="masks", params={"src": "<b>é"}, leader="s", paused=True)


def test_a_room_is_loaded_with_its_activity() -> None:
    assert load(ROOM.dump()) == ROOM
    asked = ROOM.begin(after=0, question={"text": "?"}, source="s")
    assert asked is not None
    assert load(asked.dump()) == asked


def test_each_question_has_a_new_number_and_a_second_click_begins_none() -> None:
    first = ROOM.begin(after=0, source="s")
    assert first is not None
    assert first.begin(after=0, source="s") is None
    second = first.next(activity=None).begin(after=1)
    assert second is not None
    assert ROOM.version < first.version < second.version
    assert (first.page, first.paused) == ("room", False)
    assert (first.activity, second.activity) == (Activity(number=1, source="s"), Activity(number=2))


def test_answers_count_until_the_right_one_is_shown() -> None:
    asked = ROOM.begin(after=0)
    assert asked is not None
    assert asked.is_open
    assert asked.revealed(2) is None  # a question that is over
    assert asked.ended(2) is None
    assert (shown := asked.revealed(1)) is not None
    assert not shown.is_open
    assert not asked.next(closed=True).is_open
    assert not asked.next(activity=None).is_open


def test_the_size_of_a_room_is_limited() -> None:
    with pytest.raises(RoomError, match="shorten"):
        Room(code="A" * 8, lock="l", params={"src": "x" * MAX_STATE}).dump()
