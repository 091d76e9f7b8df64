"""Files that come late, or that nobody reads; whole uploads are tested in tests/faults."""

import asyncio

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from explorer.runtime import shares
from explorer.ui.web import uploads as module
from explorer.ui.web.uploads import ExpectedUploads, RefusedError, Uploads
from tests.support.async_tests import run_async

FILE = "somebody", "file"


class Sessions:
    """The sessions that are connected, and the files that were freed."""

    def __init__(self) -> None:
        self.connected = {"somebody"}
        self.freed: list[tuple[str, str]] = []
        self.uploads = Uploads(self.connected.__contains__, lambda *name: self.freed.append(name))
        self.uploads.expect("somebody", "menu")


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Sessions:
    made = Sessions()
    monkeypatch.setattr(module, "uploads", made.uploads)
    return made


def status_of_upload(receive: Receive, length: int | str) -> int:
    """The status of an upload that the app reads to its end; 204 if all parts come."""
    answers: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        status, more = 204, True
        try:
            while more:
                more = (await receive()).get("more_body", False)
        except HTTPException as refused:
            status = refused.status_code
        await send({"type": "http.response.start", "status": status, "headers": []})

    async def send(message: Message) -> None:
        answers.append(message.get("status", 0))

    scope = {
        "type": "http",
        "method": "PUT",
        "path": "/base/_stcore/upload_file/somebody/file",
        "headers": [(b"content-length", str(length).encode())],
    }
    run_async(lambda: ExpectedUploads(app)(scope, receive, send))
    return answers[0]


def part(size: int, *, more: bool = True) -> Message:
    return {"type": "http.request", "body": bytes(size), "more_body": more}


@pytest.mark.parametrize("length", ["", "-1", "1e3", "1 MB"])
def test_a_file_without_a_length_is_refused(sessions: Sessions, length: str) -> None:
    async def never() -> Message:
        raise AssertionError("the file must not be read")

    assert status_of_upload(never, length) == 411


def test_a_file_that_comes_is_kept_until_it_is_read(sessions: Sessions) -> None:
    async def receive() -> Message:
        return part(10, more=False)

    assert status_of_upload(receive, 10) == 204
    sessions.uploads.free_abandoned()
    assert sessions.freed == []
    sessions.uploads.release(FILE)
    assert sessions.freed == [FILE]


def test_a_file_that_stalls_is_given_up(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "UPLOAD_STALL", 0.05)
    parts = [part(10)]

    async def receive() -> Message:
        if not parts:
            await asyncio.sleep(60)
        return parts.pop()

    assert status_of_upload(receive, 100) == 408
    assert sessions.freed == [FILE]


def test_a_file_that_comes_byte_by_byte_is_given_up(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "UPLOAD_STALL", 0.2)

    async def receive() -> Message:
        await asyncio.sleep(0.01)
        return part(1)

    assert status_of_upload(receive, 10_000) == 408


def test_a_file_longer_than_announced_is_refused(sessions: Sessions) -> None:
    async def receive() -> Message:
        return part(60)

    assert status_of_upload(receive, 100) == 413
    assert sessions.freed == [FILE]


def test_a_file_is_freed_soon_after_its_visitor_has_left(sessions: Sessions) -> None:
    sessions.uploads.begin(FILE, 10)
    sessions.connected.clear()
    sessions.uploads.free_abandoned()
    assert sessions.freed == [FILE]
    sessions.uploads.end(FILE, kept=True)  # it came too late
    assert sessions.freed == [FILE, FILE]
    sessions.connected.add("somebody")
    with pytest.raises(RefusedError, match="No field"):  # a page that comes back draws its own
        sessions.uploads.begin(FILE, 10)


def test_a_file_that_no_page_reads_is_freed(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.uploads.begin(FILE, 10)
    sessions.uploads.end(FILE, kept=True)
    other = "somebody", "other"
    sessions.uploads.begin(other, 10)  # it belongs to the same model, and takes longer
    monkeypatch.setattr(shares, "UPLOAD_UNREAD", 0.0)
    sessions.uploads.end(other, kept=False)
    sessions.uploads.free_abandoned()
    assert FILE in sessions.freed


def test_a_session_has_a_limited_number_of_files(sessions: Sessions) -> None:
    for number in range(shares.UPLOAD_FILES):
        sessions.uploads.begin(("somebody", str(number)), 10)
    with pytest.raises(RefusedError) as refused:
        sessions.uploads.begin(FILE, 10)
    assert refused.value.status == 409
