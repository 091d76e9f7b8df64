"""The messages that Streamlit sends to a browser: watched as they leave, and sent to others too.

Undocumented, like all of `internals`. Public: none yet; a browser gets only the messages of its
own run of the script.
"""

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, Protocol
from weakref import WeakKeyDictionary

from streamlit import config
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state.session_state import WStates

from explorer.ui import internals

Message = ForwardMsg
Request = ClientState  # for a run
Shown = WidgetState  # what a widget shows
Place = tuple[int, ...]  # of an element on the page: a number for each container around it

# Fields that set a value, sent only by the run that changes it; and fields that name a file.
_ONE_SHOT_FIELDS: Final = {"set_value", "value", "values", "raw_value", "raw_values"}
_FILE_FIELDS: Final = {"url", "deferred_file_id", "disabled"}
_RUNS_IN_FLIGHT: Final = 6  # runs that a browser may finish between a request and its answer
_LOG: Final = logging.getLogger(__name__)
_SUCCESS: Final = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message: a run begins, an element is drawn, the address changes, the run ends."""

    kind: Literal["begin", "element", "address", "end", "other"]
    message: Message
    parts: Sequence[str] = ()  # the fragments that a run draws; none: everything
    place: Place = ()
    part: str = ""  # the fragment that an element belongs to
    look: str = ""  # the same for two elements that look the same
    updated_widget: str = ""  # the id of the widget whose value this message sets
    is_field: bool = False  # it shows the typed text, or the last value that was set
    is_whole: bool = False  # the element contains no others, and the message contains it
    is_own: bool = False  # only this session can use it
    address: str = ""
    is_success: bool = False  # the run came to its end

    @classmethod
    def read(cls, message: Message) -> "Sent":
        """Read a message."""
        place = tuple(message.metadata.delta_path)
        match message.WhichOneof("type"):
            case "new_session":
                return cls(kind="begin", message=message, parts=message.metadata.run.fragment_ids)
            case "delta":
                return _read_element(message, place)
            case "ref_hash":
                return cls(kind="element", message=message, place=place, look=message.ref_hash)
            case "page_info_changed":
                address = message.page_info_changed.query_string
                return cls(kind="address", message=message, address=address)
            case "script_finished":
                done = message.script_finished in _SUCCESS
                return cls(kind="end", message=message, is_success=done)
        return cls(kind="other", message=message)


def _read_element(message: Message, place: Place) -> Sent:
    delta, part = message.delta, message.delta.fragment_id
    if delta.WhichOneof("type") != "new_element":
        return Sent(kind="element", message=message, place=place, part=part, look=message.hash)
    element = delta.new_element
    widget: Any = getattr(element, element.WhichOneof("type") or "", None)
    return Sent(
        kind="element",
        message=message,
        place=place,
        part=part,
        look=_look_of_widget(element) or message.hash,
        updated_widget=widget.id if element.has_one_shot_effect and hasattr(widget, "id") else "",
        is_field=element.WhichOneof("type") == "text_input",
        is_whole=True,
        is_own=element.WhichOneof("type") == "download_button",
    )


def _look_of_widget(element: Element) -> str:
    """The look of an element that may set a value or name a file; empty for other elements."""
    name = element.WhichOneof("type") or ""
    if name == "download_button":
        invisible = _FILE_FIELDS
    elif name and hasattr(getattr(element, name), "set_value"):
        invisible = _ONE_SHOT_FIELDS & set(getattr(element, name).DESCRIPTOR.fields_by_name)
    else:
        return ""
    bare = Element()
    bare.CopyFrom(element)
    bare.has_one_shot_effect = False
    for field in invisible:
        getattr(bare, name).ClearField(field)
    return hashlib.md5(bare.SerializeToString(), usedforsecurity=False).hexdigest()


def without_file(message: Message) -> Message:
    """The download button, disabled and without its file: the file belongs to another session."""
    disabled = ForwardMsg()
    disabled.CopyFrom(message)
    button = disabled.delta.new_element.download_button
    button.disabled = True
    for name in ("url", "deferred_file_id"):
        button.ClearField(name)
    disabled.hash = f"{message.hash} without its file"
    return disabled


class Watcher(Protocol):
    """An observer of the messages to a browser. It is called in Streamlit's own thread."""

    def see(self, sent: Sent) -> None:
        """A message leaves for the browser."""

    def asks(self, *, by_itself: bool) -> None:
        """The browser asks for a run; `by_itself`: because of a timer, not of a person."""

    def lose(self) -> None:
        """Something went wrong: nothing more will be seen."""


_watchers: Final[dict[str, Watcher]] = {}  # by the id of the session that they watch


def watch(session: str, watcher: Watcher) -> None:
    """From now on, show a watcher all messages to a session's browser, and its requests."""
    _observe_all()
    _watchers[session] = watcher


def unwatch(session: str) -> None:
    """Stop watching the messages to this session's browser."""
    _watchers.pop(session, None)


