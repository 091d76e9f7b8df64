"""The parts that compute with a mistake, against the mistake as it is written elsewhere."""

import math

import pytest
import torch

from explorer.mistakes.parts import base_of, query_padding_mask
from explorer.positional import sinusoidal


def test_the_doubled_exponent() -> None:
    # d = 4: the second pair has 10000^(2·2/4) = 10000 instead of 10000^(2/4) = 100
    wrong = sinusoidal(2, 4, base_of(10_000.0, "doubled"))[1]
    expected = [math.sin(1), math.cos(1), math.sin(1e-4), math.cos(1e-4)]
    torch.testing.assert_close(wrong, torch.tensor(expected), rtol=0, atol=1e-9)


def test_an_unknown_formula_is_refused() -> None:
    with pytest.raises(ValueError, match=r"one of \['paper', 'doubled'\], got 'halved'"):
        base_of(10_000.0, "halved")


def test_hidden_queries_blank_rows_and_keep_pad_keys() -> None:
    mask = query_padding_mask(torch.tensor([[1, 6, 1, 8, 1]]), pad_id=1)
    x, o = True, False
    assert mask[0, 0].tolist() == [[o] * 5, [x, x, o, o, o], [o] * 5, [x, x, x, x, o], [o] * 5]
