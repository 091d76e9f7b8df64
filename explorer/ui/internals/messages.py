"""Streamlit's messages to a browser, as they leave.

Undocumented, like all of `internals`.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from explorer.ui import internals

_RUNS_IN_FLIGHT: Final = 6  # runs that may end between a browser's request and the answer


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
    def flush_and_note(
        flush: Callable[..., list[ForwardMsg]], session: AppSession
    ) -> list[ForwardMsg]:
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
