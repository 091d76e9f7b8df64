"""The tour: every stop opens at its telling place and speaks of the sentence on show."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer import explore, load
from explorer.choices.pages import PAGES
from explorer.tour.stops import TOUR_STOPS
from explorer.ui.training.watched import NOW
from explorer.weights import checkpoints, trained_here
from explorer.weights.catalogue import heads_of_translator
from tests.app.driving import (
    choose,
    components,
    memory_of,
    open_page,
    pictures,
    press,
    session_of,
    texts,
    unlinked,
)
from tests.support.waiting import until

SENTENCE = "She has read the book."
EXAMPLE = "There is always a next time."  # of the tenth stop


def panel(at: AppTest) -> str:
    """The text of the tour's panel, without the links of explained words."""
    drawn = [element.value for element in at.markdown]
    first = next(n for n, text in enumerate(drawn) if text.startswith("Tour"))
    return unlinked(" ".join(drawn[first : first + 2]))


def at_stop(number: int, **choices: Any) -> AppTest:
    page = TOUR_STOPS[number - 1].page
    return open_page(page, **{"weights": "translator", "tour": number, "src": SENTENCE, **choices})


def test_what_mattered_is_asked_of_the_word_in_doubt() -> None:
    """Where the model is sure, no head changes anything."""
    at = at_stop(12, src="I know that the dog has eaten the fish.")
    shares = {word: share for word, _, share in components(at)["answer_pieces"]["pieces"]}
    least = min(shares, key=lambda word: shares[word])
    assert least == "gegessen"
    assert f"Where “**{least}**” is written" in panel(at)


@pytest.mark.parametrize(
    ("number", "choices"), [(2, {"weights": "untrained"}), (9, {"typed_target": True, "tgt": "x"})]
)
def test_only_answers_of_a_trained_model_are_called_its_answers(
    number: int, choices: dict[str, Any]
) -> None:
    at = at_stop(number, **choices)
    assert "The tour follows a trained model" in panel(at)
    assert at.title  # the page itself is there
    press(at, "Let it answer")
    assert "**Try:**" in panel(at)


@pytest.mark.parametrize("number", [1, 3, 11, 12])
def test_an_empty_sentence_hides_no_page_that_needs_none(number: int) -> None:
    at = at_stop(number, src="", pairs=1)
    assert "type one above" in panel(at)
    assert at.title


def test_the_numbers_are_those_of_the_sentence() -> None:
    model = load("translator")
    seen = explore([SENTENCE], model.answer([SENTENCE]), model=model)
    pieces = sum(label != "PAD" for label in seen.batch.src_labels[0])
    assert f"into {pieces} pieces" in panel(at_stop(1))
    text = panel(at_stop(9))
    piece, share = re.findall(r"\*\*(.+?)\*\*", text)[2:4]
    position = seen.batch.tgt_out_labels[0].index(piece.replace("\u2060", "").replace("\\", ""))
    probabilities = seen.trace.logits[0, position].softmax(dim=-1)
    assert share == f"{float(probabilities.max()):.2f}"


def test_the_named_cells_are_framed() -> None:
    lens = pictures(at_stop(7))["lens_picture"]["spec"]
    (frame,) = lens["layout"]["shapes"]
    column = [line[round(frame["x0"] + 0.5)] for line in lens["data"][0]["told"][0]]
    words = re.findall(r"after layer \d: “(.+?)”", panel(at_stop(7)))
    assert column[1:] == [word.replace("\u2060", "") for word in words]


def test_the_heads_are_those_of_the_encoder_which_comes_first() -> None:
    at = at_stop(5, src="The little girl sees a black dog in the garden.")
    assert components(at)["heads_focus"]["kind"] == "encoder"
    layer, head = (1 + components(at)["heads_focus"][key] for key in ("layer", "head"))
    roles = re.findall(r"layer (\d) of the encoder, head (\d) \((.+?), (\d+)%\)", panel(at))
    assert roles
    assert roles[0][:2] == (str(layer), str(head))
    trace = explore(["The little girl sees a black dog in the garden."], model="translator").trace
    weights = trace.attention("encoder", layer - 1).weights[0, head - 1].numpy()
    beside = {"previous token": -1, "next token": 1}[roles[0][2]]
    share = float(np.diagonal(weights, beside).sum() / len(weights))  # one has none beside it
    assert roles[0][3] == f"{100 * share:.0f}"
    assert ("encoder", layer - 1, head - 1) not in heads_of_translator().taught


