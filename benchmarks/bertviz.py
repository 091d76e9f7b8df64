"""The reference: BertViz 1.4.1, the size of its pages and the speed of redrawing them.

BertViz is not a requirement of this project. For one run, it and the scripts that its page loads
from the internet are fetched with pip and npm into a folder that is deleted afterwards.
"""

import atexit
import importlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final, Literal
from unittest.mock import patch

import torch
from playwright.sync_api import Browser, Page, Route

from benchmarks import browser

LAYERS: Final = 6
HEADS: Final = 8
SWITCHES: Final = 6
WARM_UP: Final = 1
PATIENCE: Final = 120.0  # seconds
ADDRESS: Final = "http://bertviz.test/"  # answered by `_open`, as are the addresses in SCRIPTS
CDN: Final = "https://cdnjs.cloudflare.com/ajax/libs"

# The scripts of BertViz's page: the npm package, and the file in it. jQuery 2.0.0 was never
# published there; 2.1.0 is the nearest, and BertViz only uses it to select, empty and listen.
SCRIPTS: Final = {
    f"{CDN}/require.js/2.3.6/require.min.js": ("requirejs@2.3.6", "require.js"),
    f"{CDN}/jquery/2.0.0/jquery.min.js": ("jquery@2.1.0", "dist/jquery.min.js"),
    f"{CDN}/d3/5.7.0/d3.min.js": ("d3@5.7.0", "dist/d3.min.js"),
}

# Chooses another attention and measures the time from the change event to the first frame painted
# after the picture was replaced. BertViz draws inside the event, and the observer is called when
# that is done; the second of two frames begins after the page has painted the first one. The
# browser may still be rasterising, so the time flatters a picture of many lines.
SWITCH: Final = """
([option, patience]) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`no new picture within ${patience} ms`)), patience);
  const picture = document.querySelector("#vis");
  const select = document.querySelector("#filter");
  let start;
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve({
      milliseconds: performance.now() - start,
      lines: picture.querySelectorAll("line").length,
    })));
  }).observe(picture, { childList: true });
  select.value = option;
  start = performance.now();
  select.dispatchEvent(new Event("change", { bubbles: true }));
})
"""


@dataclass(frozen=True, slots=True)
class BertViz:
    """The cost of one of BertViz's pages."""

    page_bytes: int  # of the page with all three attentions
    switch: list[float]  # milliseconds, one per switch


def measure_view(chromium: Browser, view: Literal["head", "model"], tokens: int = 64) -> BertViz:
    """One view of an encoder-decoder with `tokens` source tokens and as many target tokens.

    The head view draws one layer at a time, the model view all of them. In both, the drop-down
    cycles through encoder, decoder and cross-attention.
    """
    html = _html(view, tokens)
    lines = HEADS * tokens**2 * (LAYERS if view == "model" else 1)
    page = chromium.new_page(viewport=browser.WINDOW)
    try:
        _open(page, html)
        times = [_switch(page, n % 3, lines) for n in range(1, 1 + WARM_UP + SWITCHES)]
    finally:
        page.close()
    return BertViz(len(html.encode()), times[WARM_UP:])


def _switch(page: Page, option: int, lines: int) -> float:
    """Milliseconds of one switch; the check that every weight has a line is not timed."""
    page.wait_for_timeout(500)
    seen = page.evaluate(SWITCH, [str(option), 1000 * PATIENCE])
    if seen["lines"] != lines:
        raise RuntimeError(f"BertViz drew {seen['lines']} lines, and {lines} were expected")
    milliseconds: float = seen["milliseconds"]
    return milliseconds


def _open(page: Page, html: str) -> None:
    """Show BertViz's page unmodified, and answer its requests to the internet."""
    scripts = _scripts()

    def answer(route: Route) -> None:
        url = route.request.url
        if url == ADDRESS:
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif url in scripts:
            route.fulfill(body=scripts[url], content_type="text/javascript; charset=utf-8")
        else:
            route.abort()

    page.route("**/*", answer)
    page.goto(ADDRESS, timeout=1000 * PATIENCE)
    page.wait_for_selector("#vis svg", state="attached", timeout=1000 * PATIENCE)


def _html(view: Literal["head", "model"], tokens: int) -> str:
    """BertViz's page for random attention; the decoder's is causal, as in a model."""
    shape = (LAYERS, 1, HEADS, tokens, tokens)
    dice = torch.Generator().manual_seed(0)
    encoder, decoder, cross = torch.randn(3, *shape, generator=dice)
    future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    html: str = _bertviz(view)(
        encoder_attention=list(encoder.softmax(-1)),
        decoder_attention=list(decoder.masked_fill(future, -torch.inf).softmax(-1)),
        cross_attention=list(cross.softmax(-1)),
        encoder_tokens=[f"source{n}" for n in range(tokens)],
        decoder_tokens=[f"target{n}" for n in range(tokens)],
        html_action="return",
    ).data
    return html


@cache
def _bertviz(view: str) -> Callable[..., Any]:
    """BertViz's `head_view` or `model_view`.

    It imports IPython only to wrap its texts, so IPython is replaced here.
    """
    folder = str(_package())
    display = ModuleType("IPython.display")
    for name in ("display", "HTML", "Javascript"):
        setattr(display, name, lambda text: SimpleNamespace(data=text))
    fakes = {"IPython": ModuleType("IPython"), "IPython.display": display}
    with patch.dict(sys.modules, fakes), patch.object(sys, "path", [folder, *sys.path]):
        found: Callable[..., Any] = getattr(importlib.import_module("bertviz"), f"{view}_view")
    return found


@cache
def _package() -> Path:
    """A folder with BertViz in it, kept until the end: BertViz reads its script when it draws."""
    folder = tempfile.TemporaryDirectory(prefix="bertviz")
    atexit.register(folder.cleanup)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _fetch("pip", [*pip, "--no-deps", "--target", folder.name, "bertviz==1.4.1"], folder.name)
    return Path(folder.name)


@cache
def _scripts() -> dict[str, bytes]:
    """The scripts, by their address in BertViz's page."""
    with tempfile.TemporaryDirectory() as folder:
        packages = [package for package, _ in SCRIPTS.values()]
        # On Windows npm is a script that is only found by its full name.
        _fetch("npm", [shutil.which("npm") or "npm", "pack", "--loglevel=error", *packages], folder)
        return {url: _unpack(Path(folder), *where) for url, where in SCRIPTS.items()}


def _unpack(folder: Path, package: str, path: str) -> bytes:
    with tarfile.open(folder / f"{package.replace('@', '-')}.tgz") as archive:
        file = archive.extractfile(f"package/{path}")
        if file is None:
            raise RuntimeError(f"npm's {package} has no file {path}")
        return file.read()


def _fetch(tool: str, command: list[str], folder: str) -> None:
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or b""
        raise RuntimeError(
            f"the comparison with BertViz needs {tool} to fetch packages, and it could not: "
            f"{error}\n{output.decode(errors='replace')}"
        ) from error
