"""One server for what is sent to it without a browser, and a browser where one is needed."""

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import ARGUMENTS, NAMES, Server, serving, visitors
from tests.browser.visitor import Visitor


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture(scope="module")  # not longer: its event loop would be in the way of other tests'
def browser() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.fail(f"no browser: install one of {NAMES}, or name one with CHROMIUM=/path/to/it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Visitors of the shared server; whatever went wrong for one of them fails the test."""
    with visitors(browser, server) as new_visitor:
        yield new_visitor
