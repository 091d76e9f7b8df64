import webbrowser
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.starlette import App

from explorer.paths import COMPONENTS
from explorer.ui.frame import front
from tests.support.async_tests import run_async

APP = Path(__file__).parents[3] / "app.py"


@pytest.mark.parametrize(("headless", "opened"), [(True, 0), (False, 1)])
def test_models_of_visitors_are_forgotten_at_the_end_and_a_browser_is_opened(
    headless: bool, opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[bool] = []
    visited: list[str] = []
    options = {"server.headless": headless, "server.port": 8600, "server.baseUrlPath": "/here"}
    monkeypatch.setattr(front, "forget_all", lambda: forgotten.append(True))
    monkeypatch.setattr(webbrowser, "open", visited.append)
    monkeypatch.setattr(st, "get_option", options.get)

    async def serve() -> None:
        async with front.lifespan(App(APP)):
            assert not forgotten

    run_async(serve)
    assert forgotten
    assert visited == ["http://localhost:8600/here"] * opened


@pytest.mark.parametrize(("base", "path"), [("", "/scripts/1"), ("/here/", "/here/scripts/1")])
def test_scripts_are_served_beside_the_pages(
    base: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.get)
    browser = TestClient(Starlette(routes=front.routes()))
    assert browser.get(f"{path}/head.js").text == (COMPONENTS / "head.js").read_text()
    assert browser.get(f"{path}/../style.py").status_code == 404
