"""Requests for runs that meet."""

from dataclasses import replace
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, RerunException, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.runtime.state import SafeSessionState, SessionState

from explorer.ui.internals import requests


def test_a_callback_ends_though_its_run_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SafeSessionState.on_script_will_rerun
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", whole)  # undone later
    looks, found = [True], list[bool]()

    def give_way() -> None:
        if looks:
            raise RerunException(RerunData())

    session = SafeSessionState(SessionState(), give_way)

    def callbacks(*_: object, **__: object) -> None:
        looks.append(True)
        found.append("key" in session)

    monkeypatch.setattr(SessionState, "on_script_will_rerun", callbacks)
    requests.take_every_change()
    with pytest.raises(RerunException):
        session.on_script_will_rerun(None)  # before they have begun, it may end
    looks.clear()
    session.on_script_will_rerun(None)
    assert found == [False]
    with pytest.raises(RerunException):
        assert "key" in session


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> ScriptRequests:
    """Requests that turn pages for good."""
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)  # undone later
    requests.turn_pages_for_good()
    return ScriptRequests()


def test_a_part_that_asks_for_a_run_does_not_undo_a_page_turn(turning: ScriptRequests) -> None:
    turning.request_rerun(RerunData(page_script_hash="the new page"))
    turning.request_rerun(RerunData(page_script_hash="the old page", fragment_id="a part"))
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.page_script_hash, asked.fragment_id_queue) == ("the new page", [])
    turning.request_rerun(RerunData(page_script_hash="the new page", fragment_id="a part"))
    turning.request_rerun(RerunData(page_script_hash="the old page", widget_states=WidgetStates()))
    assert turning.on_scriptrunner_ready().rerun_data.page_script_hash == "the old page"


def test_what_follows_from_a_callback_does_not_undo_what_a_browser_asks_for(
    turning: ScriptRequests,
) -> None:
    back = RerunData("pair=2", page_script_hash="the new page", is_history_navigation=True)
    turning.request_rerun(replace(back, widget_states=WidgetStates()))
    turning.request_rerun(RerunData("pair=1", page_script_hash="the old page"))
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.query_string, asked.page_script_hash) == ("pair=2", "the new page")
    assert asked.is_history_navigation


class Session:
    """A session with threads that do nothing but end when they are told."""

    def __init__(self) -> None:
        self._scriptrunner: ScriptRequests | None = None
        self._state = AppSessionState.APP_NOT_RUNNING
        self.begun: list[str] = []

    def ask(self, part: str) -> None:
        asked = RerunData(fragment_id_queue=[part])
        if self._scriptrunner is None or not self._scriptrunner.request_rerun(asked):
            AppSession._create_scriptrunner(self, asked)  # type: ignore[arg-type]

    def begin(self, asked: RerunData) -> None:
        self.begun += asked.fragment_id_queue
        self._scriptrunner = ScriptRequests()
        self._scriptrunner.request_rerun(asked)
        self._scriptrunner.on_scriptrunner_ready()

    def end(self) -> None:
        """All is drawn, and nothing more is asked for."""
        assert self._scriptrunner is not None
        self._scriptrunner.on_scriptrunner_ready()

    def send(self) -> None:
        """What the thread has said is heard: that it has ended, at last."""
        handle: Any = AppSession._handle_scriptrunner_event_on_event_loop
        handle(self, None)

    def forget(self, _event: object) -> None:
        self._scriptrunner = None


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session of its own, whose runs send all."""
    monkeypatch.setattr(AppSession, "_create_scriptrunner", Session.begin)
    monkeypatch.setattr(AppSession, "_handle_scriptrunner_event_on_event_loop", Session.forget)
    requests.send_all_of_a_run()
    return Session()


def test_a_run_begins_when_all_of_the_one_before_is_sent(session: Session) -> None:
    session.ask("first")
    session.end()
    for part in ("second", "third"):
        session.ask(part)
    assert session.begun == ["first"]
    session.send()
    assert session.begun == ["first", "second"]
    assert session._scriptrunner is not None
    asked = session._scriptrunner.on_scriptrunner_ready().rerun_data
    assert asked.fragment_id_queue == ["third"]


def test_what_waits_is_not_run_after_what_was_asked_later(session: Session) -> None:
    session.ask("first")
    session.end()
    session.ask("second")
    session._scriptrunner = None  # as Streamlit does for a run of everything
    session.ask("third")
    assert session.begun == ["first", "second"]
    assert session._scriptrunner is not None
    assert session._scriptrunner.on_scriptrunner_ready().rerun_data.fragment_id_queue == ["third"]


def test_nothing_begins_in_a_session_that_is_over(session: Session) -> None:
    session.ask("first")
    session.end()
    session.ask("second")
    session._state = AppSessionState.SHUTDOWN_REQUESTED
    session.send()
    assert session.begun == ["first"]
