"""Visitors without a browser: the messages that a browser sends and receives over the WebSocket."""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlencode

from google.protobuf.message import Message
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.support.wire import BackMsg, ClientState, ForwardMsg, WidgetState

M = TypeVar("M")
PATIENCE: Final = 60.0  # seconds
# The field of a widget's state for each type of value.
FIELDS: Final = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}
FINISHED: Final = {
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
}


@dataclass(slots=True)
class Run:
    """The messages of one run of the script."""

    seconds: float = 0.0
    bytes: int = 0  # received
    sent: int = 0
    errors: list[str] = field(default_factory=list)


class Wire(ClientConnection):
    """A WebSocket that counts the bytes received, still compressed."""

    arrived = 0

    def data_received(self, data: bytes) -> None:
        self.arrived += len(data)
        super().data_received(data)


async def connected(
    address: str, cookie: str = "", source: str = "", headers: Mapping[str, str] | None = None
) -> Wire:
    """Open the WebSocket of a new session with the server at `address`, as a browser does.

    `source` is the address that it comes from.
    """
    socket = await connect(
        create_connection=Wire,
        uri=f"{address.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        proxy=None,
        open_timeout=PATIENCE,
        ping_interval=None,
        local_addr=(source, 0) if source else None,
        additional_headers={**({"Cookie": cookie} if cookie else {}), **(headers or {})},
    )
    assert isinstance(socket, Wire)
    return socket


