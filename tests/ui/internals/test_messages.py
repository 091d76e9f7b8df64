"""Messages to browsers: none is lost that another run cannot send again."""

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
