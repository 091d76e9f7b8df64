"""Streamlit's messages to a browser: watched as they leave, and sent to other browsers, too.

Undocumented, like all of `internals`. Public: none yet; a browser gets only the messages of its
own run of the script.
"""

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from functools import cache
from typing import Any, Final, Literal, NamedTuple, Protocol
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
Place = tuple[int, ...]  # an element's path on the page: its index in each container around it

# Fields that set a value, sent only by the run that changes it; and fields that name a file.
_ONE_SHOT_FIELDS: Final = {"set_value", "value", "values", "raw_value", "raw_values"}
_FILE_FIELDS: Final = {"url", "deferred_file_id", "disabled"}
_RUNS_IN_FLIGHT: Final = 6  # runs that may end between a browser's request and the answer
_LOG: Final = logging.getLogger(__name__)
_SUCCESS: Final = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)


class Sent(NamedTuple):
    """A message, as far as a watcher needs it."""

    kind: Literal["begin", "element", "address", "end", "other"]
    message: Message
    parts: Sequence[str] = ()  # the fragments that a run draws; none: everything
    place: Place = ()
    part: str = ""  # the fragment that an element belongs to
    look: str = ""  # the same for two elements that look the same
    updated_widget: str = ""  # the id of the widget whose value this message sets
    is_field: bool = False  # a text field: it keeps the typed text until a value is set
    is_whole: bool = False  # the element contains no others, and the message contains it
    is_own: bool = False  # only this session can use the element
    address: str = ""
    is_success: bool = False  # the run was completed

    @classmethod
    def read(cls, message: Message) -> "Sent":
        """Read a message."""
        place = tuple(message.metadata.delta_path)
        match message.WhichOneof("type"):
            case "new_session":
                return cls("begin", message, parts=message.metadata.run.fragment_ids)
            case "delta":
                return _read_element(message, place)
            case "ref_hash":
                return cls("element", message, place=place, look=message.ref_hash)
            case "page_info_changed":
                address = message.page_info_changed.query_string
                return cls("address", message, address=address)
            case "script_finished":
                is_success = message.script_finished in _SUCCESS
                return cls("end", message, is_success=is_success)
        return cls("other", message)


def _read_element(message: Message, place: Place) -> Sent:
    delta, part = message.delta, message.delta.fragment_id
    if not delta.HasField("new_element"):
        return Sent("element", message, place=place, part=part, look=message.hash)
    element = delta.new_element
    kind = element.WhichOneof("type") or ""
    invisible = _invisible_fields(kind)
    return Sent(
        "element",
        message,
        place=place,
        part=part,
        look=_look_without(invisible, element, kind) if invisible else message.hash,
        updated_widget=_widget_id(element, kind) if element.has_one_shot_effect else "",
        is_field=kind == "text_input",
        is_whole=True,
        is_own=kind == "download_button",
    )


@cache
def _invisible_fields(kind: str) -> Set[str]:
    """The fields of this kind of element that may differ where the elements look the same."""
    if kind == "download_button":
        return _FILE_FIELDS
    fields = Element.DESCRIPTOR.fields_by_name
    content = fields[kind].message_type if kind else None
    names = set() if content is None else set(content.fields_by_name)
    return _ONE_SHOT_FIELDS & names if "set_value" in names else set()


def _look_without(invisible: Set[str], element: Element, kind: str) -> str:
    bare = Element()
    bare.CopyFrom(element)
    bare.has_one_shot_effect = False
    for field in invisible:
        getattr(bare, kind).ClearField(field)
    return hashlib.md5(bare.SerializeToString(), usedforsecurity=False).hexdigest()


def _widget_id(element: Element, kind: str) -> str:
    found: str = getattr(getattr(element, kind, None), "id", "")
    return found


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
    """An observer of one browser's messages. It is called in Streamlit's own thread."""

    def on_message(self, sent: Sent) -> None:
        """A message leaves for the browser."""

    def on_request(self, *, by_timer: bool) -> None:
        """A person, or a timer on the page, requests a run."""

    def on_error(self) -> None:
        """Watching has failed, and has stopped."""


_watchers: Final[dict[str, Watcher]] = {}  # by session id


def watch(session: str, watcher: Watcher) -> None:
    """Let a watcher see all messages to a session's browser, and its requests."""
    _observe_all()
    _watchers[session] = watcher


def unwatch(session: str) -> None:
    """Stop watching the messages to this session's browser."""
    _watchers.pop(session, None)


