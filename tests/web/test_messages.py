"""Messages of one connection: how large they may be, and when the next is read."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.types import Message, Receive, Scope, Send

from explorer.runtime import limits, shares
from explorer.web import messages
from explorer.web.messages import BoundedMessages
from tests.support.async_tests import async_test, run_async

Heard = tuple[list[Message], list[Message]]


def heard(*sent: bytes | str) -> Heard:
    """What the app receives of these messages, and what is answered."""
    waiting = [{"bytes" if isinstance(one, bytes) else "text": one} for one in sent]
    received: list[Message] = []
    answers: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while not received or received[-1]["type"] == "websocket.receive":
            received.append(await receive())

    async def receive() -> Message:
        if waiting:
            return {"type": "websocket.receive", **waiting.pop(0)}
        return {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Message) -> None:
        answers.append(message)

    run_async(lambda: BoundedMessages(app)({"type": "websocket"}, receive, send))
    return received, answers


def test_a_message_within_the_limit_passes_as_it_is() -> None:
    content = bytes(shares.MESSAGE)
    received, answers = heard(b"", content)
    assert [one.get("bytes") for one in received] == [b"", content, None]
    assert not answers


@pytest.mark.parametrize(
    ("content", "code"), [(bytes(shares.MESSAGE + 1), 1009), ("text", 1003)], ids=["large", "text"]
)
def test_another_closes_the_connection(content: bytes | str, code: int) -> None:
    received, answers = heard(b"first", content, b"never read")
    assert [one["type"] for one in received] == ["websocket.receive", "websocket.disconnect"]
    assert answers == [{"type": "websocket.close", "code": code}]


@pytest.mark.parametrize("size", [0, 10 * shares.MESSAGE_BYTES])
def test_after_a_burst_messages_wait_for_each_other(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(messages, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(messages, "asyncio", SimpleNamespace(sleep=sleep, Lock=asyncio.Lock))
    each = 1 + size // shares.MESSAGE_BYTES  # a large one counts as several
    at_once = shares.MESSAGES_AT_ONCE // each
    heard(*[bytes(size)] * (at_once + 2))
    assert not any(waits[:at_once])
    rest = shares.MESSAGES_AT_ONCE - at_once * each
    late = [(each - rest) / shares.MESSAGES_PER_SECOND, each / shares.MESSAGES_PER_SECOND]
    late[1] += late[0]  # for no time has passed
    assert waits[at_once:] == pytest.approx(late)


@async_test
async def test_whoever_does_not_read_is_not_read() -> None:
    """Answers would pile up: of one request, they may be many times its size."""
    reads, received = asyncio.Event(), []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        received.append(await receive())
        answering = asyncio.ensure_future(send({"type": "websocket.send", "bytes": b"answer"}))
        await asyncio.sleep(0)
        received.append(await receive())
        await answering

    async def receive() -> Message:
        return {"type": "websocket.receive", "bytes": b"question"}

    async def send(message: Message) -> None:
        await reads.wait()

    served = asyncio.ensure_future(BoundedMessages(app)({"type": "websocket"}, receive, send))
    await asyncio.sleep(0.1)
    assert len(received) == 1
    reads.set()
    await served
    assert len(received) == 2


@async_test
async def test_some_connections_are_left_for_other_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "_most_connections", lambda: 8)
    ends, answers = asyncio.Event(), []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await ends.wait()

    async def receive() -> Message:
        raise AssertionError("nothing is read here")

    async def send(message: Message) -> None:
        answers.append(message)

    bounded = BoundedMessages(app)

    def come(address: str) -> asyncio.Task[None]:
        scope = {"type": "websocket", "client": (address, 1)}
        return asyncio.ensure_future(bounded(scope, receive, send))

    mine = [come("mine") for _ in range(7)]
    await asyncio.sleep(0)
    assert [one.done() for one in mine] == [False] * 6 + [True]
    others = [come(f"another {number}") for number in range(3)]
    await asyncio.sleep(0)
    assert [one.done() for one in others] == [False, False, True]
    assert answers == [{"type": "websocket.close", "code": 1013}] * 2
    ends.set()
    await asyncio.gather(*mine, *others)
    await come("mine")
    assert len(answers) == 2


@pytest.mark.parametrize(
    ("files", "megabytes", "most"), [(584, 10_000, 20), (10_000, 45, 10), (0, 10_000, 1)]
)
def test_connections_are_as_many_as_files_and_memory_allow(
    files: int, megabytes: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """484 files are set aside, and each connection takes five files and 4.5 MB."""
    monkeypatch.setattr(limits, "open_files", lambda: files)
    monkeypatch.setattr(limits, "memory_limit", lambda: megabytes * 1_000_000)
    assert messages._most_connections.__wrapped__() == most
