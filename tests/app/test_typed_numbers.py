"""Numbers typed into fields, in the reader's language: read rightly, asked about, or explained."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer import languages
from tests.app import driving
from tests.app.driving import memory_of, session_of

QUESTION: dict[str, Any] = {"kind": "softmax_of_two", "weights": "reverse"}


def open_page(name: str, *, lang: str = "en", **choices: object) -> AppTest:
    """A page in a language, which AppTest speaks as well: it writes the options of menus itself."""
    at = driving.open_page(name, lang=lang, **choices)
    languages.speak(lang)
    return at


def asked_for_a_number(lang: str) -> tuple[AppTest, str]:
    """A page with a question that a number with decimals answers, and the key of its field."""
    at = open_page("predict", **QUESTION, lang=lang)
    (key,) = [w.key for w in at.text_input if w.key and w.key.startswith("answer_")]
    return at, key


@pytest.mark.parametrize(
    ("language", "typed"), [("de", "0.25"), ("en", "0,25"), ("zh", "０．２５")]
)
def test_a_number_with_either_sign_is_an_answer(language: str, typed: str) -> None:
    at, key = asked_for_a_number(language)
    at.text_input(key=key).set_value(typed)
    at.button[[b.icon for b in at.button].index(":material/check:")].click().run()
    assert memory_of(at)["predict"]["answers"]["all"][0].answer == 0.25
    assert at.text_input(key=f"{key}_checked").value == languages.numeral(0.25)


@pytest.mark.parametrize(
    ("language", "typed", "rate", "shown"),
    [
        ("de", "0.003", 0.003, "0,003"),
        ("zh", "０．００３", 0.003, "0.003"),
    ],
)
def test_a_learning_rate(language: str, typed: str, rate: float, shown: str) -> None:
    at = open_page("training", drawer="options", lang=language)
    at.text_input(key="lr").set_value(typed).run()
    assert session_of(at).chosen["lr"] == rate
    assert at.query_params["lr"] == "0.003"
    assert at.text_input(key="lr").value == shown


@pytest.mark.parametrize(
    ("key", "typed", "why"),
    [
        ("lr", "0,5", "0,1"),  # the largest
        ("steps", "1,000", "ganze Zahl"),
        ("steps", "99999", "20.000"),
        ("train_seed", "<b>", "ganze Zahl"),
    ],
)
def test_an_unusable_number_stays_and_is_explained(key: str, typed: str, why: str) -> None:
    at = open_page("training", drawer="options", lang="de")
    before = at.text_input(key=key).value
    at.text_input(key=key).set_value(typed).run()
    assert key not in session_of(at).chosen
    assert at.text_input(key=key).value == typed
    (message,) = [caption.value for caption in at.caption if caption.value.startswith("Bitte ")]
    assert why in message.replace("\\", "")
    at.run()
    assert at.text_input(key=key).value == typed
    at.text_input(key=key).set_value(before).run()
    assert not [c for c in at.caption if c.value.startswith("Bitte ")]
