"""Weights that the teacher trained reach those who follow on another replica."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from explorer.rooms.hub import REDIS_URL, hub
from explorer.runtime import engine
from explorer.ui.room import leading
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import pictures, texts
from tests.app.rooming import address, go_to, join, lead, redraw
from tests.support.redis_server import own_redis

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("no_other_rooms", "with_redis")]


@pytest.fixture
def trained() -> Iterator[str]:
    """The token of weights that were trained in this process."""
    token = trained_here.keep(load(shipped("reverse")))
    yield token
    trained_here.drop(token)


def in_another_process() -> None:
    """From now on, act as another process, which shares only Redis with the first."""
    hub.cache_clear()
    trained_here._cache.cache_clear()
    engine.engine.cache_clear()


def shows(trained: str) -> AppTest:
    """A teacher in a room, who shows these weights."""
    return go_to(lead(weights="here", run=trained), "attention")


@pytest.fixture
def with_redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with own_redis() as store:
        monkeypatch.setenv(REDIS_URL, store.url)
        hub.cache_clear()
        yield


def test_weights_that_the_teacher_trained_reach_a_follower_in_another_process(trained: str) -> None:
    teacher = shows(trained)
    in_another_process()
    follower = join(teacher)
    assert address(follower) == address(teacher)
    assert address(follower)[1].items() >= {"weights": "here", "run": trained}.items()
    assert pictures(follower)["one_head"]["spec"] == pictures(teacher)["one_head"]["spec"]
    assert "could not be brought here" not in texts(follower)


def test_a_follower_reads_that_the_weights_are_too_large_to_lend(
    trained: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leading, "MAX_LENT", 200_000)
    teacher = shows(trained)
    in_another_process()
    follower = join(teacher)
    assert address(follower)[1].get("weights") != "here"
    assert "The weights that the teacher shows could not be brought here" in texts(follower)


def test_joining_does_not_restore_older_weights(trained: str) -> None:
    teacher = shows(trained)
    first = trained_here.find(trained)
    assert first is not None
    trained_here.keep(replace(first, steps=first.steps + 10), trained)  # it trains on
    join(teacher)
    assert trained_here.find(trained).steps == first.steps + 10
    redraw(teacher)  # the same page, and the same address
    in_another_process()
    follower = join(teacher)
    assert address(follower) == address(teacher)
    assert trained_here.find(trained).steps == first.steps + 10
