"""Requests for runs that meet."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from inspect import unwrap
from typing import Any, ClassVar
from unittest.mock import MagicMock

import pytest
from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import (
    RerunData,
    RerunException,
    ScriptRunner,
    ScriptRunnerEvent,
)
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import WStates
from streamlit.signal_util import Signal

from explorer.ui.internals import requests
from tests.support.async_tests import async_test

CHANGED = {
    SafeSessionState: ("on_script_will_rerun", "on_script_finished"),
    ScriptRequests: ("request_rerun",),
    ScriptRunner: ("_run_script",),
    AppSession: (
        "request_rerun",
        "_create_scriptrunner",
        "_handle_scriptrunner_event_on_event_loop",
    ),
    WStates: ("__iter__",),
}


@pytest.fixture(autouse=True)
def as_streamlit_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test may have drawn a page, and here each change is made again, and undone later."""
    for owner, names in CHANGED.items():
        for name in names:
            monkeypatch.setattr(owner, name, unwrap(getattr(owner, name)))


@pytest.mark.parametrize("already", [True, False])
def test_callbacks_are_called_though_their_run_is_replaced(
    monkeypatch: pytest.MonkeyPatch, already: bool
) -> None:
    """A click comes once: what replaces its run does not name it again."""
    replaced, found = already, list[bool]()

    def give_way() -> None:
        if replaced:
            raise RerunException(RerunData())

    session = SafeSessionState(SessionState(), give_way)

    def callbacks(*_: object, **__: object) -> None:
        nonlocal replaced
        replaced = True
        found.append("key" in session)

    monkeypatch.setattr(SessionState, "on_script_will_rerun", callbacks)
    requests.keep_every_change()
    session.on_script_will_rerun(None)
    assert found == [False]
    with pytest.raises(RerunException):
        assert "key" in session


def replaced_after(looks: int, monkeypatch: pytest.MonkeyPatch) -> SafeSessionState:
    """The state of a session whose run is replaced after so many looks at it."""
    left = iter(range(looks))

    def give_way() -> None:
        if next(left, None) is None:
            raise RerunException(RerunData())

    session = SafeSessionState(SessionState(), give_way)
    context = MagicMock(session_state=session)
    monkeypatch.setattr(requests, "get_script_run_ctx", lambda: context)
    return session


