"""A cache bounded in bytes, shared by all sessions of the process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Event, Lock
from typing import Generic, TypeVar

from explorer.runtime.turns import release_turn

V = TypeVar("V")


class ByteCache(Generic[V]):
    """Keeps the most recently used values, up to `limit` bytes.

    A single larger value is kept alone, or not at all with `keep_oversized=False`.

    Room is made *before* a value is created. If two sessions ask for the same value at once, it is
    made only once; requests for other values do not wait for it.
    """

    def __init__(self, limit: int, *, keep_oversized: bool = True) -> None:
        self.limit = limit
        self.keep_oversized = keep_oversized
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._held = 0  # bytes of all values
        self._lock = Lock()
        self._making: dict[Hashable, Event] = {}  # each is set when its value is done

    def get(self, key: Hashable, size: int, make: Callable[[], V]) -> V:
        """The value for `key`, made now if it is missing; `size` is its size in bytes."""
        mine = Event()
        while True:
            with self._lock:
                if key in self._values:
                    self._values.move_to_end(key)
                    return self._values[key][0]
                done = self._making.setdefault(key, mine)
                if done is mine:
                    self._make_room(size)
                    break
            with release_turn():  # the thread that makes it may be waiting for a turn
                done.wait()
            # Now the value is in the cache, unless making it failed or it is too large to keep.
        try:
            value = make()
            self.put(key, size, value)
            return value
        finally:
            with self._lock:
                del self._making[key]
            mine.set()

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._values

    @property
    def held(self) -> int:
        """Bytes held now."""
        with self._lock:
            return self._held

    def drop(self, key: Hashable) -> None:
        """Remove one value."""
        with self._lock:
            self._remove(key)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()
            self._held = 0

    def put(self, key: Hashable, size: int, value: V) -> None:
        """Store a finished value in place of an older one."""
        with self._lock:
            self._remove(key)
            self._make_room(size)
            if self._keeps(size):
                self._values[key] = (value, size)
                self._held += size

    def find(self, key: Hashable) -> V | None:
        """The value for `key`, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def _keeps(self, size: int) -> bool:
        return size <= self.limit or self.keep_oversized

    def _make_room(self, size: int) -> None:
        """Make room for a value that is kept; call it with the lock held."""
        while self._keeps(size) and self._values and self._held + size > self.limit:
            self._remove(next(iter(self._values)))

    def _remove(self, key: Hashable) -> None:
        _, size = self._values.pop(key, (None, 0))
        self._held -= size


class SplitCache(Generic[V]):
    """Two caches, for small and for large values: large values push out only large ones."""

    def __init__(self, limit: int) -> None:
        self._large_from = limit // 8
        self._small: ByteCache[V] = ByteCache(limit // 2)
        self._large: ByteCache[V] = ByteCache(limit // 2)

    def put(self, key: Hashable, size: int, value: V) -> None:
        """Store a value in place of an older one."""
        self.drop(key)
        (self._large if size > self._large_from else self._small).put(key, size, value)

    def find(self, key: Hashable) -> V | None:
        """The value for `key`, or None."""
        found = self._small.find(key)
        return self._large.find(key) if found is None else found

    def drop(self, key: Hashable) -> None:
        """Remove one value."""
        self._small.drop(key)
        self._large.drop(key)
