"""The states of trainings that are paused, on the disk: they are too large for the memory of all.

The files have no names. So they are gone with the process, however it ends.
"""

import tempfile
import threading
from collections.abc import Hashable
from typing import IO, Final

MOST: Final = 200  # each is an open file


class States:
    """Keeps as many states as may be, and drops those that were not asked for the longest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit  # bytes
        self._files: dict[Hashable, tuple[IO[bytes], int]] = {}
        self._lock = threading.Lock()

    def __del__(self) -> None:
        for file, _ in self._files.values():
            file.close()

    def put(self, key: Hashable, content: bytes) -> None:
        """Keep a state in place of an older one.

        Raises:
            OSError: the disk is full, say.
        """
        file = tempfile.TemporaryFile()  # noqa: SIM115  (it stays open)
        try:
            file.write(content)
            file.flush()
        except OSError:
            file.close()
            raise
        with self._lock:
            self._drop(key)
            self._files[key] = file, len(content)
            while len(self._files) > MOST or self._held() > self._limit:
                self._drop(next(iter(self._files)))

    def find(self, key: Hashable) -> bytes | None:
        """The state for `key`, or None."""
        with self._lock:
            if key not in self._files:
                return None
            file, _ = self._files[key] = self._files.pop(key)
            file.seek(0)
            return file.read()

    def drop(self, key: Hashable) -> None:
        """Forget a state."""
        with self._lock:
            self._drop(key)

    def _held(self) -> int:
        return sum(size for _, size in self._files.values())

    def _drop(self, key: Hashable) -> None:
        file, _ = self._files.pop(key, (None, 0))
        if file is not None:
            file.close()
