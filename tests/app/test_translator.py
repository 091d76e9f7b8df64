"""The translator in the app, which opens on it, and its differences from other weights."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.choices.examples import WORLDS
from explorer.names import EOS
from explorer.weights.catalogue import TRANSLATOR, subwords
from explorer.weights.loaded import load
from tests.app.driving import (
    answer,
    answer_on_top,
    choose,
    components,
    numbers,
    open_page,
    pick_example,
    pictures,
    texts,
)
from tests.app.test_state import address, field, widget
from tests.figures.reading import read_cells

ODDS = re.compile(r"about \d of 10 such answers are right")
SOURCES = [source for source, _ in WORLDS[TRANSLATOR]]


def opened(page: str = "home", **choices: Any) -> AppTest:
    return open_page(page, **{"weights": None, **choices})


def typed(page: str, source: str, **choices: Any) -> AppTest:
    return opened(page, weights=TRANSLATOR, src=source, pairs=1, **choices)


def pieces(at: AppTest) -> list[tuple[str, float]]:
    return [(word, share) for word, _, share in components(at)["answer_pieces"]["pieces"]]


def test_the_explorer_opens_on_its_translations() -> None:
    at = opened()
    assert widget(at, "weights").value == TRANSLATOR
    assert widget(at, "tokens").value == "subwords"
    assert address(at) == {}
    (translation,) = load(TRANSLATOR).answer(SOURCES[:1])
    assert [word for word, _ in pieces(at)] == [*subwords().split(translation), EOS]


def test_the_pieces_have_the_probabilities_with_which_they_were_chosen() -> None:
    at = typed("decoding", "My dog is sleeping.")
    shown = pieces(at)
    for at_word, (word, share) in enumerate(shown, start=1):
        widget(at, "at").set_value(at_word).run()
        assert f"It writes: **{word}**, probability {share:.3f}".replace(".**", "\\.**") in (
            texts(at)
        )


@pytest.mark.parametrize("how", ["menu", "shape", "level"])
def test_its_sentences_and_tokenizer_stay_without_its_weights(how: str) -> None:
    at = typed("tokens", "The washing machine is broken.")
    answer = answer_on_top(at)
    src = numbers(pictures(at)["src_ids"])
    if how == "menu":
        widget(at, "weights").set_value("untrained").run()
    elif how == "shape":
        widget(at, "heads").set_value(4).run()
    else:
        widget(at, "tokens").set_value("words").run()
    assert widget(at, "weights").value == "untrained"
    assert field(at, "tgt").value == answer
    assert widget(at, "d_model").value == "256"
    assert widget(at, "enc").value == 4
    if how != "level":  # an untrained model of the same reading
        assert widget(at, "tokens").value == "subwords"
        np.testing.assert_array_equal(numbers(pictures(at)["src_ids"]), src)
        assert address(at)["tokens"] == "subwords"


# What docs/translator.md says of the last trainings: attention, layer and head, from 1.
TAUGHT = {
    ("encoder", 1, 1): "It was taught where to look: next token.",
    ("encoder", 1, 4): "It was taught where to look: previous token.",
    ("decoder", 1, 1): "It was taught where to look: previous token.",
    ("decoder", 1, 2): "It was taught where to look: two tokens back.",
    ("decoder", 2, 8): "It was taught where to look: previous token.",
    ("decoder", 3, 5): "It was taught where to look: itself.",
    ("cross", 2, 5): "It was taught to look at what is copied, such as names.",
    ("cross", 3, 5): "It was taught to look at what is copied, such as names.",
}


@pytest.mark.parametrize(
    ("place", "taught", "page"),
    [
        *((place, taught, "attention") for place, taught in TAUGHT.items()),
        (("encoder", 2, 5), "", "attention"),  # as clear, and found by itself
        (("cross", 3, 5), TAUGHT["cross", 3, 5], "why"),
        (("decoder", 3, 4), "", "why"),
    ],
)
def test_it_says_which_heads_were_taught(
    place: tuple[str, int, int], taught: str, page: str
) -> None:
    attention, layer, head = place
    of_why = {"ask": "heads", "why_head": "-".join(map(str, place))}
    of_others = {"attention": attention, "layer": layer, "head": head}
    at = opened(page, **(of_why if page == "why" else of_others))
    shown = "\n".join(text.value for text in at.text)
    assert taught in shown
    assert taught or "taught" not in shown


def test_the_lens_ends_with_the_answer() -> None:
    at = typed("stack", "My dog is sleeping.", stack_shows="lens")
    lens = pictures(at)["lens_picture"]["spec"]["data"][0]
    written = pieces(at)
    assert lens["told"][0][-1] == [word for word, _ in written]
    assert [cell.split("<br>")[0] for cell in lens["text"][-1]] == [
        f"<b>{word}</b>" for word, _ in written
    ]
    for line, shown in zip(lens["told"][0], lens["text"], strict=True):
        final = [word == last for word, (last, _) in zip(line, written, strict=True)]
        assert [cell.startswith("<b>") for cell in shown] == final
    np.testing.assert_allclose(
        numbers(pictures(at)["lens_picture"])[-1], [share for _, share in pieces(at)], atol=1e-3
    )


def test_the_pronoun_it_attends_to_both_nouns() -> None:
    """In both sentences of the example; the answers show which one it stands for."""
    at = opened("attention")
    pick_example(at, "“It” looks at both nouns either way")
    for pair, german in ((2, "weil sie zu breit war"), (1, "weil es zu müde war")):
        at.selectbox(key="pair").set_value(pair).run()
        cells = read_cells(pictures(at)["one_head"]["spec"])
        looks = {key: share[0] for (query, key), share in cells.items() if query == "it"}
        assert looks["animal"] + looks["street"] > 0.85
        assert min(looks["animal"], looks["street"]) > 0.3
        assert german in answer(at, pair)[0]


def test_an_answer_that_is_doubted_is_not_called_outside_and_each_has_its_own_doubt() -> None:
    at = opened("decoding")
    pick_example(at, "What greedy decoding misses")
    on_top = components(at)["answer_pieces"]
    assert on_top["words"] == "Es gibt immer ein nächstes Mal."  # the one that the beams have found
    assert "⚠" not in on_top["note"]
    choose(at, method="greedy").run()
    note = components(at)["answer_pieces"]["note"]
    assert "⚠" in note
    assert f"{np.exp(np.mean([np.log(share) for _, share in pieces(at)])):.2f}" in note


def test_a_word_is_split_into_pieces() -> None:
    at = typed("tokens", "The zorblat sleeps.", drawer="readings")
    rows = {row[0]: row[1:] for row in components(at)["readings"]["rows"]}
    assert rows["words"] == ["The | zorblat | sleeps | .", "4"]
    together = rows["subwords"][0].replace(" ·", "").split(" | ")
    assert together == ["The", "zorblat", "sleeps", "."]
    assert int(rows["subwords"][1]) == len(subwords().split("The zorblat sleeps."))
    assert rows["characters"][1] == "19"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("The dog sleeps on the sofa.", ODDS),
        ("The stock market crashed after the election.", re.compile(f"⚠ {ODDS.pattern}")),
        ("Le chat dort sous la table.", re.compile("")),  # outside of what it learnt
        ("He ran 42.195 kilometres in 2:01:09 hours.", re.compile("")),  # a number is lost
        ("very " * 25, re.compile("")),  # it does not end its answer
    ],
)
def test_it_says_how_often_such_answers_are_right_if_that_was_measured(
    source: str, wanted: re.Pattern[str]
) -> None:
    shown = components(typed("home", source))["answer_pieces"]
    assert wanted.fullmatch(shown["sure"])
    assert bool(shown["sure"]) != bool(shown["note"])
