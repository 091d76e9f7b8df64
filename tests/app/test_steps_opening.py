"""What the step-by-step page opens on, and what a change changes, in words."""

from streamlit.testing.v1 import AppTest

from tests.app.driving import answer_on_top, open_page, press, texts


def case(at: AppTest) -> str:
    return str(at.selectbox(key="case").value)


def test_a_newcomer_sees_their_sentence_and_small_numbers_are_one_choice() -> None:
    at = open_page("steps", weights=None)
    assert case(at) == "model"
    answer = answer_on_top(at)
    word = ["BOS", *answer.replace(",", " ,").replace(".", " .").split()][
        at.selectbox(key="query").value
    ]
    assert len(word) > 3  # neither an article nor the full stop
    assert not at.query_params  # nothing was chosen
    at.selectbox(key="case").set_value("toy").run()
    assert at.query_params["case"] == "toy"
    press(at, "Now with my sentence")
    assert case(at) == "model"


def test_a_change_says_what_was_before_and_after() -> None:
    choices = {"weights": "reverse", "src": "a b c d e", "pairs": 1, "attention": "cross"}
    plain = open_page("steps", **choices)
    assert "with the change" not in texts(plain)
    at = open_page("steps", **choices, unscaled=True, temperature=0.1, step="mask")
    said = texts(at)
    assert "with the change" in said
    assert "The model's answer" in said
    assert at.query_params["temperature"] == "0.1"  # though its control is at another step
