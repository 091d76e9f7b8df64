"""Any bytes from a browser stay within one person's limits, or close the connection.

`EXAMPLES=10000 pytest tests/faults/test_any*` tries that many inputs instead of a few.
"""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message

from explorer.runtime import shares
from explorer.ui.web.messages import _Bounded
from tests.faults.nasty import NUMBERS, over_the_wire, thorough
from tests.support.async_tests import run_async
from tests.support.wire import BackMsg, WidgetState

numbers = st.floats() | st.integers(-(2**70), 2**70)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(), inside, max_size=4),
    max_leaves=30,
)
nested = st.integers(1, 5000).map(lambda depth: "[" * depth + "]" * depth)
events = json_values.map(json.dumps) | over_the_wire | st.sampled_from(NUMBERS) | nested
values = st.one_of(
    st.fixed_dictionaries({"string_value": over_the_wire}),
    st.fixed_dictionaries({"double_value": st.floats()}),
    st.fixed_dictionaries({"int_value": st.integers(-(2**63), 2**63 - 1)}),
    st.fixed_dictionaries({"bytes_value": st.binary(max_size=50)}),
    st.fixed_dictionaries({"json_value": events}),
    st.fixed_dictionaries({"json_trigger_value": events}),
)
widgets = st.builds(lambda id, value: WidgetState(id=id, **value), over_the_wire, values)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """Requests for a run, with a few bytes changed at random."""
    request = BackMsg()
    request.rerun_script.query_string = draw(over_the_wire)
    request.rerun_script.page_script_hash = draw(st.text(max_size=40))
    for state in draw(st.lists(widgets, max_size=5)):
        request.rerun_script.widget_states.widgets.append(state)
    content = bytearray(request.SerializeToString())
    for place in draw(st.lists(st.integers(0, len(content) - 1), max_size=4)) if content else ():
        content[place] = draw(st.integers(0, 255))
    return bytes(content)


@thorough(200)
@given(messages() | st.binary(max_size=200))
def test_a_message_is_within_the_limits_or_closes_the_connection(content: bytes) -> None:
    passed, closed = received(content)
    if closed is not None:
        assert closed in (1002, 1003, 1008, 1009)
        return
    if passed is None:  # of a kind that no page sends
        return
    for state in BackMsg.FromString(passed).rerun_script.widget_states.widgets:
        assert 0 < len(state.id) <= shares.NAME
        assert len(state.string_value) <= shares.SENTENCE_LENGTH + 1
        if event := state.json_value or state.json_trigger_value:
            assert len(event) <= shares.EVENT
            assert all(math.isfinite(number) for number in numbers_in(json.loads(event)))


def numbers_in(content: object) -> list[float]:
    if isinstance(content, dict | list):
        inside = content.values() if isinstance(content, dict) else content
        return [number for part in inside for number in numbers_in(part)]
    return [content] if isinstance(content, float) else []


def received(content: bytes) -> tuple[bytes | None, int | None]:
    """The message as the app receives it, and the code with which the connection is closed."""
    waiting: list[Message] = [{"type": "websocket.receive", "bytes": content}]
    sent: list[Message] = []

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "websocket.disconnect", "code": 1000}

    async def send(message: Message) -> None:
        sent.append(message)

    got = run_async(_Bounded(receive, send))
    passed = got["bytes"] if got["type"] == "websocket.receive" else None
    return passed, sent[0]["code"] if sent else None


@pytest.mark.parametrize(
    ("key", "content", "passes"),
    [
        ("history", '{"ready":1}', True),
        ("room_seat", '{"kept":{}}', True),
        ("words", '{"opened":1}', False),  # a lasting state from a script that sends only events
        ("history", '"ready"', False),
        ("history", "[1]", False),
    ],
)
def test_a_state_is_an_object_and_comes_from_a_script_with_state(
    key: str, content: str, passes: bool
) -> None:
    request = BackMsg()
    request.rerun_script.widget_states.widgets.add(id=f"$$ID-0a1b-{key}", json_value=content)
    passed, closed = received(request.SerializeToString())
    assert closed is None
    assert passed is not None
    kept = BackMsg.FromString(passed).rerun_script.widget_states.widgets
    assert [state.json_value for state in kept] == [content] * passes
