"""The page that a browser gets first: with all styles, so that its layout is right at once.

And with the script that keeps the history, which has to be there before the first address is said,
and the one that draws elements.

The address of a page that does not exist leads to Home, which says so: Streamlit would open Home
without a word, and its own `st.context.url` leaves out the ends of paths that are names of pages.
"""

from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.choices.pages import NO_PAGE, PAGES, RENAMED
from explorer.web.scripts import STYLES, address_of

# At the end of the page: Streamlit puts its own styles into the head, and the later ones win.
_END: Final = b"</body>"
# The screen until Streamlit has started: see assets/components/coming.css.
_FRAME: Final = f'<div class="first-frame" aria-hidden="true">{"<i></i>" * 5}</div>'
_SCRIPTS: Final = "".join(
    f'<script type="module" src="{address_of(name)}"></script>' for name in ("history", "element")
)
_PUT_IN: Final = f"<style>{STYLES}</style>\n{_FRAME}\n{_SCRIPTS}\n".encode() + _END
# The page is put together here, so it must come whole, and as it is.
_ASKING_FOR_LESS: Final = ("accept-encoding", "if-none-match", "if-modified-since", "range")
_OF_ANOTHER: Final = ("content-length", "etag", "last-modified")


class FirstFrame:
    """Puts the styles into Streamlit's first page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _asks_for_page(scope):
            await self._app(scope, receive, send)
            return
        headers = MutableHeaders(raw=list(scope["headers"]))
        for name in _ASKING_FOR_LESS:
            del headers[name]
        await self._app({**scope, "headers": headers.raw}, receive, _Whole(send, scope))


class _Whole:
    """Holds an answer back until all of it is there; sends it on, with the styles if it is HTML."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self._send = send
        self._scope = scope
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_all(self._start)

    async def _send_all(self, start: Message) -> None:
        if where := _elsewhere(self._scope):
            elsewhere = {"status": 303, "headers": [(b"location", where.encode())]}
            await self._send({"type": "http.response.start", **elsewhere})
            await self._send({"type": "http.response.body"})
            return
        body = self._body.replace(_END, _PUT_IN, 1)
        headers = MutableHeaders(raw=list(start["headers"]))
        for name in _OF_ANOTHER:
            del headers[name]
        headers["content-length"] = str(len(body))
        await self._send({**start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": body})


def _asks_for_page(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and "text/html" in Headers(scope=scope).get("accept", "")
    )


def _elsewhere(scope: Scope) -> str:
    """Another address: Home's, for its name or, with a note, for a page that does not exist; a
    page's, for its name in capital letters or its former one.

    It is relative: only the browser knows the prefix that a proxy has taken from the path.
    """
    name = scope["path"].rpartition("/")[2]
    query = scope["query_string"].decode("latin-1")
    if name.lower() == "home":
        return f"./?{query}"
    if name in ("", *PAGES):
        return ""
    page = RENAMED.get(name.lower(), name.lower())
    if page in PAGES:  # somebody has typed it, or followed an old link
        return f"./{page}?{query}".rstrip("?")
    return f"./?{NO_PAGE}={quote(name)}&{query}".rstrip("&")


def _is_page(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")
