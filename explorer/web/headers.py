"""The headers that tell a browser what a page of the explorer may do, and who may show it."""

import os
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Sites that may show the explorer in a frame of theirs, separated by spaces; "*" is all of them.
EMBEDDERS: Final = "EXPLORER_FRAME_ANCESTORS"
_EMBEDDER: Final = re.compile(r"\*|(https?://)?(\*\.)?[\w.-]+(:(\d+|\*))?")

# Streamlit makes a module of each component's script by way of a blob, and writes its styles into
# the page. Of scripts in a page, only those of its own first page may run: they are added below.
_POLICY: Final = {
    "default-src": "'self'",
    "script-src": "'self' 'wasm-unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' data: blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
_OTHERS: Final = {
    "X-Content-Type-Options": "nosniff",
    # Addresses hold what people typed.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        f"{what}=()"
        for what in ("camera", "microphone", "geolocation", "payment", "usb", "display-capture")
    ),
}


class SafeHeaders:
    """Adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(safe_headers())
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


@cache
def safe_headers() -> dict[str, str]:
    """The headers of every answer; those who may embed are read from the environment, once.

    Raises:
        ValueError: if that is not a list of sites.
    """
    scripts = " ".join([_POLICY["script-src"], *_own_scripts()])
    policy = _POLICY | {"script-src": scripts, "frame-ancestors": _embedders()}
    written = "; ".join(f"{name} {sources}" for name, sources in policy.items())
    return {"Content-Security-Policy": written} | _OTHERS


def _own_scripts() -> list[str]:
    """The hashes of the scripts in Streamlit's first page."""
    page = files("streamlit") / "static" / "index.html"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    return [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts]


def _embedders() -> str:
    sites = os.environ.get(EMBEDDERS, "").split()
    for site in sites:
        if not _EMBEDDER.fullmatch(site):
            raise ValueError(
                f"{EMBEDDERS} must name sites, separated by spaces, such as "
                f"'https://moodle.example.org', got {site!r}"
            )
    return " ".join(["'self'", *sites])
