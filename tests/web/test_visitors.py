"""The cookie of a browser, and which browsers are here."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from streamlit.testing.v1 import AppTest

from explorer.ui.frame.session import browser
from explorer.web import visitors
from explorer.web.visitors import COOKIE, Visitors, is_there
from tests.support.async_tests import async_test


def client(address: str = "http://explorer.example") -> TestClient:
    routes = [
        Route("/", lambda _: HTMLResponse("page", headers={"Set-Cookie": "another=1"})),
        Route("/script.js", lambda _: PlainTextResponse("script")),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Visitors)])
    return TestClient(app, base_url=address)


def name_of(cookie: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the browser with this cookie."""
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={COOKIE: cookie}))
    return browser()


def test_the_first_page_brings_the_cookie_and_no_other_does() -> None:
    here = client()
    assert "set-cookie" not in here.get("/script.js").headers
    another, own = here.get("/").headers.get_list("set-cookie")
    assert another == "another=1"
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} == set(own.split("; ")[1:])
    assert len(here.cookies[COOKIE]) > 20
    assert here.get("/").headers.get_list("set-cookie") == ["another=1"]
    assert client().get("/").cookies[COOKIE] != here.cookies[COOKIE]
    assert "Secure" in client("https://explorer.example").get("/").headers["set-cookie"]


def test_a_browser_is_told_apart_by_its_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    one = name_of("one", monkeypatch)
    assert one == name_of("one", monkeypatch) != name_of("other", monkeypatch)
    assert "one" not in one
    assert name_of("", monkeypatch) == ""


def test_without_a_browser_there_is_no_name_and_everybody_is_here() -> None:
    def script() -> None:
        import streamlit as st

        from explorer.ui.frame.session import browser
        from explorer.web.visitors import is_there

        st.text(f"{browser()!r} {is_there(browser())}")

    assert AppTest.from_function(script).run().text[0].value == "'' True"


class Window:
    """A connection of a browser."""

    def __init__(self, cookie: str) -> None:
        self._open = asyncio.Event()
        self._scope: Scope = {
            "type": "websocket",
            "headers": [(b"cookie", f"{COOKIE}={cookie}".encode())] if cookie else [],
        }

    async def __aenter__(self) -> None:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self._open.wait()

        async def receive() -> Message:
            raise AssertionError("nothing is read here")

        async def send(message: Message) -> None:
            raise AssertionError("nothing is sent here")

        self._task = asyncio.create_task(Visitors(app)(self._scope, receive, send))
        await asyncio.sleep(0)

    async def __aexit__(self, *_: Any) -> None:
        self._open.set()
        await self._task


@async_test
async def test_a_browser_is_here_until_its_last_window_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visitors, "GRACE", 0.05)
    name = name_of("mine", monkeypatch)
    assert not is_there(name)
    async with Window("mine"):
        async with Window("mine"), Window("other"), Window(""):
            assert is_there(name)
        await asyncio.sleep(0.1)
        assert is_there(name)
    assert is_there(name)  # it may be a reload
    async with Window("mine"):
        await asyncio.sleep(0.1)
        assert is_there(name)
    await asyncio.sleep(0.1)
    assert not is_there(name)
    assert not visitors._connected
