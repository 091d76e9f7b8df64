"""The cache that all sessions share: bounded in bytes, the values used last kept."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.runtime.cache import ByteCache, SplitCache


def test_a_failed_value_is_not_kept_and_blocks_nobody() -> None:
    cache: ByteCache[str] = ByteCache(10)

    def fail() -> str:
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        cache.get("a", 4, fail)
    assert cache.held == 0
    assert cache.get("a", 4, lambda: "made now") == "made now"


@settings(max_examples=100)
@given(
    st.integers(1, 20),
    st.lists(
        st.tuples(
            st.sampled_from(["get", "put", "find", "drop"]),
            st.sampled_from("abcd"),
            st.integers(0, 12),
        ),
        max_size=40,
    ),
)
def test_bound_and_order_against_a_plain_model(
    limit: int, calls: list[tuple[str, str, int]]
) -> None:
    cache: ByteCache[int] = ByteCache(limit)
    expected: list[tuple[str, int, int]] = []  # key, value, size: oldest first
    for number, (call, key, size) in enumerate(calls):

        def make(number: int = number, size: int = size) -> int:
            # The bound holds while the new value comes into being, too.
            assert cache.held + size <= max(limit, size)
            return number

        known = [entry for entry in expected if entry[0] == key]
        expected = [entry for entry in expected if entry[0] != key]
        if call == "drop":
            cache.drop(key)
        elif call == "find":
            assert cache.find(key) == (known[0][1] if known else None)
            expected += known
        elif call == "get" and known:
            assert cache.get(key, size, make) == known[0][1]
            expected += known
        else:
            if call == "get":
                assert cache.get(key, size, make) == number
            else:
                cache.put(key, size, number)
            while expected and sum(held for *_, held in expected) + size > limit:
                expected.pop(0)
            expected.append((key, number, size))
        assert cache.held == sum(held for *_, held in expected)
        assert {key for key in "abcd" if key in cache} == {key for key, *_ in expected}


@pytest.mark.parametrize("keep_oversized", [True, False])
def test_a_stored_value_larger_than_the_bound(keep_oversized: bool) -> None:
    cache: ByteCache[str] = ByteCache(10, keep_oversized=keep_oversized)
    cache.put("a", 4, "small")
    cache.put("huge", 100, "huge")
    assert cache.find("huge") == ("huge" if keep_oversized else None)
    assert cache.find("a") == (None if keep_oversized else "small")
    assert cache.held == (100 if keep_oversized else 4)


def test_storing_a_value_while_another_is_made_keeps_the_bound() -> None:
    cache: ByteCache[str] = ByteCache(10)

    def make() -> str:
        cache.put("b", 8, "put meanwhile")
        return "made"

    assert cache.get("a", 6, make) == "made"
    assert cache.held == 6
    assert (cache.find("a"), cache.find("b")) == ("made", None)


def test_sessions_that_ask_at_once_share_one_value() -> None:
    cache: ByteCache[object] = ByteCache(100)
    together = threading.Barrier(8)
    made: list[int] = []

    def make() -> object:
        threading.Event().wait(0.02)  # long enough for all others to come and ask
        made.append(1)
        return object()

    def ask(session: int) -> tuple[object, object]:
        together.wait()
        return cache.get("shared", 10, make), cache.get(f"own {session % 2}", 10, make)

    with ThreadPoolExecutor(8) as sessions:
        answers = list(sessions.map(ask, range(8)))
    assert len({id(shared) for shared, _ in answers}) == 1
    assert len(made) == 3


@contextmanager
def being_made(key: str, size: int, cache: ByteCache[str]) -> Iterator[ThreadPoolExecutor]:
    """A session makes a value that is ready only at the end; yields what others can ask in."""
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> str:
        begun.set()
        assert go_on.wait(10)
        return key

    with ThreadPoolExecutor(2) as sessions:
        slow = sessions.submit(cache.get, key, size, slowly)
        assert begun.wait(10)
        try:
            yield sessions
        finally:
            go_on.set()
        assert slow.result(timeout=60) == key


def test_nobody_waits_for_another_value() -> None:
    cache: ByteCache[str] = ByteCache(10)
    cache.put("old", 2, "old")
    with being_made("slow", 7, cache) as others:
        for key in ("quick", "old"):
            found = others.submit(cache.get, key, 1, partial(str, key))
            assert found.result(timeout=60) == key
    assert (cache.find("quick"), cache.find("slow"), cache.held) == ("quick", "slow", 10)


def test_large_values_push_out_only_large_values() -> None:
    split_cache: SplitCache[str] = SplitCache(80)
    for n in range(4):
        split_cache.put(n, 10, f"small {n}")
    split_cache.put("a", 36, "large a")
    split_cache.put("b", 36, "large b")
    assert [split_cache.find(n) for n in range(4)] == [f"small {n}" for n in range(4)]
    assert (split_cache.find("a"), split_cache.find("b")) == (None, "large b")
    split_cache.put("c", 10, "one more")
    assert split_cache.find(0) is None
    assert split_cache.find("b") == "large b"


def test_a_value_that_grows_or_shrinks_is_held_once() -> None:
    split_cache: SplitCache[str] = SplitCache(100)
    split_cache.put("k", 45, "large")
    split_cache.put("k", 5, "small")
    assert split_cache.find("k") == "small"
    split_cache.put("k", 40, "large again")
    assert split_cache.find("k") == "large again"
    split_cache.drop("k")
    assert split_cache.find("k") is None
