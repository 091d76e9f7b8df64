"""How new a room is, over the network: for those with its pass, and for nobody else."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from explorer.rooms.codes import new_name, pass_of
from explorer.rooms.hub import NO_ROOM, hub
from explorer.rooms.member import Member
from explorer.rooms.memory import MemoryStore
from explorer.web import news
from explorer.web.news import FOLLOWS, PASS, ROOM, SEAT


@pytest.fixture
def teacher() -> Iterator[Member]:
    """A teacher with an open room, in this process."""
    hub.cache_clear()
    seat = new_name()
    code, secret = hub().open({}, seat)
    found = Member(code, seat=seat, secret=secret)
    found.browser_pass = pass_of(hub().enter(found).lock)
    yield found
    hub.cache_clear()


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(news, "_refused", MemoryStore())
    return TestClient(Starlette(routes=[Route("/news", news.news)]))


def asked(client: TestClient, **headers: str) -> str:
    answer = client.get("/news", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return str(answer.json()["version"])


def test_a_window_that_asks_is_there_until_it_is_closed(
    client: TestClient, teacher: Member
) -> None:
    window = {ROOM: teacher.code, PASS: teacher.browser_pass, SEAT: new_name()}
    before = asked(client, **window, **{FOLLOWS: "yes"})
    assert before != NO_ROOM
    assert hub().people(teacher.code) == (1, 0)
    hub().change(teacher, lambda room: room.next(page="masks"))
    assert asked(client, **window, **{FOLLOWS: "yes"}) != before
    asked(client, **window, **{FOLLOWS: "no"})
    assert hub().people(teacher.code) == (1, 1)
    asked(client, **window, **{FOLLOWS: "gone"})
    assert hub().people(teacher.code) == (0, 0)


def test_followers_wait_a_moment_for_a_change_and_nobody_else_does(
    client: TestClient, teacher: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(news, "sleep", sleep)
    window = {ROOM: teacher.code, PASS: teacher.browser_pass, SEAT: new_name(), FOLLOWS: "yes"}
    asked(client, **window)
    assert slept == [0.0]
    hub().change(teacher, lambda room: room.next(page="masks"))
    asked(client, **window)
    assert slept.pop() > 0
    for others in ({FOLLOWS: "no"}, {PASS: "x"}):
        asked(client, **window | others)
    assert slept == [0.0]


def test_without_the_pass_there_is_no_room(client: TestClient, teacher: Member) -> None:
    right = {ROOM: teacher.code, PASS: teacher.browser_pass, SEAT: new_name(), FOLLOWS: "yes"}
    for wrong in (
        {PASS: "x"}, {PASS: ""}, {ROOM: "0" * 8}, {ROOM: "<b>"}, {SEAT: "Anna"}, {SEAT: ""},
    ):  # fmt: skip
        assert asked(client, **right | wrong) == NO_ROOM
    assert asked(client) == NO_ROOM
    assert hub().people(teacher.code) == (0, 0)


def test_who_asks_in_vain_too_often_is_not_looked_up_and_others_are(
    client: TestClient, teacher: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "WRONG_CODES_PER_ADDRESS", 3)
    seen: list[str] = []
    get = hub().store.get

    def look_up(code: str) -> tuple[bytes, float] | None:
        seen.append(code)
        return get(code)

    monkeypatch.setattr(hub().store, "get", look_up)
    tried = [f"0000000{n}" for n in range(6)]
    for code in tried:
        assert asked(client, **{ROOM: code, PASS: "x", SEAT: new_name()}) == NO_ROOM
    assert seen == tried[:3]
    right = {ROOM: teacher.code, PASS: teacher.browser_pass, SEAT: new_name(), FOLLOWS: "yes"}
    assert asked(client, **right) != NO_ROOM
