"""Messages to browsers: how they look, who sees them, and what may go wrong while they are seen."""

import gc
from typing import Any
from weakref import ref

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.ui import internals
from explorer.ui.internals import messages
from explorer.ui.internals.messages import Sent


def text_field(label: str, value: str | None = None) -> ForwardMsg:
    message = ForwardMsg(hash=f"{label} {value}")
    message.metadata.delta_path.extend([0, 3])
    message.delta.fragment_id = "the page"
    element = message.delta.new_element
    element.text_input.id, element.text_input.label = "the id", label
    if value is not None:
        element.text_input.value, element.text_input.set_value = value, True
        element.has_one_shot_effect = True
    return message


def test_a_field_looks_the_same_whatever_it_is_told() -> None:
    before, after = Sent.read(text_field("Source")), Sent.read(text_field("Source", "a dog"))
    assert before.look == after.look
    assert (before.told, after.told) == ("", "the id")
    assert Sent.read(text_field("Target")).look != before.look
    assert (after.kind, after.place, after.part) == ("element", (0, 3), "the page")


def test_a_download_is_passed_on_without_its_file() -> None:
    def button(label: str, file: str) -> ForwardMsg:
        message = ForwardMsg(hash=f"{label} {file}")
        download = message.delta.new_element.download_button
        download.label, download.deferred_file_id = label, file
        return message

    first, second = (Sent.read(button("CSV", file)) for file in ("mine", "yours"))
    assert first.is_own
    assert first.look == second.look != Sent.read(button("NPZ", "mine")).look
    passed_on = messages.without_file(first.message).delta.new_element.download_button
    assert (passed_on.disabled, passed_on.deferred_file_id, passed_on.label) == (True, "", "CSV")
    assert first.message.delta.new_element.download_button.deferred_file_id == "mine"


class Session:
    """As much of a session as is watched."""

    def __init__(self) -> None:
        self.handled: list[BackMsg] = []

    def flush_browser_queue(self) -> list[ForwardMsg]:
        return [ForwardMsg(ref_hash="known")]

    def handle_backmsg(self, message: BackMsg) -> None:
        self.handled.append(message)


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.is_broken = False

    def see(self, sent: Sent) -> None:
        if self.is_broken:
            raise ZeroDivisionError
        self.told.append(sent.look)

    def asks(self, *, by_itself: bool) -> None:
        self.told.append("a timer" if by_itself else "a person")

    def lose(self) -> None:
        self.told.append("lost")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    session = Session()
    held = ref(session)
    monkeypatch.setattr(internals, "connected", lambda _: held())
    return session


def test_what_is_sent_and_asked_is_seen_until_it_is_watched_no_more(session: Session) -> None:
    watcher = Watcher()
    messages.watch("theirs", watcher)
    messages.watch("theirs", watcher)  # twice is once
    assert [message.ref_hash for message in session.flush_browser_queue()] == ["known"]
    requests = [BackMsg(), BackMsg(), BackMsg(stop_script=True)]
    requests[0].rerun_script.is_auto_rerun = True
    requests[1].rerun_script.fragment_id = "the page"
    for request in requests:
        session.handle_backmsg(request)
    assert session.handled == requests
    messages.unwatch("theirs")
    session.flush_browser_queue()
    assert watcher.told == ["known", "a timer", "a person"]


def test_a_mistake_of_the_watcher_s_stops_nobody(session: Session) -> None:
    watcher = Watcher()
    messages.watch("theirs", watcher)
    watcher.is_broken = True
    assert len(session.flush_browser_queue()) == 1
    watcher.is_broken = False
    assert len(session.flush_browser_queue()) == 1
    assert watcher.told == ["lost"]


def test_a_session_that_is_watched_does_not_hold_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = [Session()]
    held = ref(watched[0])
    monkeypatch.setattr(internals, "connected", lambda _: watched[0])
    messages.watch("theirs", Watcher())
    gc.disable()
    try:
        watched.clear()
        assert held() is None
    finally:
        gc.enable()
