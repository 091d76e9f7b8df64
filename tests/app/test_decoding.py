"""The page that writes an answer: what it writes is right, for sentences nobody trained on."""

import pytest

from tests.app.driving import open_page, state_of, texts

SENTENCE = "my grandmother plays chess against three clever robots"


@pytest.mark.parametrize(
    ("weights", "source", "answer"),
    [
        ("reverse", SENTENCE, " ".join(SENTENCE.split()[::-1])),
        ("copy", SENTENCE, SENTENCE),
        ("sort", "pears Apples figs dates", "Apples dates figs pears"),
        ("numbers", "neunhundertsechsundachtzig", "nine hundred eighty six"),
        (
            "german",
            "die kluge Eule sagt, dass der Dieb einen alten Ring versteckt hat.",
            "the clever owl says that the thief has hidden an old ring .",
        ),
        ("quotes", "I'm gonna make him an offer", "he can't refuse"),
    ],
)
def test_the_answer_is_right(weights: str, source: str, answer: str) -> None:
    at = open_page("decoding", weights=weights, **state_of([(source, "")]))
    assert not at.exception
    (said,) = (line for line in texts(at).splitlines() if "The whole answer: " in line)
    assert said.partition("The whole answer: ")[2] == answer
    assert at.text_input(key="answer1").value == answer
    assert "not the right answer" not in texts(at)


def test_where_the_grammar_has_no_such_sentence_there_is_no_right_answer() -> None:
    """ "glauben" stands only before "dass" in it."""
    source = "leider glaubt die Eule nicht"
    at = open_page("decoding", weights="german", **state_of([(source, "")]))
    assert not at.exception
    assert "Outside of what the model learnt: it never learnt such sentences." in texts(at)
    assert "right answer" not in texts(at)
