"""Weights that a file may hold and no training gives: every page shows them truly, or says why not.

What is not finite cannot be made JSON of, so a page that tried would fail.
"""

from dataclasses import replace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.transformer import Transformer
from explorer.ui.registry import PAGES
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import APP

EXTREMES = {
    "all as large as they may be": 1e4,
    "larger than any file may hold": 3e38,
    "all denormal": 1e-45,
    "all zero": 0.0,
}


def kept(value: float) -> str:
    """The token of a model whose weights all have this size, with the signs of a trained one's."""
    found = load(shipped("reverse"))
    weights = {name: value * torch.sign(w) for name, w in found.model.state_dict().items()}
    model = Transformer(found.model.config, weights=weights)
    return trained_here.keep(replace(found, model=model))


@pytest.mark.parametrize("value", EXTREMES.values(), ids=EXTREMES)
@pytest.mark.parametrize("page", PAGES)
def test_no_page_fails(page: str, value: float) -> None:
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.query_params.update({"weights": "here", "run": kept(value), "method": "sampling"})
    at.run()
    if page != "home":
        at.switch_page(PAGES[page][0]).run()
    assert not at.exception
    for error in at.error:
        assert "until they overflow" in error.value
