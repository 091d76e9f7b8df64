"""The messages that Streamlit sends to a browser: seen as they leave, and sent to others as well.

Undocumented, like all of `internals`. Public: none yet; each browser is sent what its own run of
the script draws.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.ui import internals

Place = tuple[int, ...]  # of an element on the page: a number for each container around it

# The value that a widget is told, only by the run that changes it; and where a session's file is.
_SAID_ONCE: Final = {"set_value", "value", "values", "raw_value", "raw_values"}
_FILES: Final = {"url", "deferred_file_id"}
_SUCCESS: Final = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A message: a run begins, an element is drawn, the address changes, the run ends."""

    kind: Literal["begin", "element", "address", "end", "other"]
    message: ForwardMsg
    parts: Sequence[str] = ()  # the fragments that a run draws; none: everything
    place: Place = ()
    part: str = ""  # the fragment that an element belongs to
    look: str = ""  # the same for two elements that look the same
    says_value: bool = False  # a widget is told what to show
    is_whole: bool = False  # the element has no others in it, and stands in the message
    is_own: bool = False  # it is of use only to this session
    address: str = ""
    is_success: bool = False  # the run came to its end

    @classmethod
    def read(cls, message: ForwardMsg) -> "Sent":
        """What a message says."""
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


def _read_element(message: ForwardMsg, place: Place) -> Sent:
    delta = message.delta
    element = delta.new_element if delta.WhichOneof("type") == "new_element" else None
    look = message.hash if element is None else _look_of_widget(element) or message.hash
    return Sent(
        kind="element",
        message=message,
        place=place,
        part=delta.fragment_id,
        look=look,
        says_value=element is not None and element.has_one_shot_effect,
        is_whole=element is not None,
        is_own=element is not None and element.WhichOneof("type") == "download_button",
    )


def _look_of_widget(element: Element) -> str:
    """The look of what may be told a value, or names a file; empty for other elements."""
    name = element.WhichOneof("type") or ""
    if name == "download_button":
        not_seen = _FILES
    elif name and hasattr(getattr(element, name), "set_value"):
        not_seen = _SAID_ONCE & set(getattr(element, name).DESCRIPTOR.fields_by_name)
    else:
        return ""
    bare = Element()
    bare.CopyFrom(element)
    bare.has_one_shot_effect = False
    for field in not_seen:
        getattr(bare, name).ClearField(field)
    return hashlib.md5(bare.SerializeToString(), usedforsecurity=False).hexdigest()


def watch(session: str, see: Callable[[Sent], None], asked: Callable[[], None]) -> bool:
    """From now on, `see` each message to a browser as it leaves; `asked`: it asks for a run.

    Both are called in Streamlit's own thread. Returns whether the browser is connected.
    """
    theirs = internals.connected(session)
    if theirs is None:
        return False
    unwatch(session)
    flush: Callable[[], list[ForwardMsg]] = internals.required(theirs, "flush_browser_queue")
    handle: Callable[[Any], None] = internals.required(theirs, "handle_backmsg")

    def seen() -> list[ForwardMsg]:
        messages = flush()
        for message in messages:
            see(Sent.read(message))
        return messages

    def heard(message: Any) -> None:
        if message.WhichOneof("type") == "rerun_script":
            asked()
        handle(message)

    vars(theirs).update(flush_browser_queue=seen, handle_backmsg=heard)
    return True


def unwatch(session: str) -> None:
    """See no more messages to this session's browser."""
    theirs = internals.connected(session)
    for name in ("flush_browser_queue", "handle_backmsg"):
        if theirs is not None:
            vars(theirs).pop(name, None)


def send(session: str, messages: Sequence[ForwardMsg]) -> bool:
    """Send a browser messages, from any thread; not while its own script runs.

    Returns whether it could. What they draw stays until the next run draws it again.
    """
    theirs = internals.connected(session)
    if theirs is None or not internals.is_at_rest(theirs):
        return False
    enqueue: Callable[[ForwardMsg], None] = internals.required(theirs, "_enqueue_forward_msg")

    def send_all() -> None:
        if internals.is_at_rest(theirs):
            for message in messages:
                enqueue(message)

    internals.required(theirs, "_call_soon_on_event_loop")(send_all)
    return True


def is_drawing(session: str) -> bool | None:
    """Whether something is being drawn for this session, or on its way to its browser.

    None if no browser is connected.
    """
    theirs = internals.connected(session)
    return None if theirs is None else not internals.is_at_rest(theirs)
