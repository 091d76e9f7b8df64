"""Shared by all tests; a server and a browser are started once in a process that needs them."""

import inspect
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jaxtyping
import pytest
import torch
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.conftest import Server, Windows
    from tests.browser.visitor import Visitor

# jaxtyping checks every shape, and beartype every type, wherever there are shapes: thousands of
# small calls of the user interface have none. Nothing of explorer is imported before this.
ROOT = Path(__file__).parents[1]
WITH_SHAPES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for file in (ROOT / "explorer").rglob("*.py")
    if "from jaxtyping import" in file.read_text()
]
jaxtyping.install_import_hook(WITH_SHAPES, "beartype.beartype")

torch.set_num_threads(1)  # the tensors are tiny: more threads only wait for each other
torch.set_warn_always(True)  # or only the first test to call for a warning would fail

settings.register_profile("local", deadline=None, max_examples=12)
settings.register_profile("quick", settings.get_profile("local"), max_examples=5)
settings.register_profile("all", settings.get_profile("local"), max_examples=40)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


# What a test needs is seen by its fixtures.
NEEDED = {
    "browser": {"browser"},
    "server": {"server", "small_machine"},
    "all": {"cluster"},
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test by what it needs."""
    for mark, fixtures in NEEDED.items():
        if fixtures & set(getattr(item, "fixturenames", ())):
            item.add_marker(mark)


@pytest.hookimpl(trylast=True)  # of those that are left by -k and -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests: each of two processes gets half of them, and takes from the other's end.

    So each begins with long ones, and the short ones are shared at the end.
    """
    kinds: dict[str, list[pytest.Item]] = {"browser": [], "server": [], "other": []}
    for item in items:
        kinds[next(filter(item.get_closest_marker, ("browser", "server")), "other")].append(item)
    first, second, others = kinds.values()
    half = max(0, len(items) // 2 - len(first))
    items[:] = first + others[:half] + second + others[half:]


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Whatever language a test speaks, the next one begins in English."""
    from explorer.languages import ENGLISH, speak

    yield
    speak(ENGLISH)


@pytest.fixture(autouse=True)
def shapes_checked(request: pytest.FixtureRequest) -> None:
    """Slow tests run the code as the app does, unless all tests are run."""
    is_all = request.config.getoption("--hypothesis-profile") == "all"
    jaxtyping.config.update("jaxtyping_disable", "slow" in request.keywords and not is_all)


@pytest.fixture(scope="session")
def unchecked() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function without its runtime shape checks, as the app runs it.

    It is for tests of errors about shapes, which the checks would raise before.
    """
    return inspect.unwrap


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Server]":
    """The running app."""
    from tests.browser.conftest import serving

    with serving(tmp_path_factory.mktemp("server") / "log.txt") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A real Chromium. From its first use on, asyncio runs only in other threads than this one."""
    from tests.browser.conftest import launched

    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def windows(browser: "Browser", server: "Server") -> "Windows":
    """The browser's windows on the shared server."""
    from tests.browser.conftest import Windows

    return Windows(browser, server)


@pytest.fixture
def visit(
    browser: "Browser", server: "Server", windows: "Windows"
) -> "Iterator[Callable[..., Visitor]]":
    """Visitors of the shared server; whatever went wrong for one of them fails the test."""
    from tests.browser.conftest import visitors

    with visitors(browser, server, windows) as new_visitor:
        yield new_visitor
