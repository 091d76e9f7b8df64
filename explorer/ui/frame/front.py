"""The explorer's middleware and routes, and what is done when its server starts and ends."""

import asyncio
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from streamlit.starlette import App

from explorer.paths import COMPONENTS
from explorer.web.files import FILES, OnlyFiles, take_file
from explorer.web.first_frame import FirstFrame
from explorer.web.headers import SafeHeaders, safe_headers
from explorer.web.messages import BoundedMessages
from explorer.web.news import NEWS, news
from explorer.web.scripts import SCRIPTS, STYLES
from explorer.web.visitors import Visitors
from explorer.weights.loaded_here import forget_all
from explorer.weights.opening import fetch

# The first one is the outermost: what the others refuse gets the headers, too.
MIDDLEWARE: Final = [
    Middleware(SafeHeaders),
    Middleware(BoundedMessages),
    Middleware(OnlyFiles),
    Middleware(Visitors),
    Middleware(FirstFrame),
]


def routes() -> list[BaseRoute]:
    """What is served beside the pages: scripts, styles, the news of rooms; and files are taken."""
    scripts = f"{_base()}/{SCRIPTS}/{{version}}"
    return [
        Route(f"{scripts}/all.css", lambda _: Response(STYLES, media_type="text/css")),
        Mount(scripts, StaticFiles(directory=COMPONENTS), name=SCRIPTS),
        Route(f"{_base()}/{NEWS}", news),
        Route(f"{_base()}/{FILES}", take_file, methods=["PUT"]),
    ]


@asynccontextmanager
async def lifespan(app: App) -> AsyncIterator[None]:
    """Fetch the host's own model before the first visitor, and clear up after the last."""
    safe_headers()  # a wrong setting is reported now, and not to a visitor
    await asyncio.to_thread(fetch)
    if not st.get_option("server.headless"):
        asyncio.get_running_loop().run_in_executor(None, webbrowser.open, _address())
    try:
        yield
    finally:
        forget_all()


def _address() -> str:
    """Where a browser on this machine finds the explorer."""
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    host = st.get_option("browser.serverAddress") or st.get_option("server.address")
    host = "localhost" if host in (None, "0.0.0.0", "::") else host
    return f"{scheme}://{host}:{st.get_option('server.port')}{_base() or '/'}"


def _base() -> str:
    """The path under which everything is served: empty, or with a slash before it."""
    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
