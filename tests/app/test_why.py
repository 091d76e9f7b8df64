"""Why?: what the page shows is what `explorer.explore` computes, and what it says of bad input."""

import re
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.analysis.causes.asked import Asked
from explorer.analysis.causes.need import HeadNeed
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.exploration import explore
from explorer.notebook.heads_needed import need
from explorer.runtime.causes import Causes, sentence_of
from explorer.ui.why import difference, many
from explorer.views.why.heads import answer, need_in_words, telling_head
from explorer.views.why.parts import score_reason
from explorer.views.why.words import METHODS, best_and_worst, look_and_effect
from explorer.weights.catalogue import Shipped
from explorer.weights.catalogue import request as request_of
from tests.app.driving import (
    choose,
    components,
    memory_of,
    numbers,
    open_drawer,
    open_page,
    pictures,
    press,
    texts,
)
from tests.figures.reading import array, heatmaps

SENTENCE = "three one two"
ASKED: dict[str, Any] = {"weights": "reverse", "src": SENTENCE, "pairs": 1, "tokens": "words"}


def written(picture: dict[str, Any]) -> list[list[str]]:
    """The texts in the cells, all blocks side by side."""
    blocks = [trace["text"] for trace in heatmaps(picture["spec"])]
    return [[text for line in lines for text in line] for lines in zip(*blocks, strict=True)]


def as_numbers(line: list[str]) -> list[float]:
    return [float(text.replace("−", "-").replace("–", "0")) for text in line]


def test_all_methods_show_what_was_computed() -> None:
    at = open_page("why", why_at=1, ask="words", **ASKED)
    seen = explore(SENTENCE, model="reverse")
    drawn = written(pictures(at)["why_methods"])
    for line, method in zip(drawn, METHODS, strict=False):
        found = seen.attribute(1, method)
        assert found.source is not None
        assert found.prefix is not None
        wanted = [*found.source, *found.prefix[:2]]
        np.testing.assert_allclose(as_numbers(line), wanted, atol=0.0051)
    assert drawn[0] == written(pictures(at)["why_words"])[0]
    assert drawn[0][-1] == "–"  # of a word with BOS and one more before it, that one is not hidden
    assert "–" not in drawn[2]


def test_a_rival_changes_what_is_measured() -> None:
    at = open_page("why", why_at=1, rival="three", **ASKED)
    wanted = explore(SENTENCE, model="reverse").attribute(1, rival="three").source
    assert wanted is not None
    (line,) = written(pictures(at)["why_words"])
    np.testing.assert_allclose(as_numbers(line)[:3], wanted[:3], atol=0.0051)
    assert "Logit of" in texts(at)


@pytest.mark.parametrize("rival", ["nonsense", "one two", "<b>x</b>", "one"])
def test_an_impossible_rival_is_explained(rival: str) -> None:
    at = open_page("why", why_at=1, rival=rival, **ASKED)
    (info,) = at.info
    assert info.value.startswith("A rival must be")
    assert "why_words" not in pictures(at)


def test_best_are_all_that_leave_least() -> None:
    asked = Asked.of(Causes.of(explore(SENTENCE, model="reverse").run(), 1).question)
    log_p = {name: np.log([1.0, left]) for name, left in (("a", 0.1), ("b", 0.5), ("c", 0.101))}
    assert best_and_worst(asked, log_p) == (
        "Least is left in the order of a and c: 0.55 on average. Most is left in the order of b: "
        "0.75."
    )


def test_a_head_that_does_nothing_is_neither_named_nor_framed() -> None:
    asked = Asked.of(Causes.of(explore(SENTENCE, model="reverse").run(), 1).question)
    assert telling_head(asked, {"cross": np.array([[0.0, -0.01]])}) is None
    assert "without" not in answer(asked, {"cross": np.array([[0.0, -0.01]])}, None)[0]
    assert telling_head(asked, {"cross": np.array([[0.0, -1.0]])}) == ("cross", 0, 1)


def test_where_a_change_is_hardly_noticeable_no_share_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(difference, "VISIBLE", 100.0)
    at = open_page("why", ask="difference", why_other="three two two", why_at=1, **ASKED)
    (info,) = at.info
    assert info.value.startswith("B changes next to nothing here")
    assert "why_patch" not in pictures(at)


