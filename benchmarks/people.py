"""People in front of the app without a browser: what one sends and is sent over the WebSocket."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PATIENCE: Final = 60.0  # seconds
# Which field of a widget's state takes a value of which type.
FIELDS: Final = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}
FINISHED: Final = {
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
}


@dataclass(slots=True)
class Run:
    """What one run of the script sent."""

    seconds: float = 0.0
    bytes: int = 0  # received
    sent: int = 0
    errors: list[str] = field(default_factory=list)


async def connected(address: str, cookie: str = "") -> ClientConnection:
    """The WebSocket of a new session with the server at `address`, as the browser opens it."""
    return await connect(
        f"{address.replace('http', 'ws', 1)}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        compression=None,
        proxy=None,
        open_timeout=PATIENCE,
        ping_interval=None,
        additional_headers={"Cookie": cookie} if cookie else {},
    )


class Person:
    """One session: its WebSocket, what is on its screen, and what it has set."""

    def __init__(self, socket: ClientConnection, page: str, query: str) -> None:
        self._socket = socket
        self.page = page
        self.query = query
        self.elements: dict[tuple[int, ...], Message] = {}
        self._states: dict[str, WidgetState] = {}
        self._runs = 0
        # By hash: what is not sent a second time, and the run that last used it.
        self._messages: dict[str, tuple[int, ForwardMsg]] = {}
        self._page_script_hash = ""
        self.refreshing: dict[str, float] = {}  # fragments that want to run again, and how often

    @classmethod
    async def arrive(
        cls, address: str, page: str = "", cookie: str = "", **settings: object
    ) -> tuple["Person", Run]:
        """Open a page of the server at `address` ("http://…"), and wait for its first run."""
        person = cls(await connected(address, cookie), page, urlencode(settings))
        return person, await person.run()

    async def set(self, **values: bool | int | float | str) -> Run:
        """Set widgets, by their keys, and wait for the run that this causes."""
        for key, value in values.items():
            widget = self.widget_id(key)
            self._states[widget] = WidgetState(id=widget, **{FIELDS[type(value)]: value})
        return await self.run()

    async def press(self, label: str) -> Run:
        """Press a button."""
        button = next(e.button for e in self.shown("button") if e.button.label == label)
        return await self.run(WidgetState(id=button.id, trigger_value=True))

    async def refresh(self, fragment: str) -> Run:
        """Run a fragment again, as the browser does by itself."""
        return await self.run(fragment=fragment)

    async def run(self, *triggers: WidgetState, fragment: str = "") -> Run:
        """Run the page, and take in what it sends."""
        self._runs += 1
        self._messages = {h: m for h, m in self._messages.items() if m[0] > self._runs - 3}
        state = ClientState(
            query_string=self.query,
            page_script_hash=self._page_script_hash,
            page_name=self.page,
            fragment_id=fragment,
            is_auto_rerun=bool(fragment),
            cached_message_hashes=list(self._messages),
        )
        state.widget_states.widgets.extend([*self._states.values(), *triggers])
        message = BackMsg(rerun_script=state).SerializeToString()
        run = Run(sent=len(message))
        start = time.perf_counter()
        await self._socket.send(message)
        while not self._take(await asyncio.wait_for(self._socket.recv(), PATIENCE), run):
            pass
        run.seconds = time.perf_counter() - start
        return run

    async def leave(self) -> None:
        """Close the window."""
        await self._socket.close()

    def shown(self, kind: str) -> Iterator[Any]:
        """The elements of a kind that are on screen."""
        return (e for e in self.elements.values() if e.WhichOneof("type") == kind)

    def widget_id(self, key: str) -> str:
        """The id of the widget with this key."""
        for element in self.elements.values():
            widget = getattr(element, element.WhichOneof("type"))
            if getattr(widget, "id", "").endswith(f"-{key}"):
                return str(widget.id)
        raise LookupError(f"no widget {key!r} on page {self.page!r}")

    def _take(self, content: str | bytes, run: Run) -> bool:
        """Take in one message; whether it was the last one of a run."""
        assert isinstance(content, bytes)
        run.bytes += len(content)
        message = ForwardMsg.FromString(content)
        if message.WhichOneof("type") == "ref_hash":
            _, known = self._messages[message.ref_hash]
            self._messages[message.ref_hash] = self._runs, known
            path = message.metadata.delta_path
            message = known
        else:
            path = message.metadata.delta_path
            if message.metadata.cacheable:
                self._messages[message.hash] = self._runs, message
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.HasField("new_element"):
            element = message.delta.new_element
            self.elements[tuple(path)] = element
            if element.HasField("exception"):
                run.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "new_session" and not message.metadata.run.fragment_ids:
            self.elements.clear()
            self.refreshing.clear()
        elif kind == "navigation":
            self._page_script_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun" and message.auto_rerun.interval < 60:
            self.refreshing[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        return kind == "script_finished" and message.script_finished in FINISHED
