"""Any address at all: what cannot be meant is mended, and what is left means the same for good.

`EXAMPLES=10000 pytest tests/faults/test_any*` tries that many inputs rather than a few.
"""

import math
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.positional import VARIANTS
from explorer.ui.components.number_grid import MOST, parse, written
from explorer.ui.markdown import literal
from explorer.ui.settings import CHECKS, clean_query
from tests.faults.nasty import NUMBERS, anything, names_and, thorough

DEPENDENT = ("heads", "head", "off_head", "layer", "pair", "device")
KNOWN = (*CHECKS, *DEPENDENT, "src", "tgt", "src2", "tgt2", "src20", "order_a", "man", "X")
MEANT = ("reverse", "german", "ids", "left", "pre", "cross", "0.1", "learned", "waves", *VARIANTS)
values = st.sampled_from(NUMBERS) | st.sampled_from(MEANT) | st.integers().map(str) | anything
ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


@thorough(100, 0.5)
@given(names_and(values, KNOWN).map(dict))
def test_what_is_left_of_an_address_is_possible(params: dict[str, str]) -> None:
    clean, notes = clean_query(params)
    assert clean_query(clean) == (clean, [])
    for name in {*CHECKS, *DEPENDENT} & clean.keys():
        text = clean[name]
        assert len(text) < 40
        if re.match(r"[-+.\d]", text) and name not in ("case", "input"):
            assert math.isfinite(float(text))
    heads = int(clean.get("heads", 1))
    assert int(clean.get("d_model", 64)) % heads == 0
    untouched = {name: text for name, text in params.items() if name not in {*CHECKS, *DEPENDENT}}
    assert untouched.items() <= clean.items()
    mended = [name for name in params if params[name] != clean.get(name, "")]
    for name in {*mended} & {*CHECKS, *DEPENDENT} - {"typed_target"}:
        assert any(f"The link's {name}=" in note for note in notes) or not params[name]
    assert all(len(note) < 400 for note in notes)


@thorough(100, 0.25)
@given(anything)
def test_nothing_of_a_text_is_markup(text: str) -> None:
    shown = literal(text)
    assert not PUNCTUATION.search(ESCAPED.sub("", shown))
    assert re.sub(r"\\(.)", r"\1", shown.replace("\u2060", "")) == text.replace("\u2060", "")


@thorough(100, 0.1)
@given(st.lists(st.sampled_from(NUMBERS) | anything, max_size=6), st.sampled_from([" ", ";", ""]))
def test_a_grid_of_numbers_holds_numbers(cells: list[str], between: str) -> None:
    usual = ((0.5, 1.0), (2.0, 3.0))
    values = parse(between.join(cells), usual)
    assert values.shape == (2, 2)
    assert np.isfinite(values).all()
    assert (abs(values) <= MOST).all()
    np.testing.assert_array_equal(parse(written(values), usual), values)
