"""Files of visitors: taken for a field that waits for them, within bounds, and freed."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from explorer.runtime import limits, shares
from explorer.web import files
from explorer.web.files import BOX, FILES, NAME, OnlyFiles, TakenFile, box, take_file
from tests.support.async_tests import async_test, run_async

APP: Final = Starlette(
    routes=[Route(f"/{FILES}", take_file, methods=["PUT"])], middleware=[Middleware(OnlyFiles)]
)
SENDER: Final = TestClient(APP)


@pytest.fixture(autouse=True)
def fields_go() -> Iterator[None]:
    """The client may keep the frames of a test, with its fields, in a circle."""
    yield
    gc.collect()


def send(content: bytes, name: str = "a.txt", *, to: str = "mine") -> int:
    """Send a file; the status of the answer."""
    return SENDER.put(f"/{FILES}", content=content, headers={BOX: to, NAME: name}).status_code


async def status(parts: AsyncIterator[bytes], length: int | str, name: str = "a.txt") -> int:
    """The status of a file that comes in parts."""
    answers: list[Message] = []

    async def receive() -> Message:
        try:
            return {"type": "http.request", "body": await anext(parts), "more_body": True}
        except StopAsyncIteration:
            return {"type": "http.request", "body": b"", "more_body": False}

    async def answer(message: Message) -> None:
        answers.append(message)

    headers = {BOX: "mine", NAME: name, "content-length": str(length)}
    scope = {
        "type": "http",
        "method": "PUT",
        "path": f"/{FILES}",
        "headers": [(key.encode(), text.encode()) for key, text in headers.items()],
    }
    await APP(scope, receive, answer)
    return int(answers[0]["status"])


async def parts(
    count: int, size: int = 1, pause: float = 0.0, between: Callable[[], None] = lambda: None
) -> AsyncIterator[bytes]:
    for _ in range(count):
        await asyncio.sleep(pause)
        yield bytes(size)
        between()


def test_what_a_field_is_given_is_taken_once() -> None:
    field = box("mine", 100)
    assert send(b"one") == send(b"two", "%C3%A4%2F..%2F%3Cb%3E") == send(b"3", "other") == 204
    assert field.take() == []  # the others may still be on their way
    field.give(["a.txt", "ä/../<b>"])
    assert field.take() == [TakenFile("a.txt", b"one"), TakenFile("ä/../<b>", b"two")]
    assert field.take() == []
    assert field.sizes == [1]
    field.give(["other", "never sent"])
    assert [file.size for file in field.take()] == [1]


def test_a_file_that_is_sent_again_takes_its_place() -> None:
    field = box("mine", 100)
    assert send(bytes(80)) == send(b"again") == 204
    field.give(["a.txt"])
    assert field.take() == [TakenFile("a.txt", b"again")]


def test_nothing_is_taken_where_no_field_waits() -> None:
    assert send(b"one") == 403
    field = box("mine", 100)
    assert send(b"one", to="other") == send(b"one", to="") == 403
    assert send(b"one") == 204
    del field  # its page has been drawn without it
    assert send(b"one") == 403
    assert box("mine", 100).sizes == []
    assert not files._boxes


@pytest.mark.parametrize(("size", "expected"), [(100, 204), (101, 413)])
def test_a_field_takes_so_many_bytes(size: int, expected: int) -> None:
    field = box("mine", 100)
    assert send(bytes(size)) == expected
    assert send(b"x", "b.txt") == (413 if expected == 204 else 204)
    assert len(field.sizes) == 1


def test_a_field_takes_so_many_files() -> None:
    field = box("mine", 100)
    found = [send(b"x", str(number)) for number in range(shares.UPLOAD_FILES + 1)]
    assert found == [204] * shares.UPLOAD_FILES + [413]
    field.give([str(number) for number in range(shares.UPLOAD_FILES)])
    field.take()
    assert send(b"x") == 204


def test_there_is_room_for_the_files_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = 120 * shares.UPLOADS_MEMORY_DIVISOR
    monkeypatch.setattr(limits, "memory_limit", lambda: memory)
    one, other = box("mine", 100), box("other", 100)
    assert send(bytes(100)) == 204
    assert send(bytes(30), to="other") == 503
    assert send(bytes(20), to="other") == 204
    one.give(["a.txt"])
    one.take()
    assert send(bytes(80), "b.txt", to="other") == 204
    assert other.sizes == [20, 80]


@pytest.mark.parametrize("length", ["", "-1", "1e3", "1 MB", "²"])
@async_test
async def test_a_file_must_say_its_length(length: str) -> None:
    field = box("mine", 100)
    assert await status(parts(1), length) == 411
    assert field.sizes == []


@pytest.mark.parametrize("pause", [60, 0.01])
@async_test
async def test_a_file_that_stalls_or_comes_byte_by_byte_is_given_up(
    pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "UPLOAD_STALL", 0.1)
    field = box("mine", 10_000)
    assert await status(parts(10_000, pause=pause), 10_000) == 408
    assert field.sizes == []


@async_test
async def test_a_file_longer_than_announced_is_refused() -> None:
    field = box("mine", 1000)
    assert await status(parts(5, 60), 100) == 413
    assert field.sizes == []


def test_a_file_for_a_field_that_goes_is_refused() -> None:
    held = [box("mine", 100)]

    async def send_while_it_goes() -> int:
        return await status(parts(5, between=held.clear), 5)

    assert run_async(send_while_it_goes) == 403
    assert not files._boxes


@async_test
async def test_a_file_that_no_page_reads_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "UPLOAD_UNREAD", 0.5)
    field = box("mine", 100)
    assert await status(parts(1), 1) == 204
    assert await status(parts(10, pause=0.1), 10, "b.txt") == 204  # it belongs to the same model
    assert field.sizes == [1, 10]
    while field.sizes:
        await asyncio.sleep(0.1)


def test_streamlit_is_sent_no_files() -> None:
    async def streamlit(scope: object, receive: object, send: object) -> None:
        raise AssertionError("this must not be reached")

    sender = TestClient(OnlyFiles(streamlit))
    for method in ("PUT", "POST", "DELETE", "PATCH"):
        answer = sender.request(method, "/base/_stcore/upload_file/session/file", content=b"x")
        assert answer.status_code == 405
        assert answer.headers["connection"] == "close"
