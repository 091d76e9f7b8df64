"""States on the disk: which are kept, and which are dropped."""

import tempfile
from pathlib import Path

import pytest

from explorer.training import states
from explorer.training.states import States


def test_the_newest_state_is_found() -> None:
    kept = States(100)
    assert kept.find(1) is None
    kept.put(1, b"one")
    kept.put(1, b"two")
    kept.put(2, b"")
    assert (kept.find(1), kept.find(1), kept.find(2)) == (b"two", b"two", b"")
    kept.drop(1)
    kept.drop(1)
    assert kept.find(1) is None


def test_the_least_recently_used_state_is_dropped() -> None:
    kept = States(10)
    kept.put(1, b"1111")
    kept.put(2, b"2222")
    assert kept.find(1) == b"1111"
    kept.put(3, b"3333")
    assert [kept.find(key) for key in (1, 2, 3)] == [b"1111", None, b"3333"]
    kept.put(4, b"too large by far")
    assert [kept.find(key) for key in (1, 3, 4)] == [None, None, None]


def test_the_number_of_files_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MAX_FILES", 2)
    kept = States(100)
    for key in range(3):
        kept.put(key, b"x")
    assert [kept.find(key) for key in range(3)] == [None, b"x", b"x"]


def test_nothing_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = States(100)
    kept.put(1, b"one")
    assert not list(tmp_path.iterdir())  # also while it is kept
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(FileNotFoundError):
        kept.put(1, b"two")
    assert kept.find(1) == b"one"
