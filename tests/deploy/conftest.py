"""One cluster for all tests here."""

import time
from collections.abc import Iterator
from functools import partial

import pytest

from tests.deploy.cluster import Cluster, Visitor, running
from tests.support.async_tests import run_async
from tests.support.people import Person
from tests.support.redis_server import Redis
from tests.support.servers import HEALTH, PATIENCE


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """The Redis of the cluster."""
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory, redis_server: Redis) -> Iterator[Cluster]:
    url = redis_server.url
    with running(tmp_path_factory.mktemp("cluster"), EXPLORER_REDIS_URL=url) as cluster:
        yield cluster


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """The cluster, with all of its replicas, whatever was done to them before."""
    started.revive()
    for replica in started.replicas:
        run_async(partial(open_a_page, replica))
    # For some visitors after a failure, nginx still prefers the replicas that did not fail.
    end = time.monotonic() + PATIENCE
    while {newcomer(started) for _ in started.replicas} != set(started.replicas):
        assert time.monotonic() < end, "new visitors do not go to each replica in turn"
    return started


def newcomer(cluster: Cluster) -> str:
    """The replica that a new visitor is led to."""
    visitor = Visitor(cluster.proxy.address)
    visitor.get(HEALTH)
    return visitor.cookies["replica"]


async def open_a_page(replica: str) -> None:
    """Have a replica import what it needs: on a busy machine that takes its time."""
    person, _ = await Person.arrive(f"http://{replica}", "attention")
    await person.leave()
