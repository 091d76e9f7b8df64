"""Servers that are started on a port of one's choice, with less memory, and killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.browser.conftest import Server, is_up

ROOT: Final = Path(__file__).parents[2]
SMALL_MACHINE: Final = Path(__file__).with_name("small_machine.py")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class Restartable:
    """A server that can be killed, and started again at the same address."""

    log: Path
    script: Path = ROOT / "app.py"
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def server(self) -> Server:
        return Server(f"http://127.0.0.1:{self.port}", self.log)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", str(self.script)]
        command += ["--server.headless", "true", "--server.address", "127.0.0.1"]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [*command, "--server.port", str(self.port)],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        for _ in range(600):
            if is_up(self.server):
                return
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        raise AssertionError(f"the server did not answer:\n{self.log.read_text()}")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, and wait until it is gone."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(20)
            self.process = None


@contextmanager
def restartable(log: Path, script: Path = ROOT / "app.py") -> Iterator[Restartable]:
    """A server of one's own, running."""
    one = Restartable(log, script)
    try:
        one.start()
        yield one
    finally:
        one.end()
