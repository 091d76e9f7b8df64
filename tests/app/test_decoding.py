"""The page that writes an answer: the answer is right, for sentences outside of the training."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.driving import (
    answer_on_top,
    button,
    numbers,
    open_page,
    pictures,
    press,
    state_of,
    texts,
)
from tests.figures.reading import array, labels

SENTENCE = "my grandmother plays chess against three clever robots"


def whole_answer(at: AppTest) -> str:
    (answer,) = (line for line in texts(at).splitlines() if "The whole answer: " in line)
    return answer.partition("The whole answer: ")[2]


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
    assert whole_answer(at) == answer
    assert answer_on_top(at) == answer
    assert "not the right answer" not in texts(at)


def test_forward_back_and_to_the_end() -> None:
    at = open_page("decoding", weights="reverse", **state_of([("one two three", "")], at=1))
    for read, chosen in (("BOS", "three"), ("BOS three", "two"), ("BOS three two", "one"),
                         ("BOS three two one", "EOS")):  # fmt: skip
        assert f"has read: **{read}** · It writes: **{chosen}**" in texts(at)
        assert chosen in labels(pictures(at)["next_words"]["spec"], "y")[0]
        looks = labels(pictures(at)["newest_decoder"]["spec"], "x").values()
        assert [word for word in looks if word] == read.split()
        last = button(at, "Next").disabled
        assert last == (chosen == "EOS")
        if not last:
            press(at, "Next")
    assert at.query_params["at"] == "4"
    press(at, "Back")
    assert "It writes: **one**" in texts(at)
    assert numbers(pictures(at)["alignment"])[:3].argmax(axis=1).tolist() == [2, 1, 0]


def test_the_greedy_answer_stands_beside_that_of_a_search() -> None:
    """Where beam search finds another answer, it is the likelier one; where not, it is said."""
    source = "The government has lowered the taxes on electric cars."
    at = open_page("decoding", weights="translator", method="beam", **state_of([(source, "")]))
    own = answer_on_top(at)  # written greedily
    assert own != whole_answer(at)
    assert f"Greedy decoding writes: {own}\n" in texts(at)
    beam, greedy = (
        float(number.replace("−", "-"))
        for number in re.findall(r"Its log-probability: (−[\d.]+\d)", texts(at))
    )
    assert beam > greedy
    alone = open_page("decoding", weights="reverse", **state_of([(SENTENCE, "")]))
    assert "Greedy decoding" not in texts(alone)


def test_sampling_follows_its_seed_and_its_heat() -> None:
    hot = {"method": "sampling", "heat": "10.0", **state_of([(SENTENCE, "")])}
    first, again, other = (
        whole_answer(open_page("decoding", weights="reverse", dice=seed, **hot))
        for seed in (1, 1, 2)
    )
    assert first == again != other
    right = " ".join(SENTENCE.split()[::-1])
    assert first != right
    assert whole_answer(open_page("decoding", weights="reverse", dice=1, top_k=1, **hot)) == right


def test_the_bars_of_sampling_are_what_the_word_is_drawn_with() -> None:
    link = {"src": "I like you.", "method": "sampling", "heat": 10.0, "dice": 3, "at": 2}
    at = open_page("decoding", weights="translator", **link)
    drawn, own = pictures(at)["next_words"]["spec"]["data"]
    *shares, rest = array(drawn["x"]).tolist()
    assert max(shares) < 0.01 < rest  # so hot that all pieces are about as likely
    assert array(own["x"]).max() > max(shares)
    for bars in (drawn, own):
        assert array(bars["x"]).sum() == pytest.approx(1)
    assert (np.diff(shares[:-1]) <= 0).all()  # the last one may be the drawn one
