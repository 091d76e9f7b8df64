"""Requests for runs that meet."""

import pytest
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


def test_a_part_that_asks_for_a_run_does_not_undo_a_page_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)  # undone later
    requests.turn_pages_for_good()
    asking = ScriptRequests()
    asking.request_rerun(RerunData(page_script_hash="the new page"))
    asking.request_rerun(RerunData(page_script_hash="the old page", fragment_id="a part"))
    asked = asking.on_scriptrunner_ready().rerun_data
    assert (asked.page_script_hash, asked.fragment_id_queue) == ("the new page", [])
    asking.request_rerun(RerunData(page_script_hash="the new page", fragment_id="a part"))
    asking.request_rerun(RerunData(page_script_hash="the old page"))
    assert asking.on_scriptrunner_ready().rerun_data.page_script_hash == "the old page"
