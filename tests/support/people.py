"""Visitors without a browser: the messages that a browser sends and receives over the WebSocket."""

import asyncio
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.support.wire import BackMsg, ClientState, ForwardMsg, WidgetState

Place = tuple[int, ...]  # of an element: the numbers of its containers, and its own
PATIENCE: Final = 60.0  # seconds
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
    """One session: its WebSocket, what is on its screen, and its settings."""

    def __init__(self, socket: Wire, page: str, query: str) -> None:
        self._socket = socket
        self._asks: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.page = page
        self.query = query
        self.elements: dict[Place, Any] = {}  # containers are elements, too
        self.refreshing: dict[str, float] = {}  # the intervals of parts that tick by themselves
        self.hashes: dict[str, str] = {}  # of every page's script
        self._page_script_hash = ""
        self.states: dict[str, WidgetState] = {}
        self._parts: dict[Place, str] = {}  # the part that an element is in, if that ticks
        # Of the current run: the parts that it draws, or none, and what it has drawn so far. What
        # it has not drawn again by its end disappears.
        self._drawing: set[str] = set()
        self._drawn: dict[Place, Any] = {}

    @classmethod
    async def arrive(
        cls, address: str, page: str = "", cookie: str = "", **settings: object
    ) -> tuple[Self, Run]:
        """Open a page of the server at `address` ("http://…"), and wait for its first run."""
        person = cls(await connected(address, cookie), page, urlencode(settings))
        return person, await person.run()

    async def set(self, **values: Any) -> Run:
        """Set widgets, by their keys, and wait for the resulting run."""
        for key, value in values.items():
            self.change(key, value)
        return await self.run()

    async def press(self, label: str) -> Run:
        """Press a button."""
        button = next(e.button for e in self.shown("button") if e.button.label == label)
        return await self.run(WidgetState(id=button.id, trigger_value=True))

    async def pick(self, key: str, event: str, value: object) -> Run:
        """Have a component report an event."""
        self.report(key, event, value)
        return await self.run(part=self._parts[self.place_of(key)])

    async def walk(self, page: str) -> Run:
        """Follow a link to another page."""
        return await self.pick("page_head", "went", page)

    def is_on(self, page: str) -> bool:
        """Whether the server has said that this page is on show."""
        return self._page_script_hash == self.hashes[page]

    async def refresh(self, part: str) -> Run:
        """Draw a part again that ticks, as the browser does by itself."""
        return await self.run(part=part, by_timer=True)

    async def run(self, *triggers: WidgetState, part: str = "", by_timer: bool = False) -> Run:
        """Run the page, or a part of it that ticks, and receive its messages."""
        message = self.request(triggers, part, by_timer)
        start = time.perf_counter()
        await self._socket.send(message)
        run = await self.receive()
        run.seconds = time.perf_counter() - start
        run.sent = len(message)
        return run

    async def follow(self) -> Run | None:
        """Ask how new the room is, as a page's script does; the run that follows if it is newer."""
        sent = self.data_of("room_news")
        version = await self._ask(f"/{sent['where']}", sent["headers"])
        if version == sent["drawn"]:
            return None
        return await self.pick("room_news", "heard", {"version": version})

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
        self, triggers: Sequence[WidgetState] = (), part: str = "", by_timer: bool = False
    ) -> bytes:
        """The browser's request to run the page."""
        state = ClientState(
            query_string=self.query,
            page_script_hash=self._page_script_hash,
            page_name=self.page,
            fragment_id=part,
            is_auto_rerun=by_timer,
        )
        state.widget_states.widgets.extend([*self.states.values(), *triggers])
        return bytes(BackMsg(rerun_script=state).SerializeToString())

    def change(self, key: str, value: Any) -> None:
        """Set a widget, by its key, or type in a line; the next request says so."""
        if self.has(f"line_{key}"):
            line, typed = self.data_of(f"line_{key}"), self._said(f"line_{key}").get("typed", {})
            seq = 1 + max(line["seq"], typed.get("seq", 0))
            about = {"session": line["session"], "version": line["version"]}
            self._say(f"line_{key}", "typed", {"seq": seq, "text": value, **about})
            return
        state = WidgetState(id=self.widget_id(key))
        match value:
            case bool():
                state.bool_value = value
            case str():
                state.string_value = value
            case int() | float():
                state.double_value = value
            case [str(), *_]:
                state.string_array_value.data.extend(value)
            case _:
                state.double_array_value.data.extend(value)
        self.states[state.id] = state

    def report(self, key: str, event: str, value: object) -> None:
        """Have a component report an event; the next request says so."""
        self._say(key, event, {"n": time.time_ns(), "value": value})

    def _said(self, key: str) -> dict[str, Any]:
        """The states that a component has told so far."""
        state = self.states.get(self.widget_id(key))
        return dict(json.loads(state.json_value)) if state else {}

    def _say(self, key: str, state: str, value: object) -> None:
        said = json.dumps({**self._said(key), state: value}, ensure_ascii=False)
        widget = self.widget_id(key)
        self.states[widget] = WidgetState(id=widget, json_value=said)

    async def leave(self) -> None:
        """Close the window."""
        if self._asks is not None:
            self._asks[1].close()
        await self._socket.close()

    def shown(self, kind: str) -> Iterator[Any]:
        """The elements of one kind on the screen."""
        return (e for e in self.elements.values() if e.WhichOneof("type") == kind)

    def has(self, key: str) -> bool:
        """Whether a widget is on the screen."""
        return any(key_of(shown) == key for shown in self.elements.values())

    def widget_id(self, key: str) -> str:
        """The id of the widget with this key."""
        return id_of(self.elements[self.place_of(key)])

    def data_of(self, key: str) -> dict[str, Any]:
        """What was sent to the component with this key."""
        return dict(json.loads(self.elements[self.place_of(key)].bidi_component.bytes))

    def place_of(self, key: str) -> Place:
        """The place on the page of the widget with this key."""
        for place, shown in self.elements.items():
            if key_of(shown) == key:
                return place
        raise LookupError(f"no widget {key!r} on page {self.page!r}")

    def _take(self, content: str | bytes, run: Run) -> bool:
        """Process one message; return whether it was the last of its run."""
        assert isinstance(content, bytes)
        message = ForwardMsg.FromString(content)
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._draw(tuple(message.metadata.delta_path), message.delta, run)
        elif kind == "new_session":
            self._drawn, self._drawing = {}, {*message.metadata.run.fragment_ids}
            if not self._drawing:
                self.refreshing = {}
        elif kind == "navigation":
            self._page_script_hash = message.navigation.page_script_hash
            self.hashes = {
                "home" if page.is_default else page.url_pathname: page.page_script_hash
                for page in message.navigation.app_pages
            }
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.refreshing[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for part in message.stop_auto_rerun.fragment_ids:
                self.refreshing.pop(part, None)
        elif kind == "script_finished" and message.script_finished in FINISHED:
            old = self.elements if self._drawing else {}
            kept = {at: e for at, e in old.items() if self._parts[at] not in self._drawing}
            self.elements = kept | self._drawn
            ids = {*map(id_of, self.elements.values())}
            self.states = {key: said for key, said in self.states.items() if key in ids}
            return True
        return False

    def _draw(self, place: Place, delta: Any, run: Run) -> None:
        kind = delta.WhichOneof("type")
        if kind == "new_transient":  # shown beside an element, while it is worked on
            return
        self._drawn[place] = drawn = getattr(delta, kind)
        self._parts[place] = delta.fragment_id
        if drawn.WhichOneof("type") == "exception":
            run.errors.append(f"{drawn.exception.type}: {drawn.exception.message}")


def inner(element: Any) -> Any:
    """What is in an element, or None."""
    return getattr(element, element.WhichOneof("type") or "", None)


def id_of(element: Any) -> str:
    """The id of a widget; empty if it is none."""
    return str(getattr(inner(element), "id", ""))


def key_of(element: Any) -> str:
    """The key of a widget, without a version: one that the explorer has changed has another."""
    return re.sub(r"-\d+$", "", id_of(element).partition("-")[2].partition("-")[2])
