"""The page that writes an answer: the answer is right, for sentences outside of the training."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.frame.stage import TAKES
from tests.app.driving import (
    answer_on_top,
    button,
    choose,
    components,
    memory_of,
    numbers,
    open_page,
    pictures,
    press,
    state_of,
    texts,
)
from tests.figures.reading import array, labels

SENTENCE = "my grandmother plays chess against three clever robots"


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
    assert (
        numbers(pictures(at)["newest_cross"]).max(axis=0).argmax() == 0
    )  # "one" is the first word of the source


def put_in(at: AppTest, row: int) -> AppTest:
    """Click a bar."""
    click = memory_of(at)["noted"]["next_words"].picture.click
    return choose(at, **click.choices({"x": 0, "y": row, "name": None})).run()


def test_a_click_on_a_word_has_it_written_and_the_model_goes_on_from_there() -> None:
    at = open_page("decoding", weights="translator", at=1, src="He is tired.", drawer=TAKES)
    own = answer_on_top(at)
    names = list(labels(pictures(at)["next_words"]["spec"], "y").values())
    put_in(at, 1)
    mine = answer_on_top(at)
    assert mine != own
    assert mine.startswith(names[1])
    assert components(at)["answer_pieces"]["note"] == "with your word"
    assert f"It writes: **{names[1]}**" in texts(at)
    fresh = open_page("decoding", **at.query_params)
    assert answer_on_top(fresh) == mine
    choose(at, method="beam").run()  # an answer of the model's own
    assert components(at)["answer_pieces"]["note"] != "with your word"
    assert "own_words" not in at.query_params
    choose(at, method="greedy").run()
    assert answer_on_top(at) == mine
    choose(at, src="She is tired.").run()
    assert components(at)["answer_pieces"]["note"] != "with your word"
    choose(at, src="He is tired.").run()
    assert answer_on_top(at) == mine
    press(at, "as the model wrote it")
    assert answer_on_top(at) == own
    assert "own_words" not in at.query_params


def test_the_likeliest_word_takes_back_what_was_put_in_there_and_later() -> None:
    asked = state_of([("one two three", "")], at=3)
    at = open_page("decoding", weights="reverse", **asked, drawer=TAKES)
    put_in(at, 2)
    at.selectbox(key="at").set_value(2).run()
    put_in(at, 1)
    assert at.query_params["own_words"].count("-") == 1  # the third word was another answer's
    put_in(at, 0)
    assert "own_words" not in at.query_params
    assert answer_on_top(at) == "three two one"


def test_the_greedy_answer_stands_beside_that_of_a_search() -> None:
    """Where beam search finds another answer, it is the likelier one; where not, it is said."""
    source = "The government has lowered the taxes on electric cars."
    at = open_page("decoding", weights="translator", method="beam", **state_of([(source, "")]))
    own = answer_on_top(open_page("decoding", weights="translator", **state_of([(source, "")])))
    assert own != answer_on_top(at)
    assert f"Greedy decoding writes: {own} " in texts(at)
    beam, greedy = (
        float(number.replace("−", "-"))
        for number in re.findall(r"\(log-probability (−[\d.]+\d)\)", texts(at))
    )
    assert beam > greedy
    alone = open_page("decoding", weights="reverse", **state_of([(SENTENCE, "")]))
    assert "Greedy decoding" not in texts(alone)
    choose(alone, method="beam").run()
    assert "Greedy decoding writes the same answer." in texts(alone)
    press(alone, "A sentence on which they differ")
    assert "Greedy decoding writes: " in texts(alone)


def test_sampling_follows_its_seed_and_its_heat() -> None:
    hot = {"method": "sampling", "heat": "10.0", **state_of([(SENTENCE, "")])}
    first, again, other = (
        answer_on_top(open_page("decoding", weights="reverse", dice=seed, **hot))
        for seed in (1, 1, 2)
    )
    assert first == again != other
    right = " ".join(SENTENCE.split()[::-1])
    assert first != right
    assert answer_on_top(open_page("decoding", weights="reverse", dice=1, top_k=1, **hot)) == right


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