@pytest.mark.parametrize(
    ("weights", "src"),
    [("numbers", "einundzwanzig"), ("reverse", "Hello"), ("untrained", "Hello"), ("sort", None)],
)
def test_a_difference_opens_with_a_sentence_that_makes_one(weights: str, src: str | None) -> None:
    at = open_page("why", ask="difference", weights=weights, src=src)
    assert not at.info
    assert "why_patch" in pictures(at)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (
            -0.03,
            0.01,
            "Needed: layer 1, head 2 (cross), without which 0.03 ± 0.02 nats a token are lost (95%",
        ),
        (-0.03, 0.02, "No head is clearly needed: most is lost without layer 1, head 2 (cross)"),
        (-0.001, 0.0001, "No head is clearly needed: most is lost without layer 1, head 2 (cross)"),
        (
            0.03,
            0.01,
            "No head is clearly needed: most is lost without layer 1, head 1 (cross), 0.00",
        ),
    ],
)
def test_only_a_head_that_is_needed_is_said_to_be(change: float, error: float, text: str) -> None:
    """Neither one that does harm, nor one whose loss may be chance, or is almost 0."""
    changes, errors = (np.array([[0.0, number]]) for number in (change, error))
    found = HeadNeed(changes={"cross": changes}, errors={"cross": errors}, words=50, sentences=6)
    assert text in need_in_words(found)


def test_a_head_with_a_small_interval_is_needed_though_another_may_cost_more() -> None:
    changes, errors = np.array([[-0.05, -0.03]]), np.array([[0.04, 0.01]])
    found = HeadNeed(changes={"cross": changes}, errors={"cross": errors}, words=50, sentences=6)
    assert (
        "Needed: layer 1, head 2 (cross), without which 0.03 ± 0.02 nats a token"
        in need_in_words(found)
    )


def test_the_effect_of_a_piece_is_not_credited_to_the_head() -> None:
    """The key with the most weight may have helped, held back, or done nothing."""
    ran = explore(SENTENCE, model="reverse").run()
    causes = Causes.of(ran, 1, rival="three")  # of a difference of logits, any change is possible
    asked, attention = Asked.of(causes.question), ran.attention("cross", 1)
    found = causes.attributed("occlusion")
    assert found.source is not None
    key = int(attention.weights[0, 1].argmax())
    for change, text in (
        (2.0, "This piece mattered"),
        (-2.0, "This piece held it back"),
        (0.0, "A look is no cause"),
    ):
        source = np.zeros_like(found.source)
        source[key] = change
        occlusion = replace(found, source=source)
        effect = look_and_effect(asked, occlusion, attention, 0)
        assert text in effect
        assert "leaves a logit difference of " in effect


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"head": 6},
        {"attention": "cross", "layer": 2},
        {"attention": "decoder", "layer": 1, "head": 4},
    ],
)
def test_the_weights_are_those_of_the_head_on_the_attention_page(choices: dict[str, Any]) -> None:
    there = open_page("attention", weights="translator", **choices)
    named = re.search(r"layer (\d+) · head (\d+)", texts(there))
    assert named is not None
    layer, head = named.groups()
    here = open_page("why", weights="translator", **choices)
    assert f"layer {layer}, head {head} (" in texts(here)


def test_the_reason_of_a_score_in_words() -> None:
    ran = explore(SENTENCE, model="reverse").run()
    found = parts_of_score(sentence_of(ran), "encoder", 1, 0, 0, 1)
    kinds: list[str] = [part.what for part in found.key_parts]
    for kind, text in (
        ("embedding", "itself"),
        ("position", "where “one” stands"),
        ("feed-forward", "earlier layers"),
        ("biases", "biases"),
    ):
        values = np.zeros_like(found.values)
        values[:, kinds.index(kind)] = 1
        assert text in score_reason(replace(found, values=values), "one")
    assert score_reason(replace(found, values=-np.ones_like(found.values)), "one") == ""
    values[:, kinds.index("position")] = -0.9  # they cancel each other
    assert score_reason(replace(found, values=values), "one") == ""


def test_for_a_head_of_the_encoder_the_question_is_whether_it_is_needed() -> None:
    at = open_page("attention", attention="encoder", layer=1, head=3, **ASKED)
    press(at, "Does it matter?")
    assert not at.exception
    assert "without layer 1, head 3 (encoder)" in texts(at).replace("\\", "")


def test_for_a_head_of_the_decoder_the_question_is_about_its_strongest_row() -> None:
    at = open_page("attention", weights="translator", attention="cross")
    word = re.search(r"“\S+ → (\S+)” \(position (\d+)\) looks most at", texts(at))
    assert word is not None
    press(at, "Does it matter?")
    assert at.query_params["why_at"] == word[2]
    line = components(at)["answer_pieces"]
    assert line["pieces"][line["chosen"]][0] == word[1]
    assert f"Probability of “{word[1]}”" in texts(at)
    # Layer 3, head 1, of which somebody asked, is framed, though others put in more.
    drawn = pictures(at)["why_parts"]["spec"]
    cross, frame = heatmaps(drawn)[-1], drawn["layout"]["shapes"][-1]
    assert np.abs(array(cross["z"])).argmax() != 2 * 8
    assert (frame["x0"], frame["y0"]) == (cross["x0"] - 0.5, 1.5)


