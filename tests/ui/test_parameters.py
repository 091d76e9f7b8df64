"""Every choice is declared once."""

import re

import pytest

from explorer.config import ModelConfig
from explorer.ui.domains import OneOf, default_heads
from explorer.ui.parameters import PARAMETERS, TEXT_KEYS, cannot_hold, text_key


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


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, ""),
        ({"d_model": 1024, "n_heads": 32}, ""),
        ({"d_model": 2048, "n_heads": 8}, "d_model from 8 to 1,024, not 2,048"),
        ({"d_model": 4, "n_heads": 2}, "d_model from 8 to 1,024, not 4"),
        ({"n_encoder_layers": 7}, "encoder layers from 1 to 6, not 7"),
        ({"n_decoder_layers": 12}, "decoder layers from 1 to 6, not 12"),
        ({"d_ff": 9000}, "d_ff from 1 to 8,192, not 9,000"),
        ({"d_model": 512, "n_heads": 64}, "up to 32 heads, not 64"),
    ],
)
def test_models_that_the_controls_cannot_hold(changes: dict[str, int], why: str) -> None:
    said = cannot_hold(ModelConfig(**{"d_model": 64, "n_heads": 4, "d_ff": 256, **changes}))
    assert why in said
    assert bool(said) == bool(why)


def test_sentences_have_keys_of_their_own() -> None:
    assert text_key("src", 0) == "src"
    assert text_key("tgt", 4) == "tgt5"
    assert len(set(TEXT_KEYS)) == 40
    assert not set(TEXT_KEYS) & set(PARAMETERS)
