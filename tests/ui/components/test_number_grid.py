"""A small matrix in an address: written, read back, and nonsense told from numbers."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.ui.components.number_grid import MAX_NUMBER, as_text, parse
from tests.faults.nasty import anything

USUAL = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
NUMBERS = st.one_of(
    st.floats(-MAX_NUMBER, MAX_NUMBER, width=32),
    st.floats(-1, 1, width=32),
    st.integers(-1_000_000, 1_000_000).map(float),
)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=2))
@example([[0.0, -0.0, 1e6], [-1e6, 0.1, 999_999.9]])
@example([[0.0001234567, 1e-5, 1.234567e-5], [1e-30, -0.00098765432, 123456.7]])
def test_written_numbers_are_read_back(rows: list[list[float]]) -> None:
    values = np.array(rows, dtype=np.float32)
    again = parse(as_text(values), USUAL)
    assert again.dtype == np.float32
    np.testing.assert_allclose(again, values, rtol=1e-6)


def test_rows_in_an_address_are_separated_by_semicolons() -> None:
    assert as_text(np.array([[1, -2.5], [0, 1e6]])) == "1 -2.5;0 1000000"
    np.testing.assert_array_equal(
        parse("1 -2.5 3;0 1e2 7.25", USUAL), np.array([[1, -2.5, 3], [0, 100, 7.25]], np.float32)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 2 3",
        "1 2 3;4 5",
        "1 2 3;4 5 6;7 8 9",
        "1 2 3;4 5 x",
        "1 2 3;4 5 nan",
        "1  2 3;4 5 6",
        "1,5 2 3;4 5 6",
        "1 2 3;4 5 1000001",
        "1 2 3;4 5 1e99",
        "1 2 3;4 5 6\n",
        "<script>;",
    ],
)
def test_nonsense_gives_the_usual_values(text: str) -> None:
    np.testing.assert_array_equal(parse(text, USUAL), np.array(USUAL, np.float32))


@given(st.text(st.sampled_from("0123456789.-e+ ;x"), max_size=40) | anything)
def test_whatever_the_address_says_it_is_a_matrix_of_this_size(text: str) -> None:
    values = parse(text, USUAL)
    assert values.shape == (2, 3)
    assert values.dtype == np.float32
    assert (np.abs(values) <= MAX_NUMBER).all()