@cache
def _observe_all() -> None:
    def show(session: str, look: Callable[[Watcher], None]) -> None:
        if watcher := _watchers.get(session):
            try:
                look(watcher)
            except Exception:  # it must not stop the server's only loop
                _LOG.exception("Messages to a browser are not looked at any more.")
                unwatch(session)
                watcher.lose()

    @internals.around(AppSession, "flush_browser_queue")
    def seen(flush: Callable[..., list[Message]], theirs: AppSession) -> list[Message]:
        messages = flush(theirs)

        def see(watcher: Watcher) -> None:
            for message in messages:
                watcher.see(Sent.read(message))

        show(theirs.id, see)
        return messages

    @internals.around(AppSession, "handle_backmsg")
    def heard(handle: Callable[..., None], theirs: AppSession, message: Any) -> None:
        if message.WhichOneof("type") == "rerun_script":
            by_itself = message.rerun_script.is_auto_rerun
            show(theirs.id, lambda watcher: watcher.asks(by_itself=by_itself))
        handle(theirs, message)


def keep_one_shot_values() -> None:
    """Send a browser the values that were set for its widgets, even if another run has begun.

    A new run drops the unsent messages of the run before. It draws all of these elements again, but
    a widget's value is set only once: the browser would go on showing the old value, and report it
    with its next request. So nothing is dropped then. Public: none yet.
    """

    @internals.around(AppSession, "_clear_queue")
    def clear_unless_one_shot(clear: Callable[..., None], theirs: AppSession, *parts: Any) -> None:
        waiting: ForwardMsgQueue = internals.required(theirs, "_browser_queue")
        queue: list[ForwardMsg] = internals.required(waiting, "_queue")
        if any(message.delta.new_element.has_one_shot_effect for message in queue):
            # New messages must not replace queued ones that precede the beginning of the next run.
            internals.required(waiting, "_delta_index_map").clear()
        else:
            clear(theirs, *parts)


def refer_only_to_recent_messages() -> None:
    """Let a run refer only to messages that a browser still has when the answer arrives.

    With each request, the browser lists the messages that it has. At the end of each run, it drops
    those that no run has used for a while (`global.maxCachedMessageAge`). If a run ends in the
    meantime, it may drop a message that it has just listed, and a reference to that message would
    stop its page for good. So only messages that its latest runs have used count. Public: none.
    """
    kept: int = config.get_option("global.maxCachedMessageAge")
    recent = max(1, kept - _RUNS_IN_FLIGHT)
    latest: WeakKeyDictionary[AppSession, deque[set[str]]] = WeakKeyDictionary()

    @internals.around(AppSession, "flush_browser_queue")
    def sent(flush: Callable[..., list[Message]], theirs: AppSession) -> list[Message]:
        messages = flush(theirs)
        runs = latest.setdefault(theirs, deque([set()], recent))
        for message in messages:
            if message.WhichOneof("type") == "new_session":
                runs.append(set())
            elif message.metadata.cacheable:
                runs[-1].add(message.hash)
            elif message.ref_hash:
                runs[-1].add(message.ref_hash)
        return messages

    @internals.around(AppSession, "handle_backmsg")
    def heard(handle: Callable[..., None], theirs: AppSession, message: Any) -> None:
        if message.WhichOneof("type") == "rerun_script":
            said = message.rerun_script.cached_message_hashes
            sure = set().union(*latest.get(theirs, ())).intersection(said)
            del said[:]
            said.extend(sorted(sure))
        handle(theirs, message)


def send(session: str, messages: Sequence[Message], still: Callable[[], bool]) -> bool:
    """Send messages to a browser, from any thread, if they are `still` right at that moment.

    They are not sent while the session's own script runs; returns whether it is at rest. The
    elements that they draw stay until the next run draws them again.
    """

    def send_all(theirs: Any) -> None:
        enqueue: Callable[[Message], None] = internals.required(theirs, "_enqueue_forward_msg")
        for message in messages if still() else ():
            enqueue(message)

    return internals.at_rest(session, send_all)


def is_drawing(session: str) -> bool:
    """Whether something is being drawn for this session, or on its way to its browser."""
    theirs = internals.connected(session)
    return theirs is not None and not internals.is_at_rest(theirs)


def values_of(session: str, widgets: Iterable[str]) -> list[Shown]:
    """The values of these widgets of a session, by their ids, as its browser would report them."""
    theirs = internals.connected(session)
    if theirs is None:
        return []
    state, found = internals.required(theirs, "session_state"), []
    known = internals.required(internals.required(state, "_new_widget_state"), "widget_metadata")
    for widget in widgets:
        if widget in known:
            values = WStates()
            values.set_widget_metadata(known[widget])
            with suppress(KeyError):  # it is not on the page any more
                values.set_from_value(widget, state[widget])
            if (said := values.get_serialized(widget)) is not None:
                found.append(said)
    return found
