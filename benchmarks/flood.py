"""A flood: what one visitor can make the server process hold, without a page that asks for it."""

import asyncio
import time
from contextlib import AsyncExitStack, suppress
from http.client import HTTPConnection
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed

from benchmarks import browser
from benchmarks.people import Person, Run, connected
from benchmarks.report import Row, Section

MB: Final = 1_000_000
SESSIONS: Final = 24
FILES: Final = 6
FILE: Final = 250 * MB
BLOCK: Final = MB
REST: Final = 3.0  # seconds after which the memory is read


class Flooder(Person):
    """Somebody who knows the number of their session."""

    session = ""

    def _take(self, content: str | bytes, run: Run) -> bool:
        assert isinstance(content, bytes)
        message = ForwardMsg.FromString(content)
        if message.WhichOneof("type") == "new_session":
            self.session = message.new_session.initialize.session_id
        return super()._take(content, run)


async def send_messages(address: str) -> None:
    """From each session one message of 23 MB, which has 23 kB on the wire."""
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="field", string_value="a" * 23 * MB)
    content = message.SerializeToString()
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(await connected(address)) for _ in range(SESSIONS)]
        with suppress(ConnectionClosed):
            await asyncio.gather(*(line.send(content) for line in lines))
        await asyncio.sleep(REST)


async def send_files(address: str) -> None:
    """Files to a session whose page has no field for them."""
    flooder, _ = await Flooder.arrive(address, "masks")
    assert isinstance(flooder, Flooder)
    for _ in range(FILES):
        await asyncio.to_thread(put, address, f"/_stcore/upload_file/{flooder.session}/{uuid4()}")
    await asyncio.sleep(REST)
    await flooder.leave()


def put(address: str, path: str) -> None:
    """Send a file of zeros, as a browser does, until the server hangs up."""
    head = b'--rim\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    tail = b"\r\n--rim--\r\n"
    connection = HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request("GET", "/_stcore/health")
    answer = connection.getresponse()
    answer.read()
    cookie = (answer.getheader("Set-Cookie") or "").split(";")[0]
    with suppress(ConnectionError):
        connection.putrequest("PUT", path)
        connection.putheader("Cookie", cookie)
        connection.putheader("X-Xsrftoken", cookie.partition("=")[2])
        connection.putheader("Content-Type", "multipart/form-data; boundary=rim")
        connection.putheader("Content-Length", str(len(head) + FILE + len(tail)))
        connection.endheaders(head)
        for _ in range(FILE // BLOCK):
            connection.send(bytes(BLOCK))
        connection.send(tail)
        connection.getresponse().read()
    connection.close()


def measure() -> Section:
    """The memory of the server process before and after each flood."""
    rows = []
    with browser.serve(browser.APP) as server:
        process = psutil.Process(server.process.pid)

        def resident() -> float:
            return float(process.memory_info().rss / MB)

        async def settle() -> None:
            person, _ = await Person.arrive(server.address, "masks")
            await person.leave()
            await asyncio.sleep(REST)

        asyncio.run(settle())
        for what, how, flood in (
            ("Messages", f"{SESSIONS} sessions, one message of 23 MB each", send_messages),
            ("Files", f"{FILES} files of 250 MB to one page without a field", send_files),
        ):
            before, begun = resident(), time.perf_counter()
            asyncio.run(flood(server.address))
            held, seconds = resident() - before, time.perf_counter() - begun - REST
            rows.append(
                Row(
                    what=f"{what}: memory that stays held",
                    how=f"{how}; {seconds:.1f} s, read {REST:.0f} s later",
                    aim="≤ 60 MB",
                    measured=f"**{held:+.0f} MB** ({before:.0f} → {before + held:.0f})",
                )
            )
    notes = (
        "1 MB = 10⁶ bytes. The messages have 23 kB on the wire. Without the limits of "
        "`explorer/runtime/shares.py`, the same floods held +1,176 MB and, with files of 105 MB, "
        "+631 MB.",
    )
    return Section(title="Flood: what one visitor can make a process hold", rows=rows, notes=notes)
