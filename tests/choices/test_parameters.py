"""Every choice is declared once."""

import re

import pytest

from explorer.choices.domains import OneOf, Whole, default_heads
from explorer.choices.parameters import (
    PARAMETERS,
    TEXT_KEYS,
    Frame,
    Look,
    Parameter,
    keys_of,
    text_key,
)


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


def test_no_key_is_declared_twice() -> None:
    with pytest.raises((RuntimeError, ValueError)):  # up to Python 3.11, a RuntimeError wraps it

        class Again:
            layer = Parameter(Whole(1, 2), 1)


def test_a_value_is_the_choice_or_follows_from_others() -> None:
    assert Frame.d_model.of({"d_model": 128}) == 128
    assert Frame.heads.of({"d_model": 30}) == 3
    assert Frame.heads.of({"d_model": 30, "heads": 6}) == 6
    assert Frame.heads.usual({"d_model": 30, "heads": 6}) == 3
    assert Look.layer.of({}) is None
    assert Look.layer.within({"attention": "cross", "dec": 5}) == Whole(1, 5)
    assert keys_of(Look) == ["attention", "layer", "head", "query", "key"]


def test_sentences_have_keys_of_their_own() -> None:
    assert text_key("src", 0) == "src"
    assert text_key("tgt", 4) == "tgt5"
    assert len(set(TEXT_KEYS)) == 40
    assert not set(TEXT_KEYS) & set(PARAMETERS)