@cache
def _observe_all() -> None:
    def call(session: str, method: Callable[[Watcher], None]) -> None:
        if watcher := _watchers.get(session):
            try:
                method(watcher)
            except Exception:  # it must not stop the server's only loop
                _LOG.exception("The messages to a browser are no longer watched.")
                unwatch(session)
                watcher.on_error()

    @internals.around(AppSession, "flush_browser_queue")
    def flush_and_show(flush: Callable[..., list[Message]], session: AppSession) -> list[Message]:
        messages = flush(session)

        def show(watcher: Watcher) -> None:
            for message in messages:
                watcher.on_message(Sent.read(message))

        call(session.id, show)
        return messages

    @internals.around(AppSession, "handle_backmsg")
    def show_and_handle(handle: Callable[..., None], session: AppSession, message: Any) -> None:
        if message.WhichOneof("type") == "rerun_script":
            by_timer = message.rerun_script.is_auto_rerun
            call(session.id, lambda watcher: watcher.on_request(by_timer=by_timer))
        handle(session, message)


def keep_one_shot_values() -> None:
    """Send the values that were set for widgets, even if another run has begun.

    A new run drops the unsent messages of the run before, and redraws all of their elements. But a
    widget's value is set only once: the browser would keep the old value, and report it with its
    next request. So nothing is dropped then. Public: none yet.
    """

    @internals.around(AppSession, "_clear_queue")
    def clear_unless_one_shot(clear: Callable[..., None], session: AppSession, *parts: Any) -> None:
        queue: ForwardMsgQueue = internals.required(session, "_browser_queue")
        unsent: list[ForwardMsg] = internals.required(queue, "_queue")
        if any(message.delta.new_element.has_one_shot_effect for message in unsent):
            # New messages must not replace unsent ones that precede the beginning of the next run.
            internals.required(queue, "_delta_index_map").clear()
        else:
            clear(session, *parts)


def refer_only_to_recent_messages() -> None:
    """Let a run refer only to messages that a browser still has when the answer arrives.

    With each request, the browser lists the messages in its cache. At the end of each run, it drops
    those that no run has used for a while (`global.maxCachedMessageAge`). If a run ends in the
    meantime, it may drop a message that it has just listed, and a reference to that message would
    stop its page for good. So only messages of its latest runs count. Public: none.
    """
    kept: int = config.get_option("global.maxCachedMessageAge")
    recent = max(1, kept - _RUNS_IN_FLIGHT)
    latest: WeakKeyDictionary[AppSession, deque[set[str]]] = WeakKeyDictionary()

    @internals.around(AppSession, "flush_browser_queue")
    def flush_and_note(flush: Callable[..., list[Message]], session: AppSession) -> list[Message]:
        messages = flush(session)
        runs = latest.setdefault(session, deque([set()], recent))
        for message in messages:
            if message.WhichOneof("type") == "new_session":
                runs.append(set())
            elif message.metadata.cacheable:
                runs[-1].add(message.hash)
            elif message.ref_hash:
                runs[-1].add(message.ref_hash)
        return messages

    @internals.around(AppSession, "handle_backmsg")
    def limit_and_handle(handle: Callable[..., None], session: AppSession, message: Any) -> None:
        if message.WhichOneof("type") == "rerun_script":
            cached = message.rerun_script.cached_message_hashes
            usable = set().union(*latest.get(session, ())).intersection(cached)
            del cached[:]
            cached.extend(sorted(usable))
        handle(session, message)


def send(session: str, messages: Sequence[Message], is_valid: Callable[[], bool]) -> bool:
    """Send messages to a browser, from any thread, if they are still valid at that moment.

    They are not sent while the session's own script runs; returns whether it is idle. The elements
    that they draw stay until the next run redraws them.
    """

    def send_all(app_session: Any) -> None:
        enqueue: Callable[[Message], None] = internals.required(app_session, "_enqueue_forward_msg")
        for message in messages if is_valid() else ():
            enqueue(message)

    return internals.call_when_idle(session, send_all)


def is_drawing(session: str) -> bool:
    """Whether this session's script runs, or its output is on the way to the browser."""
    app_session = internals.connected(session)
    return app_session is not None and not internals.is_idle(app_session)


def values_of(session: str, widgets: Iterable[str]) -> list[Shown]:
    """The values of these widgets of a session, by their ids, as its browser would report them."""
    app_session = internals.connected(session)
    if app_session is None:
        return []
    state, shown = internals.required(app_session, "session_state"), []
    known = internals.required(internals.required(state, "_new_widget_state"), "widget_metadata")
    for widget in widgets:
        if widget in known:
            values = WStates()
            values.set_widget_metadata(known[widget])
            with suppress(KeyError):  # it is no longer on the page
                values.set_from_value(widget, state[widget])
            if (value := values.get_serialized(widget)) is not None:
                shown.append(value)
    return shown
