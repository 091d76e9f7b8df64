"""The browsers of visitors: a cookie names each, and their open windows are counted."""

import asyncio
from collections import Counter
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# It ends with the browser, because nothing that is known of a visitor lasts longer.
COOKIE: Final = "explorer_visitor"
# Seconds for which a browser still counts as here: in a reload, and without a network for a moment.
GRACE: Final = 5.0

_connected: Final = Counter[str]()  # by the names of browsers; changed by the server's thread alone


def is_there(browser: str) -> bool:
    """Whether a browser has a window open here; whatever has no name may have."""
    return not browser or browser in _connected


def name_of(cookie: str) -> str:
    """The name of the browser with this cookie; whoever deletes it has another name."""
    return sha256(cookie.encode()).hexdigest()[:16] if cookie else ""


class Visitors:
    """Gives each browser its cookie with its first page, and counts its connections."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        cookie = HTTPConnection(scope).cookies.get(COOKIE, "")
        if scope["type"] == "http":
            await self._app(scope, receive, send if cookie else _with_cookie(scope, send))
            return
        name = name_of(cookie)
        _connected[name] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            asyncio.get_running_loop().call_later(GRACE, _leave, name)


def _leave(name: str) -> None:
    _connected[name] -= 1
    if not _connected[name]:
        del _connected[name]


def _with_cookie(scope: Scope, send: Send) -> Send:
    """Set the cookie if a page is sent."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            if kind.startswith("text/html"):
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{COOKIE}={token_urlsafe(16)}; Path=/; HttpOnly; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("set-cookie", cookie)
        await send(message)

    return sending