def restored(at: AppTest, key: str = "why_patch") -> np.ndarray:
    return np.concatenate([numbers(pictures(at)[key], n).ravel() for n in range(3)])


def test_the_share_that_b_restores_and_one_patch_applied() -> None:
    at = open_page("why", ask="difference", why_at=0, why_other="three one four", **ASKED)
    shares = restored(at)
    assert np.abs(shares).max() > 0.05
    choose(at, why_head="cross-1-1").run()
    share = 100 * numbers(pictures(at)["why_patch"], 2)[0, 0]
    said = f"With layer 1, head 1 (cross) alone taken from B, A comes {share:.0f}% of the way to B"
    assert said in texts(at).replace("\\", "")
    np.testing.assert_array_equal(restored(at), shares)


@pytest.mark.parametrize(
    ("other", "message"),
    [("three one", "as many pieces"), (f"{SENTENCE} ", "same as A"), (" ", "for B")],
)
def test_a_b_that_cannot_be_compared(other: str, message: str) -> None:
    at = open_page("why", ask="difference", why_at=0, why_other=other, **ASKED)
    assert any(message in info.value for info in at.info)
    assert components(at)["answer_pieces"]["chosen"] == 0  # it can be changed meanwhile


def test_the_head_in_the_address_is_framed_and_described() -> None:
    at = open_page("why", ask="heads", why_head="encoder-2-3", why_at=1, **ASKED)
    assert at.query_params["why_head"] == "encoder-2-3"
    assert any("layer 2, head 3 (encoder)" in text.value for text in at.text)
    seen = explore(SENTENCE, model="reverse")
    off = seen.what_if("encoder", 1, without_head=2)
    token = seen.batch.tgt_out[0, 1]
    with_it, without = (
        float(trace.logits[0, 1].log_softmax(-1)[token]) for trace in (seen.trace, off)
    )
    assert numbers(pictures(at)["why_off"], 0)[1, 2] == pytest.approx(with_it - without, abs=1e-5)


def test_the_time_that_is_left_does_not_grow_while_the_work_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request = request_of(Shipped("reverse"))
    job = many.Job(request=request, steps=iter([(0.5, None)] * 2), sentences=1)
    job.work()
    left = job.left
    later = time.monotonic() + 100
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert job.left == left > 0


def test_own_sentences_are_measured_step_by_step_and_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(many, "AT_A_TIME", -1.0)  # one step at a time
    at = open_page("why", ask="heads", **ASKED)
    memory_of(at)["unfolded"] = {"many": ("why", True)}
    at.run()
    at.text_area(key="why_sentences").set_value("one two\n\nthree four five\n").run()
    press(at, "Measure 2 sentences")
    job = memory_of(at)["why_job"]
    assert 0 < job.share < 1
    press(at, "Stop")
    assert "why_job" not in memory_of(at)
    assert at.text_area(key="why_sentences").value == "one two\n\nthree four five\n"
    press(at, "Measure 2 sentences")
    job = memory_of(at)["why_job"]
    while job.goes_on:
        job.work()
    at.run()
    found = need("reverse", ["one two", "three four five"])
    for n, kind in enumerate(found):
        np.testing.assert_array_equal(
            numbers(pictures(at)["why_need"], n), -found[kind].astype(np.float32)
        )
    assert any("of your 2 sentences" in caption.value for caption in at.caption)
    press(at, "Show it without your sentences")
    assert "over 50 sentences" in pictures(at)["why_need"]["caption"]


def test_about_a_target_without_a_word_nothing_is_asked() -> None:
    at = open_page("why", weights="untrained", tokens="ids", pairs=1, src="5 6", tgt="")
    assert "holds no word to ask about" in texts(at)
    assert "why_pieces" not in components(at)


def test_what_is_for_researchers_is_made_when_it_is_unfolded() -> None:
    at = open_page("why", **ASKED)
    assert {"why_words", "why_waterfall", "why_parts"} < components(at).keys()
    assert "why_methods" not in components(at)
    assert "why_methods" in components(open_drawer(at, "researchers").run())
    old = open_page("why", ask="parts", **ASKED)  # a link to what stands in sight now
    assert "why_waterfall" in components(old)
    assert not old.info
