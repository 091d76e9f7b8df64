"""One server for what is sent to it without a browser, and a browser where one is needed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import launched, server, visit

__all__ = ["browser", "server", "visit"]


@pytest.fixture(scope="module")  # not longer: its event loop would be in the way of other tests'
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser
