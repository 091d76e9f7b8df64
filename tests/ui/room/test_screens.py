"""When the screen of one follower is passed on to others, and when it is not."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState

from explorer.rooms.redraws import Why
from explorer.ui import internals
from explorer.ui.internals import messages
from explorer.ui.internals.messages import Sent
from explorer.ui.room.screens import Screens

TITLE, PICTURE, INNER, BAR = (0, 1, 0), (0, 1, 1), (0, 1, 2, 0), (0, 0)


class Server:
    """Sessions without Streamlit: what they are sent, and what their widgets show."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.watchers: dict[str, Any] = {}
        self.sent: list[tuple[str, list[Any]]] = []
        self.screens = Screens()
        monkeypatch.setattr(messages, "watch", self.watchers.__setitem__)
        monkeypatch.setattr(messages, "is_drawing", lambda session: False)
        monkeypatch.setattr(messages, "send", self._send)
        monkeypatch.setattr(messages, "values_of", self._values_of)
        monkeypatch.setattr(internals, "draw_again", self._draw)
        self.requests: list[ClientState] = []

    def _send(self, to: str, content: Sequence[Any], is_valid: Callable[[], bool]) -> bool:
        if is_valid():
            self.sent.append((to, list(content)))
        return True

    def _values_of(self, session: str, widgets: Sequence[str]) -> list[WidgetState]:
        return [WidgetState(id=widget, string_value=f"of {session}") for widget in widgets]

    def _draw(
        self, session: str, part: str, begin: Callable[[ClientState], None], page: str
    ) -> bool:
        self.requests.append(ClientState(query_string="old"))
        begin(self.requests[-1])
        return True

    def run(self, session: str, *looks: tuple[tuple[int, ...], str], part: str = "page") -> None:
        """The messages of a run: of a part, or of everything."""
        say = self.watchers[session].on_message
        say(_sent("begin", parts=[part] if part else []))
        for place, look in [((0, 1), "block"), *looks]:
            of = {INNER: "inner", BAR: "bar"}.get(place, "page")
            kinds: dict[str, Any] = {"is_whole": look != "block", "part": of}
            if look.startswith("told"):
                kinds["updated_widget"] = "field"
            say(_sent("element", place=place, look=look, **kinds))
        say(_sent("end", is_success=True))

    def news(self, session: str, *looks: tuple[tuple[int, ...], str]) -> None:
        """A run that the room has asked for."""
        self.screens.request_run(session, "page", "")
        self.run(session, *looks)


def _sent(kind: Any, **fields: Any) -> Sent:
    message: Any = SimpleNamespace(**fields)
    return Sent(kind=kind, message=message, **fields)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    """Two windows that show the same."""
    server = Server(monkeypatch)
    for session in ("first", "second"):
        server.screens.watch(session)
        server.run(session, (BAR, "bar"), (TITLE, "title"), (PICTURE, "a cat"), part="")
    return server


def passed(server: Server, why: Why | None = None) -> list[str]:
    assert server.screens.pass_on("first", "second", "page") is why
    return [message.look for _, content in server.sent for message in content]


def test_only_changes_are_passed_on(server: Server) -> None:
    server.news("first", (TITLE, "title"), (PICTURE, "a dog"))
    assert passed(server) == ["a dog"]


def test_nothing_is_passed_to_a_different_screen(server: Server) -> None:
    server.run("second", (TITLE, "Titel"), (PICTURE, "a cat"))
    server.news("first", (TITLE, "title"), (PICTURE, "a dog"))
    assert passed(server, Why.SCREEN) == []
    server.watchers["second"].on_message(_sent("address", address="lang=de"))
    assert passed(server, Why.ADDRESS) == []


def test_nothing_is_passed_to_a_screen_with_more_elements(server: Server) -> None:
    server.run("second", (TITLE, "title"), (PICTURE, "a cat"), (INNER, "unfolded"))
    server.news("first", (TITLE, "title"), (PICTURE, "a dog"))
    assert passed(server, Why.SCREEN) == []


def test_appearing_and_disappearing_elements_are_not_passed_on(server: Server) -> None:
    server.news("first", (TITLE, "title"), (PICTURE, "a cat"), (INNER, "new"))
    assert passed(server, Why.NOT_SENT) == []
    server.run("second", (TITLE, "title"), (PICTURE, "a cat"), (INNER, "new"))
    server.news("first", (TITLE, "title"), (PICTURE, "a dog"))  # without what was inside
    assert passed(server, Why.NOT_SENT) == []


def test_a_run_requested_by_a_person_is_not_passed_on(server: Server) -> None:
    server.run("first", (TITLE, "title"), (PICTURE, "a dog"))
    assert passed(server, Why.NOT_SENT) == []
    server.screens.request_run("first", "page", "")
    server.watchers["first"].on_request(by_timer=False)  # before the room's run has begun
    server.run("first", (TITLE, "title"), (PICTURE, "a bird"))
    assert passed(server, Why.NOT_SENT) == []
    assert server.screens.is_by_person("first")
    server.news("first", (TITLE, "title"), (PICTURE, "a fish"))
    assert not server.screens.is_by_person("first")


def test_a_field_without_a_set_value_is_not_passed_on(server: Server) -> None:
    server.screens.request_run("first", "page", "")
    see = server.watchers["first"].on_message
    see(_sent("begin", parts=["page"]))
    see(_sent("element", place=(0, 1), look="block", part="page"))
    for place, look in ((TITLE, "another text"), (PICTURE, "a cat")):
        see(_sent("element", place=place, look=look, part="page", is_whole=True, is_field=True))
    see(_sent("end", is_success=True))
    assert passed(server, Why.NOT_SENT) == []


def test_a_session_gets_the_values_that_its_browser_was_sent(server: Server) -> None:
    server.news("first", (TITLE, "title"), (PICTURE, "told a dog"))
    assert passed(server) == ["told a dog"]
    server.watchers["second"].on_message(_sent("address", address="src=a+dog"))
    server.screens.request_run("second", "page", "")
    (request,) = server.requests[1:]
    assert request.query_string == "src=a+dog"
    assert [(w.id, w.string_value) for w in request.widget_states.widgets] == [
        ("field", "of first")
    ]
    server.watchers["second"].on_request(by_timer=True)  # a timer says nothing of it
    server.screens.request_run("second", "page", "")
    assert [w.id for w in server.requests[-1].widget_states.widgets] == ["field"]
    server.watchers["second"].on_request(by_timer=False)  # the browser has said what it shows
    server.screens.request_run("second", "page", "")
    assert not server.requests[-1].widget_states.widgets
