"""One cluster for all tests here."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from tests.deploy.cluster import Cluster, Visitor, running
from tests.support.async_tests import run_async
from tests.support.people import Person
from tests.support.redis_server import Redis
from tests.support.servers import HEALTH, PATIENCE, Server


@pytest.fixture(scope="package")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """The Redis of the cluster."""
    server = Redis(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory, redis_server: Redis) -> Iterator[Cluster]:
    """Replicas whose host lets sites of this machine show them."""
    settings = {"EXPLORER_REDIS_URL": redis_server.url}
    settings["EXPLORER_FRAME_ANCESTORS"] = "http://127.0.0.1:*"
    with running(tmp_path_factory.mktemp("cluster"), **settings) as cluster:
        open_a_page_on(*cluster.replicas.values())
        yield cluster


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """The cluster, with all of its replicas, whatever was done to them before."""
    open_a_page_on(*started.revive())
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


def open_a_page_on(*replicas: Server) -> None:
    """Have replicas import what they need: on a busy machine that takes its time."""

    async def visit(replica: Server) -> None:
        person, _ = await Person.arrive(replica.url, "attention")
        await person.leave()

    async def visit_all() -> None:
        await asyncio.gather(*map(visit, replicas))

    run_async(visit_all)
