"""A room whose people are served by three replicas, which share it through Redis."""

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from explorer.rooms.presence import PRESENT
from tests.browser.lesson import is_at, lesson
from tests.browser.visitor import Visitor as Window
from tests.deploy.cluster import Cluster
from tests.support.redis_server import Redis


@pytest.fixture
def visit(browser: Browser, cluster: Cluster) -> Iterator[Callable[..., Window]]:
    """Windows with cookies of their own, at the proxy: one on each replica, then from the first."""
    came: list[Window] = []
    places = cycle(cluster.replicas)

    def open_window(address: str, *, fresh: bool = True, **context: Any) -> Window:
        proxy = f"http://{cluster.proxy.address}"
        window = Window(browser.new_context(**context), proxy)
        window.context.add_cookies([{"name": "replica", "value": next(places), "url": proxy}])
        came.append(window)
        window.open(address)
        return window

    yield open_window
    for window in came:
        window.context.close()


def replica_of(window: Window) -> str:
    (found,) = (c["value"] for c in window.context.cookies() if c["name"] == "replica")
    return str(found)


def test_a_lesson_on_three_replicas(
    visit: Callable[..., Window], cluster: Cluster, redis_server: Redis
) -> None:
    teacher, followers = lesson(visit)
    assert {replica_of(window) for window in (teacher, *followers)} == set(cluster.replicas)

    # A replica dies: whoever was there is led on by another.
    moved = next(window for window in followers if replica_of(window) != replica_of(teacher))
    cluster.replicas[replica_of(moved)].kill()
    teacher.go_to("Stack")
    for follower in followers:
        is_at(follower, "stack")
    # A question that two replicas heard, as one was dying, counts twice for a while.
    line = teacher.page.locator(".st-key-room_bar")
    expect(line).to_contain_text("3 follow", timeout=1.5 * 1000 * PRESENT)

    # Redis goes away: everybody keeps their picture; and it goes on by itself.
    redis_server.stop()
    teacher.go_to("Tokens")
    for window in (teacher, *followers):
        expect(window.page.get_by_text("waiting for its connection")).to_be_visible()
    assert all("/stack" in follower.address for follower in followers)
    redis_server.start()
    expect(teacher.page.get_by_text("waiting for its connection")).to_have_count(0)
    teacher.go_to("Masks")
    for follower in followers:
        is_at(follower, "masks")
