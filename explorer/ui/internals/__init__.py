"""All uses of undocumented parts of Streamlit, each with the public call that could replace it.

Its messages to browsers have a module of their own, `messages`; so have requests for runs,
`requests`, and the contents of requests, `received`. Each use fails with a clear message if the
installed version of Streamlit lacks that part.
"""

import hashlib
import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from functools import wraps
from typing import Any

import streamlit
from google.protobuf.message import DecodeError
from streamlit import runtime
from streamlit.elements.widgets import text_widgets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.state import SafeSessionState


class StreamlitChangedError(RuntimeError):
    """This version of Streamlit lacks something that the explorer uses."""


def follow_typing(milliseconds: int) -> None:
    """Set the delay after which fields with `live=True` report new text.

    With any delay, Streamlit's field loses letters on a busy machine: a text that is reported after
    the one before was drawn, and before that one's effects have run, is wiped by them. Without a
    delay, they run in the event of the key.

    Public: `live="100ms"`; but in Streamlit 1.67 it imports pandas, 80 MB in every process.
    """
    required(text_widgets, "_DEFAULT_LIVE_DEBOUNCE_MS")
    vars(text_widgets)["_DEFAULT_LIVE_DEBOUNCE_MS"] = milliseconds


def send_without_delay() -> None:
    """Send small answers at once, on all connections that are open or come later.

    Otherwise the operating system holds back each small part of an answer until the browser has
    confirmed the part before, which takes 40 ms. Python's event loop switches that off only for
    sockets that name their protocol (TCP), and Streamlit's does not. Public: none yet. (Does
    nothing on Windows.)
    """
    descriptors = os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else []
    for number in map(int, descriptors):
        with suppress(OSError):  # closed by now, or not TCP
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                with socket.socket(fileno=os.dup(number)) as same:
                    same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def look_up_single_values() -> None:
    """Let a widget look up its own value, instead of copying all values.

    Streamlit copies the session's whole state for each field, slider and menu, only to see whether
    its value is None. That takes 15 % longer (a run of *Attention*, CPU time); and a copy fails
    with "dictionary changed size" while the run that is being replaced still writes. Public: none.
    """
    required(SafeSessionState, "filtered_state")
    SafeSessionState.filtered_state = property(_Values)  # type: ignore[assignment,method-assign]


class _Values(Mapping[str, Any]):
    """The present values of a session by their key, for `filtered_state` to copy."""

    def __init__(self, session: SafeSessionState) -> None:
        self._lock, self._state = required(session, "_lock"), required(session, "_state")

    def __getitem__(self, key: str) -> Any:
        with self._lock:
            return self._state[key]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(self._state.filtered_state)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def same_on_every_page() -> AbstractContextManager[None]:
    """Widgets drawn in this block are the same on every page.

    Public: let `app.py` draw the widgets; but then they are outside the page's fragment, and typing
    redraws everything.
    """
    context = _context()
    pages = required(context, "pages_manager")
    run_with: Callable[[str], AbstractContextManager[None]] = required(
        context, "run_with_active_hash"
    )
    return run_with(required(pages, "main_script_hash"))


def page_hash() -> str:
    """Streamlit's name for the page on show. Public: none yet."""
    found: str = required(_context(), "page_script_hash")
    return found


def is_history_navigation() -> bool:
    """Whether Back or Forward caused this run. Public: none yet."""
    return bool(required(_context(), "is_history_navigation"))


def session_id() -> str:
    """The id of this visitor's session; empty outside of a script run. Public: none yet."""
    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else str(required(context, "session_id"))


def browser() -> str:
    """A name of the visitor's browser, the same for all its windows; empty if it keeps no cookies.

    Streamlit gives each browser a random token in a cookie. Whoever deletes it has another name: it
    tells honest people apart. Public: the cookie itself, but its text changes with each answer.
    """
    from streamlit.web.server.starlette import starlette_app_utils, starlette_server_config

    decode = required(starlette_app_utils, "decode_xsrf_token_string")
    cookie = required(starlette_server_config, "XSRF_COOKIE_NAME")
    text = streamlit.context.cookies.get(cookie)
    token, _ = decode(text) if isinstance(text, str) else (None, None)  # no browser, in tests
    return hashlib.sha256(token).hexdigest()[:16] if token else ""


def is_connected(session: str) -> bool:
    """Whether a session's browser is still there.

    Public: `st.cache_resource(scope="session", on_release=…)`; but it reports only when the session
    is dropped, two minutes after its browser has gone, and a training should stop at once.
    """
    if not runtime.exists():
        return True
    is_active: Callable[[str], bool] = required(runtime.get_instance(), "is_active_session")
    return is_active(session)


def is_about_to_rerun() -> bool:
    """Whether `st.rerun` or `st.switch_page` is interrupting this run.

    Public: none yet.
    """
    return isinstance(sys.exception(), RerunException)


def is_whole_run() -> bool:
    """Whether everything is being drawn, not only a fragment. Public: none yet."""
    return not required(_context(), "fragment_ids_this_run")


def forget_file(session: str, file_id: str) -> None:
    """Free the memory of an uploaded file, from any thread.

    Public: none; it is freed when the session is dropped, two minutes after its browser has gone.
    """
    if runtime.exists():
        manager = required(runtime.get_instance(), "uploaded_file_mgr")
        required(manager, "remove_file")(session, file_id)


def read_request(content: bytes) -> Any:
    """Read a browser's message; None if it is not valid. Public: none yet."""
    try:
        return BackMsg.FromString(content)
    except DecodeError:
        return None


def bound_messages(receive: Callable[..., object], most: int) -> None:
    """Let the server refuse longer messages before it unpacks them, and messages without end.

    `receive` is what the server has given to the application when it started. Public:
    `server.maxMessageSize`; but it is also the limit of what is sent to a browser. A server other
    than Streamlit's own is left as it is.
    """
    settings: Any = getattr(getattr(receive, "__self__", None), "config", None)
    if settings is not None and hasattr(settings, "ws_max_size"):
        settings.ws_max_size = most


def _context() -> Any:
    context = get_script_run_ctx()
    if context is None:
        raise RuntimeError("this needs a script run: start the app with `streamlit run app.py`")
    return context


def around(owner: type, name: str) -> Callable[[Callable[..., Any]], None]:
    """Put the decorated function around an undocumented method, which is its first argument.

    Raises:
        StreamlitChangedError: this version lacks it.
    """
    inside: Callable[..., Any] = required(owner, name)

    def put(outside: Callable[..., Any]) -> None:
        @wraps(inside)
        def both(*args: Any, **more: Any) -> Any:
            return outside(inside, *args, **more)

        setattr(owner, name, both)

    return put


def required(owner: Any, name: str) -> Any:
    """An undocumented part.

    Raises:
        StreamlitChangedError: this version lacks it.
    """
    if not hasattr(owner, name):
        what = getattr(owner, "__name__", type(owner).__name__)
        raise StreamlitChangedError(
            f"The explorer needs {what}.{name}, which Streamlit {streamlit.__version__} lacks: "
            "install the version that requirements.txt names."
        )
    return getattr(owner, name)
