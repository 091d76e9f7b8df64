"""The limits that only a store in memory has."""

import pytest

from explorer.rooms import memory
from explorer.rooms.memory import MemoryStore
from explorer.rooms.room import RoomError
from explorer.rooms.store import ATTENDED


def test_the_number_of_rooms_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_ROOMS", 2)
    store = MemoryStore()
    store.put_newer("A", 1, b"a", seconds=ATTENDED)
    store.put_newer("B", 1, b"b", seconds=-1)  # over already
    store.put_newer("C", 1, b"c", seconds=ATTENDED)
    with pytest.raises(RoomError, match="2 rooms"):
        store.put_newer("D", 1, b"d")
    assert store.put_newer("A", 2, b"a again")
