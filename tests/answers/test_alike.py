"""Words that a model treats alike, as listed on the stack page."""

from typing import Any

import pytest

from tests.app.driving import open_page, texts


def opened(**choices: Any) -> str:
    at = open_page("stack", src="She wants to buy a book", pairs=1, stop=0, **choices)
    return texts(at)


def test_the_nearest_words_to_buy_are_forms_of_it() -> None:
    assert "Rows most like that of “buy”: buying" in opened(weights="translator", word=3)


@pytest.mark.parametrize("weights", ["untrained", "reverse"])
def test_a_model_without_words_of_a_language_has_no_similar_words(weights: str) -> None:
    assert "Rows most like" not in opened(weights=weights)