class Person:
    """One session: its WebSocket, the elements on its screen, and its settings."""

    def __init__(self, socket: Wire, page: str, query: str) -> None:
        self._socket = socket
        self._asks: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.page = page
        self.query = query
        self.elements: dict[tuple[int, ...], Message] = {}
        self._states: dict[str, WidgetState] = {}
        self._runs = 0
        # By hash: messages that are not sent a second time, and the run that last used them.
        self._messages: dict[str, tuple[int, ForwardMsg]] = {}
        self._page_script_hash = ""
        self.hashes: dict[str, str] = {}  # of every page's script
        self.refreshing: dict[str, float] = {}  # intervals of self-refreshing fragments
        # Of the current run: the place it draws in (the page or a fragment), and its elements so
        # far. Old elements that it has not drawn again by its end disappear.
        self._is_running = False
        self._root: tuple[int, ...] | None = None
        self._new: dict[tuple[int, ...], Message] = {}
        self._fragments: dict[str, str] = {}  # by the widgets in them
        self._new_refreshing: dict[str, float] = {}

    @classmethod
    async def arrive(
        cls, address: str, page: str = "", cookie: str = "", **settings: object
    ) -> tuple[Self, Run]:
        """Open a page of the server at `address` ("http://…"), and wait for its first run."""
        person = cls(await connected(address, cookie), page, urlencode(settings))
        return person, await person.run()

    async def set(self, **values: bool | int | float | str) -> Run:
        """Set widgets, by their keys, and wait for the resulting run."""
        widgets: dict[str, Any] = {self.widget_id(key): value for key, value in values.items()}
        for widget, value in widgets.items():
            self._states[widget] = WidgetState(id=widget, **{FIELDS[type(value)]: value})
        return await self.run(fragment=self.fragment_of(*widgets))

    async def press(self, label: str) -> Run:
        """Press a button."""
        button = next(e.button for e in self.shown("button") if e.button.label == label)
        trigger = WidgetState(id=button.id, trigger_value=True)
        return await self.run(trigger, fragment=self.fragment_of(button.id))

    def is_on(self, page: str) -> bool:
        """Whether the server has said that this page is on show."""
        return self._page_script_hash == self.hashes[page]

    async def walk(self, page: str) -> Run:
        """Switch to another page as the browser does: the same session, another script."""
        again = self.is_on(page)
        self._page_script_hash = self.hashes[page]
        self.page = "" if page == "home" else page
        held, self._states = self._states, {}
        run = await self.run()
        if again:  # the browser does not say what its widgets show, and goes on showing it
            self._states = held | self._states
        return run

    async def refresh(self, fragment: str) -> Run:
        """Run a fragment again, as the browser does by itself."""
        return await self.run(fragment=fragment, by_timer=True)

    async def run(self, *triggers: WidgetState, fragment: str = "", by_timer: bool = False) -> Run:
        """Run the page, or a fragment of it, and receive its messages."""
        message = self.request(triggers, fragment, by_timer)
        start = time.perf_counter()
        await self._socket.send(message)
        run = await self.receive()
        run.seconds = time.perf_counter() - start
        run.sent = len(message)
        return run

    async def follow(self) -> Run | None:
        """Ask how new the room is, as a page's script does; the run that follows if it is newer."""
        sent = next(
            json.loads(e.bidi_component.bytes)
            for e in self.shown("bidi_component")
            if e.bidi_component.component_name == "room_news"
        )
        version = await self._ask(f"/{sent['where']}", sent["headers"])
        if version == sent["drawn"]:
            return None
        widget = self.widget_id("room_news")
        heard = {"heard": {"version": version, "count": self._runs}}
        self._states[widget] = WidgetState(id=widget, json_value=json.dumps(heard))
        return await self.run(fragment=self.fragment_of(widget))

    async def _ask(self, path: str, headers: Mapping[str, str]) -> str:
        """What the server answers to a question over a connection that stays open."""
        if self._asks is None:
            self._asks = await asyncio.open_connection(*self._socket.remote_address[:2])
        reader, writer = self._asks
        lines = [f"GET {path} HTTP/1.1", "host: x", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.partition("content-length: ")[2].split()[0])
        return str(json.loads(await reader.readexactly(size))["version"])

    async def receive(self) -> Run:
        """Receive the messages of the next run."""
        run, before = Run(), self._socket.arrived
        while not self._take(await asyncio.wait_for(self._socket.recv(), PATIENCE), run):
            pass
        run.bytes = self._socket.arrived - before
        return run

    def request(
        self, triggers: Sequence[WidgetState] = (), fragment: str = "", by_timer: bool = False
    ) -> bytes:
        """The browser's request to run the page."""
        self._runs += 1
        self._messages = {h: m for h, m in self._messages.items() if m[0] > self._runs - 3}
        state = ClientState(
            query_string=self.query,
            page_script_hash=self._page_script_hash,
            page_name=self.page,
            fragment_id=fragment,
            is_auto_rerun=by_timer,
            cached_message_hashes=list(self._messages),
        )
        state.widget_states.widgets.extend([*self._states.values(), *triggers])
        return bytes(BackMsg(rerun_script=state).SerializeToString())

    async def leave(self) -> None:
        """Close the window."""
        if self._asks is not None:
            self._asks[1].close()
        await self._socket.close()

    def shown(self, kind: str) -> Iterator[Any]:
        """The elements of one kind on the screen."""
        return (e for e in self.elements.values() if e.WhichOneof("type") == kind)

    def fragment_of(self, *widgets: str) -> str:
        """The fragment with these widgets, by their ids; empty for the whole page."""
        (fragment,) = {self._fragments.get(widget, "") for widget in widgets}
        return fragment

    def widget_id(self, key: str) -> str:
        """The id of the widget with this key."""
        element = self.elements[self.place_of(key)]
        return str(getattr(element, element.WhichOneof("type")).id)

    def place_of(self, key: str) -> tuple[int, ...]:
        """The place on the page of the widget with this key."""
        for place, element in self.elements.items():
            widget = getattr(element, element.WhichOneof("type"))
            if getattr(widget, "id", "").endswith(f"-{key}"):
                return place
        raise LookupError(f"no widget {key!r} on page {self.page!r}")

    def still_there(self, drawn: dict[tuple[int, ...], M]) -> dict[tuple[int, ...], M]:
        """The elements outside of the part that the last run has drawn."""
        root = self._root
        return {at: m for at, m in drawn.items() if root is None or at[: len(root)] != root}

    def _take(self, content: str | bytes, run: Run) -> bool:
        """Process one message; return whether it was the last of its run."""
        assert isinstance(content, bytes)
        message = ForwardMsg.FromString(content)
        if message.WhichOneof("type") == "ref_hash":
            _, known = self._messages[message.ref_hash]
            self._messages[message.ref_hash] = self._runs, known
            path = tuple(message.metadata.delta_path)
            message = known
        else:
            path = tuple(message.metadata.delta_path)
            if message.metadata.cacheable:
                self._messages[message.hash] = self._runs, message
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.HasField("new_element"):
            element = message.delta.new_element
            (self._new if self._is_running else self.elements)[path] = element
            if widget := getattr(getattr(element, element.WhichOneof("type")), "id", ""):
                self._fragments[widget] = message.delta.fragment_id
            if element.HasField("exception"):
                run.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "delta" and (self._root is None or len(path) < len(self._root)):
            self._root = path  # the outermost container of a fragment
        elif kind == "new_session":
            self._new, self._new_refreshing, self._is_running = {}, {}, True
            self._root = None if message.metadata.run.fragment_ids else ()
        elif kind == "navigation":
            self._page_script_hash = message.navigation.page_script_hash
            self.hashes = {
                "home" if page.is_default else page.url_pathname: page.page_script_hash
                for page in message.navigation.app_pages
            }
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun" and message.auto_rerun.interval < 60:
            self._new_refreshing[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self.refreshing.pop(fragment, None)
        elif kind == "script_finished" and message.script_finished in FINISHED:
            self._is_running = False
            self.elements = self.still_there(self.elements) | self._new
            whole = self._root == ()
            self.refreshing = ({} if whole else self.refreshing) | self._new_refreshing
            return True
        return False
