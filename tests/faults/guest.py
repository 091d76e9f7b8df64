"""A person without a browser, who may send any message, and keeps the messages that came."""

import asyncio
import json
import re
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Self

from google.protobuf.message import Message

from explorer.web.visitors import COOKIE
from tests.support.people import PATIENCE, Person, Run, connected, inner
from tests.support.wire import ForwardMsg, WidgetState

# The fields of elements that Streamlit's browser side renders as Markdown.
_MARKDOWN: Final = ("body", "label", "help", "title", "content")
_PLAIN: Final = ("text", "code")  # elements whose body is shown as it is


class Guest(Person):
    """A person who keeps all received bytes and errors."""

    received: bytearray
    errors: list[str]

    @classmethod
    async def come(
        cls, address: str, page: str = "", query: str = "", *, cookie: str = "", source: str = ""
    ) -> Self:
        """Open a page with exactly this query string, and wait for its first run.

        A guest may have a browser's cookie, and a network address that is not the server's.
        """
        wire = await connected(address, cookie, source)
        guest = cls(wire, "" if page == "home" else page, query)
        guest.received = bytearray()
        guest.errors = []
        try:
            await guest.run()
        except BaseException:
            await guest.leave()
            raise
        return guest

    async def receive(self) -> Run:
        """Receive the messages of the next run, and keep its errors."""
        run = await super().receive()
        self.errors += run.errors
        return run

    async def wait_for(self, text: str = "", *, page: str = "") -> None:
        """Wait until the screen has this text, or until this page is on it."""
        await self.wait_until(lambda: (not page or self.is_on(page)) and self.says(text))

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        """Receive runs until this holds; in a room, ask for its news."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                if not self.has("room_news"):
                    await self.receive()
                elif (run := await self.follow()) is None:
                    await asyncio.sleep(0.1)
                else:
                    self.errors += run.errors
                assert self.errors == []

    async def rest(self, pause: float = 1.5) -> None:
        """Receive until nothing has come for a while."""
        run = Run()
        with suppress(TimeoutError):
            while True:
                self._take(await asyncio.wait_for(self._socket.recv(), pause), run)
        self.errors += run.errors

    async def open_room(self) -> str:
        """Open a room; returns its code."""
        await self.press("Open a room")
        (code,) = set(re.findall(r"Room (\w{4}-\w{4})", "".join(self.markdown)))
        return code

    async def unfold(self) -> None:
        """Open the controls behind the two buttons of the line on top."""
        await self.set(
            **dict.fromkeys(filter(self.has, ("model_settings", "more_sentences")), True)
        )

    async def show_file_field(self) -> dict[str, str]:
        """Unfold the field for files in the model's settings; returns the headers of its files."""
        await self.put(load=True)
        (field,) = (
            json.loads(element.bidi_component.bytes)
            for element in self.shown("bidi_component")
            if element.bidi_component.component_name == "file_field"
        )
        return dict(field["headers"])

    async def put(self, **values: Any) -> Run:
        """Set widgets, by their keys; those that are folded away are unfolded first."""
        if not all(self.has(key) or self.has(f"line_{key}") for key in values):
            await self.unfold()
        return await self.set(**values)

    async def put_at_once(self, pause: float, *changes: dict[str, Any]) -> None:
        """Set widgets, one after the other, and wait for no run."""
        for change in changes:
            for key, value in change.items():
                self.change(key, value)
                await self.send(self.request())
            await asyncio.sleep(pause)

    async def press(self, label: str) -> Run:
        """Press a button, as soon as it is there."""
        while not any(e.button.label == label for e in self.shown("button")):
            await self.receive()
        return await super().press(label)

    async def press_id(self, button: str) -> Run:
        """Press a button, by its id."""
        return await self.run(WidgetState(id=button, trigger_value=True))

    @property
    def drawers(self) -> list[str]:
        """The keys of the drawers that the page offers."""
        return [*self.data_of("toolbar")["links"]] if self.has("toolbar") else []

    async def open_drawer(self, key: str) -> Run:
        """Open a drawer; the one that was open before is closed."""
        return await self.pick("toolbar", "chosen", key)

    async def send(self, content: bytes) -> None:
        """Send any bytes at all."""
        await self._socket.send(content)

    def stop_reading(self) -> None:
        """Stop reading from the socket, and make its buffer small."""
        self._socket.transport.pause_reading()
        wire = self._socket.transport.get_extra_info("socket")
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def drop_connection(self) -> None:
        """Close the connection without a closing message."""
        self._socket.transport.abort()

    @property
    def markdown(self) -> Iterator[str]:
        """Everything on screen that is rendered as Markdown or HTML."""
        for element in self.elements.values():
            kind = element.WhichOneof("type")
            if kind not in _PLAIN:
                yield from _texts(inner(element))
            if kind == "progress":
                yield element.progress.text

    @property
    def pictures(self) -> Iterator[dict[str, Any]]:
        """The data of every plotly picture."""
        for component in self.shown("bidi_component"):
            if component.bidi_component.component_name == "live_plot":
                yield json.loads(component.bidi_component.bytes)

    def says(self, text: str) -> bool:
        """Whether a text element or Markdown on screen contains this."""
        plain = (element.text.body for element in self.shown("text"))
        return any(text in shown.replace("\\", "") for shown in (*self.markdown, *plain))

    def field(self, key: str) -> str:
        """The text in a text field."""
        if self.has(f"line_{key}"):
            return str(self.data_of(f"line_{key}")["text"])
        field = self.elements[self.place_of(key)].text_input
        typed = self.states.get(field.id)
        return str(field.default if typed is None else typed.string_value)

    def _take(self, content: str | bytes, run: Run) -> bool:
        assert isinstance(content, bytes)
        self.received += content
        message = ForwardMsg.FromString(content)
        if message.session_event.HasField("script_compilation_exception"):
            run.errors.append(str(message.session_event))
        return super()._take(content, run)


@asynccontextmanager
async def visiting(
    address: str, page: str = "", query: str = "", *, cookie: str = "", source: str = ""
) -> AsyncIterator[Guest]:
    """A guest who leaves at the end, and for whom nothing has gone wrong."""
    guest = await Guest.come(address, page, query, cookie=cookie, source=source)
    try:
        yield guest
        assert guest.errors == [], guest.errors[0]
    finally:
        await guest.leave()


def browser_cookie() -> str:
    """The cookie of a browser."""
    return f"{COOKIE}={secrets.token_hex(16)}"


def _texts(message: Message | None) -> Iterator[str]:
    """The strings rendered as Markdown in a message."""
    if message is None:
        return
    for field, value in message.ListFields():
        if isinstance(value, str) and field.name in _MARKDOWN:
            yield value
        elif field.name == "options" and field.message_type is not None:
            for option in value:
                yield from _texts(option)
