"""Any address: impossible values are corrected, and the corrected address keeps its meaning."""

import math
import re
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from explorer.choices.domains import Text
from explorer.choices.parameters import PARAMETERS, TEXT_KEYS, Frame
from explorer.choices.query import VERSION, in_one_line, read_address, write_address
from explorer.languages import without_isolates
from explorer.mistakes.parts import FORMULAS
from explorer.runtime.shares import SENTENCE_LENGTH
from tests.faults.nasty import NUMBERS, anything, names_and

KNOWN = (*PARAMETERS, "src", "tgt", "src2", "tgt2", "src20", "X")
FREE = {key for key, parameter in PARAMETERS.items() if isinstance(parameter.domain, Text)}
ANY_TEXT = {key for key in FREE if PARAMETERS[key].domain.pattern == Text().pattern}
MEANT = ("reverse", "german", "ids", "left", "pre", "cross", "0.1", "learned", "waves", *FORMULAS)
values = st.sampled_from(NUMBERS) | st.sampled_from(MEANT) | st.integers().map(str) | anything


def address_of(chosen: Mapping[str, Any]) -> dict[str, str]:
    """The address that the app writes for it; with targets only where they are read."""
    sides = ("src", "tgt") if chosen.get("typed_target") else ("src",)
    texts = {key: chosen[key] for key in TEXT_KEYS if key in chosen and key.startswith(sides)}
    return write_address(chosen, chosen.keys(), texts)


def means(text: str, value: Any) -> bool:
    """Whether a text says this value, as the app writes it now or in any other way."""
    if isinstance(value, bool | str):
        return text == str(value).lower() if isinstance(value, bool) else text == value
    number = re.sub(r"(?<=\d) (?=\d{3}\b)", "", text).replace(",", ".")
    return value is not None and float(number) == value


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(names_and(values, KNOWN).map(dict))
@example({"d_model": "8", "heads": "9999"})
@example({"d_model": "abc", "heads": "64"})
@example({"term": "1e999"})
@example({"method": "2", "heat": "+.5", "lr": "00.01"})
def test_all_values_read_from_an_address_are_possible(params: dict[str, str]) -> None:
    chosen, notes = read_address(params)
    params = {key: in_one_line(text) for key, text in params.items()}
    address = address_of(chosen)
    again, none = read_address(address)
    usual = {Frame.weights.key: Frame.weights.usual({})} if address else {}
    assert write_address(again, PARAMETERS) == write_address(chosen, PARAMETERS)
    assert again == usual | {key: chosen[key] for key in address if key in chosen}
    assert address.keys() - chosen.keys() <= {Frame.weights.key, *VERSION}
    assert none == []
    for name in PARAMETERS.keys() - FREE & address.keys():
        text = address[name]
        assert len(text) < 40
        if re.match(r"[-+.\d]", text):
            assert math.isfinite(float(text))
    assert chosen.get("d_model", 64) % chosen.get("heads", 1) == 0
    assert chosen.keys() <= {*PARAMETERS, *TEXT_KEYS}
    typed = {key: params[key][:SENTENCE_LENGTH] for key in TEXT_KEYS if key in params}
    free = {key: params[key] for key in ANY_TEXT if key in params}
    untouched = typed | {key: text for key, text in free.items() if len(text) <= SENTENCE_LENGTH}
    assert untouched.items() <= chosen.items()
    assert all(len(text) <= SENTENCE_LENGTH for text in chosen.values() if isinstance(text, str))
    for name in PARAMETERS.keys() & params.keys():
        noted = any(f"The link's {name}=" in without_isolates(note) for note in notes)
        assert noted or means(params[name], chosen.get(name))
    assert all(len(note) < 400 for note in notes)
