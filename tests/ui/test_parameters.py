"""Every choice is declared once."""

import re

import pytest

from explorer.ui.domains import OneOf, default_heads
from explorer.ui.parameters import PARAMETERS, TEXT_KEYS, text_key


def test_no_identifier_is_wording() -> None:
    """A name in an address may neither be translated nor reworded: it has no spaces, no signs."""
    for key, parameter in PARAMETERS.items():
        assert re.fullmatch(r"[a-z_]+", key)
        if isinstance(parameter.domain, OneOf):
            for option in parameter.domain.options:
                assert not isinstance(option, str) or re.fullmatch(r"[a-z][a-z0-9_]*", option), (
                    key,
                    option,
                )


@pytest.mark.parametrize(
    ("d_model", "wanted", "heads"),
    [(64, 4, 4), (64, 7, 4), (61, 4, 1), (62, 4, 2), (63, 4, 3), (96, 5, 4), (8, 32, 8), (8, 0, 1)],
)
def test_default_heads_divide_d_model(d_model: int, wanted: int, heads: int) -> None:
    assert default_heads(d_model, wanted) == heads


def test_sentences_have_keys_of_their_own() -> None:
    assert text_key("src", 0) == "src"
    assert text_key("tgt", 4) == "tgt5"
    assert len(set(TEXT_KEYS)) == 40
    assert not set(TEXT_KEYS) & set(PARAMETERS)
