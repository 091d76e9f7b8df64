"""How a server and a browser are started, and how visitors come and go."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.visitor import Visitor

ROOT = Path(__file__).parents[2]
# Streamlit's own server complains when a browser goes away while something is being sent to it.
GONE = re.compile(
    r"Exception in ASGI application\n(?:.*\n)*?.*WebSocketDisconnected: Cannot call \"send\".*\n"
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@dataclass(frozen=True)
class Server:
    """A running app: its address, and the file that its output goes to."""

    url: str
    log: Path


@contextmanager
def serving(log: Path) -> Iterator[Server]:
    """A server process of its own, started now and stopped at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    server = Server(f"http://127.0.0.1:{port}", log)
    try:
        for _ in range(600):
            if is_up(server):
                break
            if process.poll() is not None:
                pytest.fail(f"the server stopped:\n{log.read_text()}")
            time.sleep(0.1)
        else:
            pytest.fail(f"the server did not answer:\n{log.read_text()}")
        yield server
    finally:
        process.terminate()
        process.wait(20)


def is_up(server: Server) -> bool:
    """Whether the server answers. (Asking for its health runs no page.)"""
    try:
        with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser of this machine's, closed at the end."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.fail(f"no browser: install one of {NAMES}, or name one with CHROMIUM=/path/to/it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def visitors(browser: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Makes visitors, each with cookies of their own, and sees them off."""
    came: list[Visitor] = []
    logged = server.log.stat().st_size

    def new_visitor(address: str = "/", **context: Any) -> Visitor:
        context = {"viewport": {"width": 1366, "height": 768}, **context}
        visitor = Visitor(browser.new_context(**context), server.url)
        came.append(visitor)
        visitor.open(address)
        return visitor

    try:
        yield new_visitor
        for visitor in came:
            assert visitor.page.locator('[data-testid="stException"]').count() == 0
            assert visitor.problems == []
        new_lines = GONE.sub("", server.log.read_bytes()[logged:].decode())
        assert "Traceback" not in new_lines, new_lines
    finally:
        for visitor in came:
            visitor.context.close()
