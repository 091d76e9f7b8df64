"""Messages to browsers: how they look, who watches them, and what happens if a watcher fails."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg, ForwardMsgMetadata
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

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


def test_a_field_looks_the_same_whatever_value_is_set() -> None:
    before, after = Sent.read(text_field("Source")), Sent.read(text_field("Source", "a dog"))
    assert before.look == after.look
    assert (before.updated_widget, after.updated_widget) == ("", "the id")
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


class Watcher:
    """Records its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.is_broken = False

    def on_message(self, sent: Sent) -> None:
        if self.is_broken:
            raise ZeroDivisionError
        self.calls.append(sent.look)

    def on_request(self, *, by_timer: bool) -> None:
        self.calls.append("a timer" if by_timer else "a person")

    def on_error(self) -> None:
        self.calls.append("lost")


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BackMsg]]:
    """The requests to sessions; each session has one message for its browser at every flush."""
    found: list[BackMsg] = []
    known = ForwardMsg(ref_hash="known")
    monkeypatch.setattr(AppSession, "flush_browser_queue", lambda session: [known])
    monkeypatch.setattr(AppSession, "handle_backmsg", lambda session, asked: found.append(asked))
    messages._observe_all.cache_clear()
    yield found
    messages.unwatch("theirs")
    messages._observe_all.cache_clear()


def flush(session: str) -> list[ForwardMsg]:
    theirs: Any = SimpleNamespace(id=session)
    return AppSession.flush_browser_queue(theirs)


def ask(session: str, request: BackMsg) -> None:
    theirs: Any = SimpleNamespace(id=session)
    AppSession.handle_backmsg(theirs, request)


def test_messages_and_requests_are_watched_until_unwatch(
    handled: list[BackMsg],
) -> None:
    watcher = Watcher()
    messages.watch("theirs", watcher)
    messages.watch("theirs", watcher)  # twice is once
    assert [message.ref_hash for message in flush("theirs")] == ["known"]
    requests = [BackMsg(), BackMsg(), BackMsg(stop_script=True)]
    requests[0].rerun_script.is_auto_rerun = True
    requests[1].rerun_script.fragment_id = "the page"
    for request in requests:
        ask("theirs", request)
    ask("another", requests[0])
    assert handled == [*requests, requests[0]]
    messages.unwatch("theirs")
    flush("theirs")
    assert watcher.calls == ["known", "a timer", "a person"]


@pytest.mark.usefixtures("handled")
def test_an_error_of_the_watcher_stops_only_the_watching() -> None:
    watcher = Watcher()
    messages.watch("theirs", watcher)
    watcher.is_broken = True
    assert len(flush("theirs")) == 1
    watcher.is_broken = False
    assert len(flush("theirs")) == 1
    assert watcher.calls == ["lost"]


def test_a_set_value_is_sent_even_if_another_run_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AppSession, "_clear_queue", AppSession._clear_queue)  # undone later
    messages.keep_one_shot_values()
    queue = ForwardMsgQueue()
    session: Any = SimpleNamespace(_browser_queue=queue)

    def sent(*texts: str | None) -> list[str]:
        """The values that a browser gets if each of these runs replaces the one before."""
        for text in texts:
            AppSession._clear_queue(session)
            queue.enqueue(text_field("Source", text))
        return [message.delta.new_element.text_input.value for message in queue.flush()]

    assert sent("a dog", None) == ["a dog", ""]
    assert sent("a dog", "a cat") == ["a dog", "a cat"]
    assert sent(None) == [""]
    queue.enqueue(text_field("Source"))
    AppSession._clear_queue(session)
    assert queue.is_empty()  # the next run draws all of it again


class Session:
    """A session with its unsent messages, and the browser's messages that it counts on."""

    def __init__(self) -> None:
        self.waiting: list[ForwardMsg] = []
        self.counted: list[str] = []

    def draw(self: Any, *pictures: str) -> None:
        """A run that draws these pictures."""
        self.waiting.append(ForwardMsg(new_session=NewSession()))
        kept = ForwardMsgMetadata(cacheable=True)
        for picture in pictures:
            self.waiting.append(ForwardMsg(hash=picture, metadata=kept))
        AppSession.flush_browser_queue(self)

    def hear(self: Any, *had: str) -> set[str]:
        """Those messages of the browser's cache that the server relies on."""
        request = BackMsg(rerun_script=ClientState(cached_message_hashes=had))
        AppSession.handle_backmsg(self, request)
        return set(self.counted)


def test_runs_do_not_refer_to_messages_that_a_browser_may_drop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def flush_all(session: Session) -> list[ForwardMsg]:
        waiting, session.waiting = session.waiting, []
        return waiting

    def heard(session: Session, asked: BackMsg) -> None:
        session.counted = list(asked.rerun_script.cached_message_hashes)

    monkeypatch.setattr(AppSession, "flush_browser_queue", flush_all)
    monkeypatch.setattr(AppSession, "handle_backmsg", heard)
    kept = messages._RUNS_IN_FLIGHT + 4
    monkeypatch.setattr(config, "get_option", {"global.maxCachedMessageAge": kept}.get)
    messages.refer_only_to_recent_messages()
    session, other = Session(), Session()
    assert session.hear("of another server") == set()
    session.draw("old", "used again")
    assert session.hear("old", "used again") == {"old", "used again"}
    assert other.hear("old") == set()
    session.draw("used again")
    session.draw("new", "dropped")
    session.waiting.append(ForwardMsg(ref_hash="old"))  # a reference to an earlier picture
    session.draw()
    for _ in range(2):
        session.draw("newest")
        assert session.hear("old", "new") == {"old", "new"}
    session.draw()
    assert session.hear("old", "used again", "new", "newest") == {"newest"}
    session.draw()
    session.draw()
    assert session.hear("newest") == {"newest"}
    session.draw()
    assert session.hear("newest") == set()