@pytest.mark.parametrize(
    ("number", "pattern"),
    [
        (4, r"“(.+?)” gives “(.+?)”"),
        (6, r"in the row “(.+?) → (.+?)” it"),
        (7, r"write after “(.+?)” after"),
        (8, r"“(.+?)” is written, this head, .*? looks at “(.+?)”"),
        (9, r"“(.+?)” has the logit"),
        (10, r"least sure at “(.+?)”"),
        (12, r"“(.+?)” is written, .*? looks at “(.+?)”"),
    ],
)
def test_words_that_occur_twice_have_their_positions(number: int, pattern: str) -> None:
    """Those of the German answer, or of a reversed source; or the row is named that writes them."""
    german = {"weights": "translator", "src": "I like the red house, and I like the red car."}
    twice = german if number in (7, 9, 10) else {"weights": "reverse", "src": "one one one"}
    (found,) = re.findall(pattern, panel(at_stop(number, pairs=1, **twice)))
    names = [found] if isinstance(found, str) else [*found]
    assert [name for name in names if re.search(r"\d · | → |[BE]OS", name)] == names


def test_the_shown_weight_is_of_a_head_that_was_not_taught() -> None:
    at = at_stop(4)
    layer, head = (at.selectbox(key=key).value for key in ("layer", "head"))
    assert ("encoder", layer - 1, head - 1) not in heads_of_translator().taught


def test_greedy_stands_where_the_model_is_least_sure_and_beams_begin_early() -> None:
    for number in (9, 10):
        at = at_stop(number, src="The little girl sees a black dog in the garden.")
        pieces = components(at)["answer_pieces"]["pieces"]
        least = min(range(len(pieces)), key=lambda place: pieces[place][2])
        assert f"{pieces[least][2]:.2f}" in panel(at)
        assert at.selectbox(key="at").value == (least + 1 if number == 9 else 3)


def test_the_row_in_words_is_the_row_on_show() -> None:
    at = at_stop(2, src="The cat sees a dog", pairs=1, word=40, stop=0, stack_shows="stop")
    (frame,) = pictures(at)["stop_picture"]["spec"]["layout"]["shapes"]
    row = pictures(at)["stop_picture"]["spec"]["layout"]["yaxis"]["ticktext"][
        round(frame["y0"] + 0.5)
    ]
    assert f"stand for “{row}”" in panel(at)
    decoder = {"pairs": 1, "word": 3, "stop": 25, "stack_shows": "stop"}
    (word,) = re.findall(
        r"stand for “(.+?)”", panel(at_stop(2, src="The cat sees a dog", **decoder))
    )
    assert word in (
        "cat",
        "dog",
    )  # a content word: position 3 of the target is no row of the source


def test_a_choice_that_was_changed_has_a_way_back() -> None:
    at = at_stop(8, attention="encoder")
    assert components(at)["heads_focus"]["kind"] == "encoder"
    press(at, "Back to the picture")
    assert components(at)["heads_focus"]["kind"] == "cross"
    assert "Back to the picture" not in [button.label for button in at.button]


def test_the_picture_follows_the_sentence_until_somebody_chooses() -> None:
    at = press(at_stop(8), "On to stop 9")
    at.switch_page(PAGES["decoding"][0])  # where the browser is now
    at.run()
    before = at.selectbox(key="at").value
    at.text_input(key="src").set_value("I know that the old dog has never eaten the fish.").run()
    after = at.selectbox(key="at").value
    assert after != before
    at.selectbox(key="at").set_value(1).run()
    at.text_input(key="src").set_value("We have already read the letter.").run()
    assert at.selectbox(key="at").value == 1
    assert "Back to the picture" in [button.label for button in at.button]


def go_on(at: AppTest, label: str) -> AppTest:
    """Press, and go where the browser then is."""
    press(at, label)
    at.switch_page(PAGES[session_of(at).page][0])
    return at.run()


def typed(at: AppTest, sentence: str) -> AppTest:
    """Type it in place of the sentence on show."""
    return at.text_input(key="src").set_value(sentence).run()


@pytest.mark.parametrize("sentence", ["Zborowski has read the zorblat.", "We have read it."])
@pytest.mark.parametrize("label", ["On to stop 2", "Leave"])
def test_what_is_typed_at_the_first_stop_stays(sentence: str, label: str) -> None:
    at = go_on(open_page("tour", weights="translator", src=SENTENCE), "Start the tour")
    assert go_on(typed(at, sentence), label).text_input(key="src").value == sentence


