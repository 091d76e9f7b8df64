"""Run what is asynchronous from a test that is not."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import Any, TypeVar

from tests.support.people import PATIENCE

T = TypeVar("T")


def together(visit: Callable[[], Awaitable[T]], seconds: float = 10 * PATIENCE) -> T:
    """Run a visit, bounded in time, from a test that is not asynchronous.

    It runs in a thread of its own: in the tests' there may be the loop of a browser.
    """

    async def bounded() -> T:
        return await asyncio.wait_for(visit(), seconds)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, bounded()).result()


def asynchronous(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """A test that is asynchronous, for pytest, which knows none."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        together(partial(test, *given, **named))

    return run
