"""A Streamlit server and a headless Chromium to visit it with."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import launched as chromium
from tests.support.servers import free_addresses

__all__ = ["chromium"]  # the one driver of a browser that there is

ROOT: Final = Path(__file__).parents[1]
APP: Final = ROOT / "app.py"
EMPTY_APP: Final = ROOT / "benchmarks" / "empty_app.py"
# For an empty app: Streamlit's defaults without the file watcher, as in the explorer; or the
# explorer's settings, which also turn off the collection after each run.
USUAL: Final = ("--server.fileWatcherType=none",)
AS_THE_APP: Final = (*USUAL, "--runner.postScriptGC=false")
WINDOW: Final[ViewportSize] = {"width": 1366, "height": 768}
PLOT: Final = ".st-key-one_head .plot"
MODEL: Final[dict[str, Any]] = {
    "weights": "untrained", "d_model": 512, "heads": 8, "enc": 6, "dec": 6,
}  # fmt: skip
SENTENCES: Final = {
    "pairs": 1,
    "src": "the animal did not cross the street because it was too tired",
    "tgt": "das Tier ging nicht über die Straße weil es zu müde war",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A running `streamlit run`."""

    address: str
    process: subprocess.Popen[bytes]

    def url(self, page: str = "", **settings: object) -> str:
        """The address of a page with these settings."""
        return f"{self.address}/{page}?{urlencode(settings)}"


@contextmanager
def serve(
    script: Path,
    *options: str,
    patience: float = 60.0,
    before: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Start `streamlit run script` on a free port, with the configuration beside it; then stop it.

    `before` is called in the new process, before the program begins; `environment` is added to
    this process's.
    """
    (address,) = free_addresses(1)
    command = [
        sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true",
        "--server.address=127.0.0.1", f"--server.port={address.partition(':')[2]}", *options,
    ]  # fmt: skip
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=script.parent,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=before,
            env=os.environ | (environment or {}),
        )
        try:
            if not _answers(f"http://{address}/_stcore/health", process, patience):
                log.seek(0)
                raise RuntimeError(f"{script.name} did not start:\n{log.read().decode()}")
            yield Server(f"http://{address}", process)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(url: str, process: subprocess.Popen[bytes], patience: float) -> bool:
    end = time.monotonic() + patience
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(url, timeout=5):
                return True
        except (URLError, OSError):
            time.sleep(0.1)
    return False


def visit(page: Page, url: str, ready: str = "h1") -> None:
    """Open an address and wait until its script has run and `ready` is on the page."""
    page.goto(url)
    page.wait_for_selector(ready, state="attached", timeout=60_000)
    settle(page)


def settle(page: Page, pause: float = 0.3) -> None:
    """Wait until nothing is running; an error on the page ends the benchmark."""
    idle = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    page.wait_for_selector(idle, timeout=60_000)
    page.wait_for_timeout(1000 * pause)
    page.wait_for_selector(idle, timeout=60_000)
    if page.locator('[data-testid="stException"]').count():
        raise RuntimeError(page.locator('[data-testid="stException"]').first.inner_text())


def visit_attention(page: Page, server: Server, **changes: object) -> None:
    """Open the attention page with the benchmark's model, and wait for the picture."""
    settings = MODEL | SENTENCES | changes
    visit(page, server.url("attention", **settings), f"{PLOT}[data-drawn]")
    settle(page, 1.0)
