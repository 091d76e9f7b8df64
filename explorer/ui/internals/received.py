"""Cuts the messages of browsers to the limits, and checks them before anything is run.

In normal use this changes nothing, except for a very long text.
"""

import json
import math
from collections.abc import Callable
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import Serialized, WStates

from explorer.runtime.shares import (
    DEPTH,
    EVENT,
    EVENTS,
    MANY_SENTENCES_FIELD,
    MANY_SENTENCES_LENGTH,
    NAME,
    OPTIONS,
    SENTENCE_LENGTH,
    UPLOAD_FILES,
    WIDGETS,
)
from explorer.ui import internals

# The scripts that send a state, by the key of their element; all others send single events. A
# state in place of an event would trigger it again in each run.
_STATES = ("-history", "-room_seat", "-room_news")
_LISTS = ("string_array_value", "double_array_value", "int_array_value")


def take_only_possible_values() -> None:
    """Take a value that a widget cannot have as none: a text for a number, a choice out of range.

    Public: none yet; Streamlit raises in the middle of the page.
    """

    @internals.around(WStates, "__getitem__")
    def possible_value(value_of: Callable[..., Any], states: WStates, key: str) -> Any:
        state = states.states.get(key)
        if isinstance(state, Serialized) and (widget := states.widget_metadata.get(key)):
            try:
                if state.value.WhichOneof("value") in (None, widget.value_type):
                    return value_of(states, key)
            except (ValueError, TypeError, LookupError, OverflowError):  # such as no number at all
                pass
            states.states[key] = Serialized(WidgetState(id=key))
        return value_of(states, key)


def limit(asked: ClientState) -> bool:
    """Cut a request for a run to what one person may send; returns whether that changed it.

    A text is cut to one character more than may be typed, so that whoever reads it sees that it was
    longer.
    """
    before = asked.ByteSize()
    widgets = asked.widget_states.widgets
    kept = [state for state in widgets[:WIDGETS] if _is_possible(state)]
    if len(kept) < len(widgets):
        del widgets[:]
        widgets.extend(kept)
    for state in widgets:
        _cut(state)
    return bool(asked.ByteSize() != before)


def _cut(state: WidgetState) -> None:
    kind = state.WhichOneof("value")
    if kind == "string_value":
        is_for_many = state.id.endswith(f"-{MANY_SENTENCES_FIELD}")
        most = MANY_SENTENCES_LENGTH if is_for_many else SENTENCE_LENGTH
        if len(state.string_value) > most:
            state.string_value = state.string_value[: most + 1]
    elif kind in _LISTS:
        del getattr(state, kind).data[OPTIONS:]
    elif kind == "file_uploader_state_value":
        del state.file_uploader_state_value.uploaded_file_info[UPLOAD_FILES:]


def _is_possible(state: WidgetState) -> bool:
    """Whether the app has widgets that send such a value."""
    if not 0 < len(state.id) <= NAME:
        return False
    kind = state.WhichOneof("value")
    if kind == "json_value":
        is_object = state.json_value.lstrip().startswith("{")
        return state.id.endswith(_STATES) and is_object and _is_event(state.json_value)
    if kind == "json_trigger_value":
        return _is_event(state.json_trigger_value)
    if kind == "string_array_value":
        return all(len(text) <= SENTENCE_LENGTH for text in state.string_array_value.data[:OPTIONS])
    return kind not in ("bytes_value", "arrow_value", "chat_input_value", "string_trigger_value")


def _is_event(text: str) -> bool:
    """Whether this is JSON of a reasonable size and depth, with finite numbers."""
    if len(text) > EVENT:
        return False
    try:
        data = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return False
    return (not isinstance(data, list) or len(data) <= EVENTS) and _is_flat(data, DEPTH)


def _is_flat(data: object, depth: int) -> bool:
    inside = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return not inside or (depth > 0 and all(_is_flat(part, depth - 1) for part in inside))


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(number)
    return found