@pytest.mark.parametrize("looks", range(3))
def test_no_run_comes_between_changes_that_belong_together(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    session = replaced_after(looks, monkeypatch)

    def run() -> None:
        with requests.changes_together():
            session["first"] = session["second"] = True
        for _ in range(looks):
            assert "third" not in session

    with pytest.raises(RerunException):
        run()
    assert session.filtered_state.keys() == ({"first", "second"} if looks else set())


@pytest.mark.parametrize("what", ["on_script_will_rerun", "on_script_finished"])
def test_a_click_that_a_run_has_taken_is_not_reset_before_its_callback(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A run of everything has a thread of its own, and resets all clicks as it begins."""
    requests.keep_every_change()
    requests.skip_end_of_replaced_runs()
    asking_in_run(monkeypatch)
    state, found = SessionState(), list[object]()
    button = WidgetMetadata("pause", bool, bool, "trigger_value")
    state._new_widget_state.set_widget_metadata(button)
    everything = SafeSessionState(state, lambda: None)
    nothing: Any = WidgetStates() if what == "on_script_will_rerun" else frozenset()
    replacing = threading.Thread(target=getattr(everything, what), args=[nothing])

    def callbacks(ours: SessionState, **_: object) -> None:
        if replacing.ident is None:
            replacing.start()
            replacing.join(0.2)
            found.append(ours._new_widget_state.get("pause"))

    monkeypatch.setattr(SessionState, "_call_callbacks", callbacks)
    SafeSessionState(state, lambda: None).on_script_will_rerun(widgets(pause=True))
    replacing.join()
    assert found == [True]


def asking_in_run(monkeypatch: pytest.MonkeyPatch) -> ScriptRequests:
    """The requests of the run that asks for its context."""
    asking = ScriptRequests()
    context = MagicMock(script_requests=asking, fragment_ids_this_run=None)
    monkeypatch.setattr(requests, "get_script_run_ctx", lambda: context)
    return asking


@pytest.mark.parametrize("replaced", [True, False])
def test_a_run_that_is_replaced_drops_nothing_at_its_end(
    monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    """The next run may have begun: its clicks are not those of this one."""
    ended = list[frozenset[str]]()

    def end(_: SessionState, widgets: frozenset[str], *, remove_stale_widgets: bool) -> None:
        assert remove_stale_widgets
        ended.append(widgets)

    monkeypatch.setattr(SessionState, "on_script_finished", end)
    asking = asking_in_run(monkeypatch)
    if replaced:
        asking.request_stop()
    requests.skip_end_of_replaced_runs()
    SafeSessionState(SessionState(), lambda: None).on_script_finished(frozenset(["src"]))
    assert ended == ([] if replaced else [{"src"}])


def test_nobody_replaces_a_run_while_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = asking_in_run(monkeypatch)
    replacing = threading.Thread(target=asking.request_stop)
    still_running = list[bool]()

    def end(*_: object, **__: object) -> None:
        replacing.start()
        replacing.join(0.2)
        still_running.append(replacing.is_alive())

    monkeypatch.setattr(SessionState, "on_script_finished", end)
    requests.skip_end_of_replaced_runs()
    SafeSessionState(SessionState(), lambda: None).on_script_finished(frozenset())
    replacing.join()
    assert still_running == [True]


def test_a_run_ends_though_another_one_adds_a_value_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fails = iter(range(2))

    def end(*_: object, **__: object) -> None:
        for _fail in fails:
            raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(SessionState, "on_script_finished", end)
    asking_in_run(monkeypatch)
    session = SafeSessionState(SessionState(), lambda: None)
    requests.skip_end_of_replaced_runs()
    session.on_script_finished(frozenset())
    assert next(fails, None) is None
    fails = iter(range(1000))
    with pytest.raises(RuntimeError):
        session.on_script_finished(frozenset())


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> ScriptRequests:
    """Requests that turn pages for good."""
    requests.keep_page_turns()
    return ScriptRequests()


def test_a_part_that_asks_for_a_run_does_not_undo_a_page_turn(turning: ScriptRequests) -> None:
    turning.request_rerun(RerunData(page_script_hash="the new page"))
    part = RerunData("pair=1", page_script_hash="the old page", fragment_id="a part")
    turning.request_rerun(part)
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.page_script_hash, asked.fragment_id_queue) == ("the new page", [])
    assert asked.query_string == ""  # not that of the old page
    turning.request_rerun(RerunData("pair=2", is_history_navigation=True))
    turning.request_rerun(RerunData("pair=1", fragment_id="a part"))
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.query_string, asked.is_history_navigation) == ("pair=2", True)
    turning.request_rerun(RerunData(page_script_hash="the new page", fragment_id="a part"))
    turning.request_rerun(RerunData(page_script_hash="the old page", widget_states=WidgetStates()))
    assert turning.on_scriptrunner_ready().rerun_data.page_script_hash == "the old page"


def test_a_timer_takes_back_nothing_that_a_run_has_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer sends the values from before the run; a newer choice of a person must survive."""
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    requests.ignore_values_from_timers()
    asking = ScriptRequests()
    before, chosen = WidgetStates(), WidgetStates()
    before.widgets.add(id="weights", string_value="reverse")
    chosen.widgets.add(id="weights", string_value="copy")
    timer = RerunData(widget_states=before, fragment_id="a part", is_auto_rerun=True)
    asking.request_rerun(timer)
    asked = asking.on_scriptrunner_ready().rerun_data
    assert (asked.widget_states, asked.fragment_id_queue) == (None, ["a part"])
    asking.request_rerun(RerunData(widget_states=chosen, fragment_id="a part"))
    asking.request_rerun(timer)
    assert asking.on_scriptrunner_ready().rerun_data.widget_states == chosen


def test_a_rerun_from_a_callback_does_not_undo_a_browsers_request(turning: ScriptRequests) -> None:
    ours = RerunData("pair=1", page_script_hash="the old page")
    assert requests.keep_waiting_page(turning, ours) is ours
    back = RerunData("pair=2", page_script_hash="the new page", is_history_navigation=True)
    turning.request_rerun(replace(back, widget_states=WidgetStates()))
    turning.request_rerun(requests.keep_waiting_page(turning, ours))
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.query_string, asked.page_script_hash) == ("pair=2", "the new page")
    assert asked.is_history_navigation
    part = RerunData(page_script_hash="the page before", fragment_id="a part")
    turning.request_rerun(part)
    assert requests.keep_waiting_page(turning, ours) is ours


def test_a_page_turns_itself_though_a_part_waits(turning: ScriptRequests) -> None:
    """As `st.switch_page` does, which says nothing of widgets."""
    part = RerunData("pair=1", page_script_hash="the old page", fragment_id="a part")
    turning.request_rerun(replace(part, widget_states=WidgetStates()))
    turning.request_rerun(RerunData("", page_script_hash="the new page"))
    asked = turning.on_scriptrunner_ready().rerun_data
    assert (asked.query_string, asked.page_script_hash) == ("", "the new page")


class Thread:
    """In place of the thread that runs a session's script: draws, and ends, when it is told."""

    all: ClassVar[list["Thread"]] = []

    def __init__(self, *, initial_rerun_data: RerunData, **_: object) -> None:
        self.on_event = Signal()
        self.asked = self._requests = ScriptRequests()
        self.asked.request_rerun(initial_rerun_data)
        self.request_rerun = self.asked.request_rerun
        self.all.append(self)

    def start(self) -> None:
        self.begun = self.asked.on_scriptrunner_ready().rerun_data
        self.fragments = self.begun.fragment_id_queue

    def request_stop(self) -> None:
        """It comes to its end just before it would be stopped."""
        self.went_on = self.asked.on_scriptrunner_ready().type is ScriptRequestType.RERUN

    def end(self) -> None:
        """Draw something, and end; nobody has heard of it yet."""
        drawn = ForwardMsg(hash=f"drawn by {self.fragments}")
        self.on_event.send(self, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=drawn)
        self.asked.on_scriptrunner_ready()
        self.on_event.send(self, event=ScriptRunnerEvent.SHUTDOWN)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[Thread]:
    """The threads of sessions that take over what waits."""
    monkeypatch.setattr(app_session, "ScriptRunner", Thread)
    monkeypatch.setattr(runtime, "get_instance", MagicMock())
    monkeypatch.setattr(AppSession, "has_fragment", lambda *_: True)
    monkeypatch.setattr(Thread, "all", [])
    requests.take_over_waiting_requests()
    return Thread.all


@asynccontextmanager
async def in_session() -> AsyncIterator[AppSession]:
    session = AppSession(
        script_data=ScriptData("app.py", False),
        uploaded_file_manager=MagicMock(),
        script_cache=ScriptCache(),
        message_enqueued_callback=None,
        user_info={},
    )
    yield session
    Thread.all[-1].end()
    await all_is_heard()
    session.shutdown()


def ask(session: AppSession, part: str, **values: str | bool) -> None:
    session.request_rerun(ClientState(fragment_id=part, widget_states=widgets(**values)))


async def all_is_heard() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


@async_test
async def test_a_run_begins_when_all_of_the_one_before_is_sent(threads: list[Thread]) -> None:
    async with in_session() as session:
        ask(session, "first")
        threads[0].end()
        for part in ("second", "third"):
            ask(session, part)
        assert len(threads) == 1
        await all_is_heard()
        assert "drawn by ['first']" in [message.hash for message in session.flush_browser_queue()]
        assert [thread.fragments for thread in threads] == [["first"], ["second", "third"]]


def widgets(**values: str | bool) -> WidgetStates:
    """Values of widgets, and clicks."""
    states = WidgetStates()
    for name, value in values.items():
        kind = "trigger_value" if isinstance(value, bool) else "string_value"
        states.widgets.add(id=name, **{kind: value})
    return states


def said_in(run: RerunData) -> dict[str, str | bool]:
    states = () if run.widget_states is None else run.widget_states.widgets
    return {state.id: getattr(state, state.WhichOneof("value")) for state in states}


@async_test
async def test_a_waiting_request_is_run_with_the_later_ones(threads: list[Thread]) -> None:
    async with in_session() as session:
        ask(session, "first")
        threads[0].end()
        ask(session, "second", pause=True)
        ask(session, "")  # everything, which does not wait
        assert [thread.fragments for thread in threads] == [["first"], []]
        assert said_in(threads[1].begun) == {"pause": True}


@async_test
async def test_a_waiting_request_is_passed_to_the_next_run(threads: list[Thread]) -> None:
    """A click, and on a page that is left also a choice: the next request names neither."""
    async with in_session() as session:
        ask(session, "first")
        ask(session, "second", src="before", layer="2", pause=True)
        ask(session, "third", src="then", layer="2")
        assert threads[0].asked.on_scriptrunner_yield() is None  # a part's run waits for its end
        ask(session, "", src="after")
        assert [thread.fragments for thread in threads] == [["first"], []]
        assert said_in(threads[1].begun) == {"src": "after", "layer": "2", "pause": True}
        assert not threads[0].went_on
        ask(session, "", src="after")  # the click comes once
        assert said_in(threads[2].begun) == {"src": "after"}


@pytest.mark.parametrize("ended", [True, False])
@async_test
async def test_a_timer_drops_no_click_that_waits(
    threads: list[Thread], monkeypatch: pytest.MonkeyPatch, ended: bool
) -> None:
    monkeypatch.setattr(ScriptRequests, "request_rerun", ScriptRequests.request_rerun)
    requests.ignore_values_from_timers()
    async with in_session() as session:
        ask(session, "first")
        if ended:
            threads[0].end()
        ask(session, "second", src="now", pause=True)
        session.request_rerun(
            ClientState(fragment_id="third", is_auto_rerun=True, widget_states=widgets(src="then"))
        )
        if ended:
            await all_is_heard()
        else:
            ask(session, "")
        assert said_in(threads[1].begun) == {"src": "now", "pause": True}


@async_test
async def test_nothing_begins_in_a_session_that_is_over(threads: list[Thread]) -> None:
    async with in_session() as session:
        ask(session, "first")
        threads[0].end()
        ask(session, "second")
        session.shutdown()
        await all_is_heard()
        assert len(threads) == 1


def test_values_are_gone_through_while_another_one_is_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests.iterate_over_copied_values()
    values, found = WStates(), list[str]()
    values.set_from_value("src", "one")
    for name in values:
        values.set_from_value("tgt", "two")
        found.append(name)
    assert found == ["src"]
