"""If a version of Streamlit lacks an undocumented feature, the app fails with a clear message."""

import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState

from explorer.ui import internals
from explorer.ui.internals import StreamlitChangedError

IN_A_RUN: list[Callable[[], Any]] = [
    internals.same_on_every_page,
    internals.page_hash,
    internals.is_history_navigation,
    internals.is_whole_run,
    internals.session_id,
]


@pytest.mark.parametrize("call", IN_A_RUN)
def test_a_run_context_without_the_feature(
    call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(internals, "get_script_run_ctx", SimpleNamespace)
    with pytest.raises(StreamlitChangedError, match=r"lacks: install the version that requirem"):
        call()


def test_a_module_without_the_feature(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(internals, "text_widgets", SimpleNamespace())
    with pytest.raises(StreamlitChangedError, match="_DEFAULT_LIVE_DEBOUNCE_MS"):
        internals.follow_typing(100)
    runtime = SimpleNamespace(exists=lambda: True, get_instance=SimpleNamespace)
    monkeypatch.setattr(internals, "runtime", runtime)
    with pytest.raises(StreamlitChangedError, match="is_active_session"):
        internals.is_connected("some session")


@pytest.mark.parametrize("call", IN_A_RUN[:4])
def test_outside_of_a_run(call: Callable[[], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"streamlit run app\.py"):
        call()


def test_without_a_server_there_are_no_sessions() -> None:
    assert internals.session_id() == ""
    assert internals.is_connected("any")


def test_old_and_new_connections_send_small_answers_at_once() -> None:
    def at_once(one: socket.socket) -> int:
        return one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    with socket.socket() as listening, socket.socket() as before, socket.socket() as after:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        before.connect(listening.getsockname())
        early, _ = listening.accept()
        assert not at_once(early)
        internals.send_without_delay()
        after.connect(listening.getsockname())
        late, _ = listening.accept()
        with early, late:
            assert at_once(early)
            assert at_once(late)


def test_a_widget_looks_up_its_own_value_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SafeSessionState.filtered_state
    monkeypatch.setattr(SafeSessionState, "filtered_state", whole)  # undone later
    state = SessionState()
    session = SafeSessionState(state, lambda: None)
    session["nothing"], session["some"] = None, 3
    copied = dict(state.filtered_state)
    internals.look_up_single_values()
    looked_up = session.filtered_state
    assert dict(looked_up) == copied == {"nothing": None, "some": 3}
    assert len(looked_up) == len(copied)
    monkeypatch.setattr(SessionState, "filtered_state", None)  # a copy of all values would fail
    assert looked_up["nothing"] is None
    assert "some" in looked_up
    assert "other" not in looked_up