def test_beam_search_is_shown_where_it_wins_and_the_reader_s_sentence_comes_back() -> None:
    at = go_on(at_stop(9), "On to stop 10")
    assert at.text_input(key="src").value == EXAMPLE
    assert at.segmented_control(key="method").value == "beam"
    go_on(at, "On to stop 11")
    assert at.text_input(key="src").value == SENTENCE


@pytest.mark.parametrize("label", ["On to stop 11", "Leave", "Previous stop"])
def test_the_tenth_stop_takes_back_its_own_example_and_nothing_else(label: str) -> None:
    name = "Zborowski has read the book."
    assert (
        go_on(go_on(at_stop(9, src=name), "On to stop 10"), label).text_input(key="src").value
        == name
    )
    at = typed(go_on(at_stop(9), "On to stop 10"), name)
    assert go_on(at, label).text_input(key="src").value == name


def test_the_sentence_comes_back_to_its_own_pair() -> None:
    at = go_on(at_stop(9, pairs=2, src2="We have read it."), "On to stop 10")
    choose(at, pair=2).run()
    assert at.text_input(key="src2").value == "We have read it."
    go_on(at, "On to stop 11")
    assert [session_of(at).chosen[key] for key in ("src", "src2")] == [SENTENCE, "We have read it."]


def test_no_older_sentence_comes_over_a_newer_one() -> None:
    """After Back to before the tour, the stop has nothing to give back."""
    for newer in ("We have read the letter.", EXAMPLE):
        at = go_on(at_stop(9), "On to stop 10")
        choose(at, tour=None, src=SENTENCE).run()
        typed(at, newer)
        at.switch_page(PAGES["tour"][0])
        go_on(at.run(), "Start the tour")
        assert at.text_input(key="src").value == newer
        go_on(choose(at, tour=9).run(), "On to stop 10")
        assert at.text_input(key="src").value == EXAMPLE
        assert go_on(at, "Leave").text_input(key="src").value == newer


def test_on_another_page_the_stop_says_nothing() -> None:
    at = open_page("masks", weights="translator", tour=8, src=SENTENCE)
    assert "**Try:**" not in texts(at)
    assert go_on(at, "Back to the picture").title[0].value == "Who looks at whom?"


def test_the_feed_forward_network_is_that_of_the_word() -> None:
    at = at_stop(13)
    found = re.findall(r"At “(.+?)”, (\d+) of the 1,024 .*? of layer 4", panel(at))
    ((word, active),) = found
    seen = explore([SENTENCE], model="translator")
    hidden = seen.trace.encoder[3].feed_forward.hidden[0, seen.batch.src_labels[0].index(word)]
    assert int(active) == int((hidden > 0).sum())
    assert at.selectbox(key="stop").value == next(
        n
        for n, name in enumerate(at.selectbox(key="stop").options)
        if "4" in name and "feed" in name
    )


def test_leaving_and_going_on() -> None:
    at = press(at_stop(5), "Leave")
    assert "Tour · stop" not in texts(at)
    assert "tour" not in at.query_params
    at.switch_page(PAGES["tour"][0])
    at.run()
    press(at, "Go on at stop 5")
    assert "stop 5 of" in panel(at)


def _weights(at: AppTest) -> str:
    return str(next(box for box in at.selectbox if box.key == "weights").value)


@pytest.fixture
def trained() -> Iterator[dict[str, str]]:
    """The choice of weights that were trained here."""
    token = trained_here.keep(checkpoints.load(checkpoints.shipped("reverse")))
    yield {"weights": "here", "run": token}
    trained_here.drop(token)


@pytest.mark.parametrize(("stop", "label"), [("training", "On to stop 12"), ("", "Finish")])
def test_after_a_training_the_tour_goes_on_with_the_translator(
    stop: str, label: str, trained: dict[str, str]
) -> None:
    number = [one.page for one in TOUR_STOPS].index(stop) + 1 if stop else len(TOUR_STOPS)
    at = at_stop(number, **trained)
    assert _weights(at) == "here"
    press(at, label)
    assert session_of(at).page == (TOUR_STOPS[number].page if stop else "tour")
    assert _weights(at) == "translator"
    assert at.text_input(key="src").value == SENTENCE


@pytest.mark.all
def test_a_training_that_still_runs_is_not_what_the_next_stop_shows() -> None:
    at = at_stop([one.page for one in TOUR_STOPS].index("training") + 1)
    press(at, "Train")
    until(lambda: memory_of(at)[NOW].latest)  # steps
    press(at, "On to stop 12")
    assert session_of(at).page == "why"
    assert _weights(at) == "translator"
