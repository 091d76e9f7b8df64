"""One cluster for all tests here."""

import asyncio
from collections.abc import Iterator

import pytest

from benchmarks.people import Person
from tests.deploy.cluster import Cluster, running


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """The cluster, with all of its replicas, whatever was done to them before."""
    started.revive()
    for replica in started.replicas:
        asyncio.run(open_a_page(replica))
    return started


async def open_a_page(replica: str) -> None:
    """Have a replica import what it needs: on a busy machine that takes its time."""
    person, _ = await Person.arrive(f"http://{replica}", "attention")
    await person.leave()
