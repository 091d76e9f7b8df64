"""Weights that a file may hold and no training gives: every page shows them truly, or says why not.

What is not finite cannot be made JSON of, so a page that tried would fail.
"""

from dataclasses import replace
from functools import cache

import pytest
import torch

from explorer.transformer import Transformer
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import OF_MODELS, open_page

EXTREMES = {
    "all as large as they may be": 1e4,
    "larger than any file may hold": 3e38,
    "all denormal": 1e-45,
    "all zero": 0.0,
}


@cache
def kept(value: float) -> str:
    """The token of a model whose weights all have this size, with the signs of a trained one's."""
    found = load(shipped("reverse"))
    weights = {name: value * torch.sign(w) for name, w in found.model.state_dict().items()}
    model = Transformer(found.model.config, weights=weights)
    return trained_here.keep(replace(found, model=model))


@pytest.mark.parametrize("value", EXTREMES.values(), ids=EXTREMES)
@pytest.mark.parametrize("page", OF_MODELS)
def test_no_page_fails(page: str, value: float) -> None:
    at = open_page(page, weights="here", run=kept(value), method="sampling")
    assert at.selectbox(key="weights").value == "here"
    for error in at.error:
        assert "until they overflow" in error.value
