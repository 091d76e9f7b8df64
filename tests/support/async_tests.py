"""Run asynchronous code from ordinary tests."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import Any, TypeVar

from tests.support.people import PATIENCE

T = TypeVar("T")


def run_async(function: Callable[[], Awaitable[T]], seconds: float = 10 * PATIENCE) -> T:
    """Run a coroutine function with a time limit, and return its result.

    It runs in a thread of its own: the thread of the tests may already run a browser's event loop.
    """

    async def bounded() -> T:
        return await asyncio.wait_for(function(), seconds)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, bounded()).result()


def async_test(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Make an asynchronous test an ordinary one: pytest itself runs none."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        run_async(partial(test, *given, **named))

    return run
