"""A sentence unlike the training sentences: no measurement on those is claimed for it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.driving import components, open_page, texts

ARABIC = "القطة تجلس على الحصيرة"
USUAL = "I like you."


def note(at: AppTest) -> str:
    return str(components(at)["answer_pieces"]["note"])


@pytest.mark.parametrize(("name", "drawer"), [("home", "shapes"), ("steps", None)])
def test_measurements_are_not_claimed_for_it(name: str, drawer: str | None) -> None:
    strange = open_page(name, weights="translator", src=ARABIC, pairs=1, drawer=drawer)
    usual = open_page(name, weights="translator", src=USUAL, pairs=1, drawer=drawer)
    assert note(usual) == ""
    assert "not measured on such sentences" in texts(strange)
    assert "not measured on such sentences" not in texts(usual)


@pytest.mark.parametrize(("weights", "src", "right"), [
    ("translator", USUAL, "about"), ("reverse", "one two", "100% sure"),
])  # fmt: skip
def test_pad_that_moves_words_is_noted_beside_an_answer(weights: str, src: str, right: str) -> None:
    def sure(**more: object) -> str:
        at = open_page("attention", weights=weights, src=src, pairs=1, **more)
        return str(components(at)["answer_pieces"]["sure"])

    assert sure(side="left").startswith(right)  # there is no PAD
    assert sure(length=20).startswith(right)
    assert sure(side="left", length=20) == "written with PAD on the right"
