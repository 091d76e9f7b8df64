"""One cluster for all tests here."""

from collections.abc import Iterator

import pytest

from tests.deploy.cluster import Cluster, running


@pytest.fixture(scope="package")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """The cluster, with all of its replicas, whatever was done to them before."""
    started.revive()
    return started
