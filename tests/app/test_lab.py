"""The lab: the differences of B, and its numbers against another computation."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from explorer import load
from explorer.analysis.side_by_side import total_variation
from explorer.analysis.what_if import AttentionChange, changed
from explorer.choices.other_order import exchanged, exchanges
from explorer.choices.parameters import USUAL
from explorer.forward import forward
from explorer.mistakes.catalogue import MISTAKES
from explorer.mistakes.effect import measured
from explorer.names import AttentionKind
from explorer.text import Batch
from explorer.transformer import Transformer
from explorer.ui.lab.sides import LONGER
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import Shipped, checkpoint
from tests.app.driving import components, numbers, open_page, pictures, state_of, texts
from tests.support.marks import rest

PAIRS = [("the cat sat here", "die Katze saß"), ("yes", "ja doch")]
CONFIG = replace(USUAL, src_vocab_size=VOCAB_SIZE, tgt_vocab_size=VOCAB_SIZE)
BATCH = Batch.from_text(*zip(*PAIRS, strict=True))


def check(
    at: Any, a: Transformer, b: Transformer, kind: AttentionKind, layer: int, head: int
) -> None:
    """Check that the pictures show what both compute, and what is said of the differences.

    Layers and heads count from 1, as on the page.
    """
    drawn, traces = pictures(at), [forward(model, BATCH) for model in (a, b)]
    weights = [trace.attention(kind, layer - 1).weights[0, head - 1].numpy() for trace in traces]
    apart = weights[1] - weights[0]
    for key, wanted in (("lab_a", weights[0]), ("lab_b", weights[1]), ("lab_difference", apart)):
        np.testing.assert_allclose(numbers(drawn[key]), wanted, atol=1e-5)
    logits = (trace.logits[0, :4] for trace in traces)
    for most, number, if_small in (
        (np.abs(apart).max(), r"(\S+) (?:more|less) in B than in A", "no cell differs"),
        (total_variation(*logits).max(), r"total variation (\d\.\d{3})", "the same words likely"),
    ):
        said = re.search(number, texts(at))
        assert said or if_small in texts(at)
        assert (float(said[1]) if said else 0.0) == pytest.approx(most, abs=5e-3)


def opened(**choices: Any) -> Any:
    return open_page("lab", **state_of(PAIRS, **choices))


ALWAYS = [mistake for mistake in MISTAKES if MISTAKES[mistake].shows == "always"]


@pytest.mark.parametrize("mistake", [*ALWAYS[:2], *rest(*ALWAYS[2:])])
def test_a_mistake(mistake: str) -> None:
    at = opened(differs="mistake", which_mistake=mistake, attention="decoder", layer=2, head=3)
    right = Transformer(CONFIG)
    check(at, right, MISTAKES[mistake].applied_to(right), "decoder", 2, 3)
    shown = texts(at)
    for part in (MISTAKES[mistake].written, MISTAKES[mistake].right, MISTAKES[mistake].symptom):
        assert part in shown
    assert f"**{measured().effects[mistake].n_right}** of them" in shown


def test_a_missing_head() -> None:
    at = opened(differs="head", lost_head="encoder-1-3", attention="cross", layer=2, head=1)
    model = Transformer(CONFIG)
    change = AttentionChange(without_head=2)
    without = changed(model, "encoder", 0, change)
    check(at, model, without, "cross", 2, 1)
    assert np.abs(numbers(pictures(at)["lab_difference"])).max() > 1e-4


def test_a_model_without_a_head_answers_itself() -> None:
    source, trained, said = "b d a c e f g h", load("reverse"), set()
    for layer in (1, 2):
        place = f"cross-{layer}-1"
        at = open_page("lab", weights="reverse", differs="head", lost_head=place, src=source)
        model = changed(trained.model, "cross", layer - 1, AttentionChange(without_head=0))
        answer = replace(trained, model=model).answer([source])[0].split()
        pieces = [piece[0] for piece in components(at)["lab_answer_b"]["pieces"]]
        longest = len(source.split()) + 1 + LONGER
        assert [piece for piece in pieces if piece != "EOS"] == answer[:longest]
        said |= {text for text in ("the same answer", "different answers") if text in texts(at)}
    assert said == {"the same answer", "different answers"}


def test_both_answers_and_whether_they_change() -> None:
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    source = "b d a c e f g h"
    for mistake, same in (("pad_queries", True), ("heads_not_merged", False)):
        at = open_page(
            "lab", weights="reverse", differs="mistake", which_mistake=mistake, src=source, pairs=1
        )
        shown = texts(at)
        assert "**A** answers: h g f e c a d b" in shown
        assert ("both write the same answer" in shown) == same
        assert ("they write different answers" in shown) != same
        assert ("**B** answers: h g f e c a d b" in shown) == same
        assert "both read the same words: the answer of A" in shown
    pieces = components(at)["lab_answer_a"]["pieces"]
    assert [piece[0] for piece in pieces] == [*"hgfecadb", "EOS"]
    other = open_page("lab", weights="reverse", differs="sentence", other_src="a b", src="b a")
    assert "**B** answers" in texts(other)
    assert "both read the same words" not in texts(other)


@pytest.mark.parametrize(
    ("mistake", "row"), [("no_causal", 0), ("columns", 1), ("sequence_first", 1)]
)
def test_an_answer_whose_words_cannot_be_predicted(mistake: str, row: int) -> None:
    sources, reverse = ["a b c d e", "e d c"], load("reverse")
    mistaken = replace(reverse, model=MISTAKES[mistake].applied_to(reverse.model))
    longest = len(sources[row].split()) + 1 + LONGER
    at = open_page("lab", weights="reverse", differs="mistake", which_mistake=mistake,
                   pairs=2, src=sources[0], src2=sources[1], pair=row + 1)  # fmt: skip
    pieces = [piece[0] for piece in components(at)["lab_answer_b"]["pieces"]]
    assert [piece for piece in pieces if piece != "EOS"] == (
        mistaken.answer(sources)[row].split()[:longest]
    )


def test_a_model_is_offered_only_what_it_can_do() -> None:
    at = opened(differs="mistake", divide=False, position_kind="learned")
    offered = at.selectbox(key="which_mistake").options
    for mistake in MISTAKES.values():
        can = mistake.id not in ("unscaled_scores", "doubled_exponent", "base_1000")
        assert (mistake.title in offered) == can


def test_a_head_that_somebody_has_chosen_stays_when_another_mistake_is_chosen() -> None:
    at = open_page("lab", differs="mistake", which_mistake="unscaled_embedding")
    at.selectbox(key="head").set_value(2).run()
    before = [at.query_params[key] for key in ("attention", "layer", "head")]
    other = next(mistake for mistake in ALWAYS if MISTAKES[mistake].kind != before[0])
    at.selectbox(key="which_mistake").set_value(other).run()
    assert at.query_params["which_mistake"] == other
    assert [at.query_params[key] for key in ("attention", "layer", "head")] == before


def test_exchanged_words() -> None:
    assert exchanged("I know that the dog ate the fish.") == "I know that the fish ate the dog."
    assert exchanged("I like cats more than dogs") == "I like more cats than dogs"
    assert exchanged("a b") == "b a"
    assert exchanges("My dog likes cats.") == [  # the middle first, then other long words
        "My likes dog cats.", "My dog cats likes.",
    ]  # fmt: skip
    assert exchanges("a a") == ["a a"]
    assert exchanged("a") == "a"
    assert exchanged("") == ""
