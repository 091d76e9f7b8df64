"""Programs that serve an address of this machine: they are started, killed and started again."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psutil

ROOT: Final = Path(__file__).parents[2]
HEALTH: Final = "/_stcore/health"
PATIENCE: Final = 60.0  # seconds


def free_addresses(count: int) -> list[str]:
    """Addresses on loopback that nobody serves."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for free in sockets:
            free.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{free.getsockname()[1]}" for free in sockets]


class Server:
    """A program that serves an address, and its output in a file."""

    def __init__(self, address: str, log: Path, command: list[str], **settings: str) -> None:
        self.address = address
        self.url = f"http://{address}"
        self.log = log
        self._command = command
        self._settings = settings
        self.start()

    def start(self) -> None:
        """Start it; it answers a few seconds later."""
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env={**os.environ, **self._settings},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait(self) -> None:
        """Wait until it answers. (Asking for its health runs no page.)"""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.is_running:
            try:
                with urllib.request.urlopen(f"{self.url}{HEALTH}", timeout=1) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"{self.address} does not answer:\n{self.log.read_text()}")

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.address.split(":")[1])

    @property
    def is_running(self) -> bool:
        """Whether it has not been ended."""
        return self._process.poll() is None

    @property
    def process(self) -> psutil.Process:
        """Its process, with what it uses."""
        return psutil.Process(self._process.pid)

    @property
    def memory(self) -> int:
        """The bytes that it has."""
        return self.process.memory_info().rss

    def kill(self) -> None:
        """End it as a crash does."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it in order."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


def app(address: str, log: Path, script: Path = ROOT / "app.py", **settings: str) -> Server:
    """The app at this address, with settings in its environment."""
    host, port = address.split(":")
    here = {"STREAMLIT_SERVER_ADDRESS": host, "STREAMLIT_SERVER_PORT": port}
    here |= {"STREAMLIT_SERVER_HEADLESS": "true", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    return Server(address, log, command, **settings | here)


@contextmanager
def serving(log: Path, script: Path = ROOT / "app.py", **settings: str) -> Iterator[Server]:
    """An app of one's own, running; stopped at the end."""
    (address,) = free_addresses(1)
    server = app(address, log, script, **settings)
    try:
        server.wait()
        yield server
    finally:
        server.stop()
