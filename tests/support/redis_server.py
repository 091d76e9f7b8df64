"""A real Redis, which can be ended and started again."""

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from tests.support.waiting import until


class Redis:
    """A Redis of one's own, which can be ended and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        program = shutil.which("redis-server")
        assert program, "there is no redis-server: `make servers` installs it"
        command = [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(
            [*command, "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        with redis.Redis(port=self.port) as client:
            until(lambda: _answers(client))

    def stop(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait()


@contextmanager
def own_redis() -> Iterator[Redis]:
    """A Redis that is ended afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        store = Redis(Path(folder))
        try:
            yield store
        finally:
            store.stop()


def _answers(client: "redis.Redis") -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
