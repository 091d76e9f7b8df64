"""The two stores: every test of one also holds for the other, a real Redis."""

from collections.abc import Callable, Iterator

import pytest

from explorer.rooms.memory import MemoryStore
from explorer.rooms.redis_store import RedisStore
from explorer.rooms.store import Store
from tests.support.redis_server import Redis


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    started = Redis(tmp_path_factory.mktemp("redis"))
    yield started
    started.stop()


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.server)])
def stores(request: pytest.FixtureRequest) -> Callable[[], Store]:
    """Makes the stores of several processes: in memory there is only one."""
    if request.param == "memory":
        only = MemoryStore()
        return lambda: only
    server: Redis = request.getfixturevalue("server")
    return lambda: RedisStore(server.url)
