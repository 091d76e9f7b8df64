"""A person without a browser, who may send any message, and keeps the messages that came."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, Self

from google.protobuf.message import Message

from tests.support.people import PATIENCE, Person, Run, connected
from tests.support.wire import Block, ForwardMsg, WidgetState

# The fields of elements that Streamlit's browser side renders as Markdown.
_MARKDOWN: Final = ("body", "label", "help", "title", "content")
_PLAIN: Final = ("text", "code")  # elements whose body is shown as it is


class Guest(Person):
    """A person who keeps all received bytes, errors and blocks."""

    received: bytearray
    errors: list[str]
    blocks: dict[tuple[int, ...], Block]
    _new_blocks: dict[tuple[int, ...], Block]

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
        guest.blocks = {}
        guest._new_blocks = {}
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
        for fold in self.folds:
            if fold.endswith(("-model_settings", "-more_sentences")):
                self.set_value(fold, True)
        await self.run()

    async def show_file_field(self) -> dict[str, str]:
        """Unfold the field for files in the model's settings; returns the headers of its files."""
        await self.unfold()
        (fold,) = (fold for fold in self.folds if fold.endswith("-load"))
        await self.set_id(fold, True)
        (field,) = (
            json.loads(element.bidi_component.bytes)
            for element in self.shown("bidi_component")
            if element.bidi_component.component_name == "file_field"
        )
        return dict(field["headers"])

    def has(self, key: str) -> bool:
        """Whether a widget is on the screen."""
        try:
            return bool(self.place_of(key))
        except LookupError:
            return False

    async def put(self, **values: bool | float | str | list[str] | list[float]) -> Run:
        """Set widgets, by their keys."""
        if not all(map(self.has, values)):
            await self.unfold()
        widgets = {self.widget_id(key): value for key, value in values.items()}
        for widget, value in widgets.items():
            self.set_value(widget, value)
        return await self.run(fragment=self.fragment_of(*widgets))

    async def put_at_once(self, pause: float, *changes: dict[str, float | str]) -> None:
        """Set widgets, one after the other, and wait for no run."""
        for change in changes:
            for key, value in change.items():
                widget = self.widget_id(key)
                self.set_value(widget, value)
                await self.send(self.request(fragment=self.fragment_of(widget)))
            await asyncio.sleep(pause)

    async def set_id(self, widget: str, value: bool | float | str | list[str]) -> Run:
        """Set a widget, by its id."""
        self.set_value(widget, value)
        return await self.run(fragment=self.fragment_of(widget))

    def set_value(self, widget: str, value: bool | float | str | list[str] | list[float]) -> None:
        """Set a widget, by its id, without a run: the next run sends the value."""
        state = WidgetState(id=widget)
        if isinstance(value, bool):
            state.bool_value = value
        elif isinstance(value, str):
            state.string_value = value
        elif not isinstance(value, list):
            state.double_value = value
        elif value and isinstance(value[0], str):
            state.string_array_value.data.extend(value)
        else:
            state.double_array_value.data.extend(value)
        self._states[widget] = state

    @property
    def widget_states(self) -> list[WidgetState]:
        """The values of all widgets."""
        return list(self._states.values())

    async def pick(self, key: str, event: str, value: object) -> Run:
        """Click into a component."""
        widget = self.widget_id(key)
        name = f"$$STREAMLIT_INTERNAL_KEY_{widget}__events"
        events = json.dumps([{"event": event, "value": value}])
        trigger = WidgetState(id=name, json_trigger_value=events)
        return await self.run(trigger, fragment=self.fragment_of(widget))

    async def press(self, label: str) -> Run:
        """Press a button, as soon as it is there."""
        while not any(e.button.label == label for e in self.shown("button")):
            await self.receive()
        return await super().press(label)

    async def press_id(self, button: str) -> Run:
        """Press a button, by its id."""
        trigger = WidgetState(id=button, trigger_value=True)
        return await self.run(trigger, fragment=self.fragment_of(button))

    @property
    def folds(self) -> list[str]:
        """The ids of the parts that can be unfolded."""
        shown = (
            getattr(block, block.WhichOneof("type") or "", None) for block in self.blocks.values()
        )
        return [fold.id for fold in shown if getattr(fold, "id", "")]

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
            if kind is not None and kind not in _PLAIN:
                yield from _texts(getattr(element, kind))
            if kind == "progress":
                yield element.progress.text
        for block in self.blocks.values():
            yield from _texts(getattr(block, block.WhichOneof("type") or "", None))

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
        widget = self.widget_id(key)
        proto = next(e.text_input for e in self.shown("text_input") if e.text_input.id == widget)
        if proto.set_value:  # told to show this
            return str(proto.value)
        typed = self._states.get(widget)
        return str(proto.default if typed is None else typed.string_value)

    def _take(self, content: str | bytes, run: Run) -> bool:
        assert isinstance(content, bytes)
        self.received += content
        message = ForwardMsg.FromString(content)
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.HasField("add_block"):
            path = tuple(message.metadata.delta_path)
            block = self.blocks[path] = self._new_blocks[path] = message.delta.add_block
            if fold := getattr(getattr(block, block.WhichOneof("type") or "", None), "id", ""):
                self._fragments[fold] = message.delta.fragment_id
        elif kind == "delta" and message.delta.new_element.text_input.set_value:
            field = message.delta.new_element.text_input
            if field.id in self._states:
                self.set_value(field.id, field.value)
        elif kind == "new_session":
            self._new_blocks = {}
            page = message.new_session.page_script_hash
            if message.metadata.run.fragment_ids and page != self._page_script_hash:
                self.elements, self.blocks = {}, {}  # as a browser does
        elif kind == "session_event" and message.session_event.HasField(
            "script_compilation_exception"
        ):
            run.errors.append(str(message.session_event))
        ended = super()._take(content, run)
        if ended:
            self.blocks = self.still_there(self.blocks) | self._new_blocks
        return ended


@asynccontextmanager
async def visiting(
    address: str, page: str = "", query: str = "", *, cookie: str = "", source: str = ""
) -> AsyncIterator[Guest]:
    """A guest who leaves at the end, and for whom nothing has gone wrong."""
    guest = await Guest.come(address, page, query, cookie=cookie, source=source)
    try:
        yield guest
        assert guest.errors == []
    finally:
        await guest.leave()


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
