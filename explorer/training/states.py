"""The states of paused trainings, on the disk: together they are too large for memory.

The files have no names, so they are deleted when the process ends, however it ends.
"""

import tempfile
import threading
from collections.abc import Hashable
from typing import IO, Final

MAX_FILES: Final = 200  # each is an open file


class States:
    """Keeps a limited number of states; the least recently used one is dropped first."""

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
            OSError: for example, if the disk is full.
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
            while len(self._files) > MAX_FILES or self._held() > self._limit:
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
        """Delete a state."""
        with self._lock:
            self._drop(key)

    def _held(self) -> int:
        return sum(size for _, size in self._files.values())

    def _drop(self, key: Hashable) -> None:
        file, _ = self._files.pop(key, (None, 0))
        if file is not None:
            file.close()
