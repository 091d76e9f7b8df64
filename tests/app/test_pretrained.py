"""Pretrained models on every page: their own numbers, and a sentence for what they lack."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from explorer.exploration import explore
from explorer.weights.loaded import load
from tests.app.driving import (
    components,
    matrices,
    numbers,
    open_page,
    pictures,
    session_of,
    texts,
    unlinked,
)
from tests.app.pretrained import CONFIGS, WORDS
from tests.figures.reading import heatmaps

SENTENCE = "the cat sat"
IDS = torch.tensor([[3, 4, 5, 1]]), torch.tensor([[0, 3, 4]])


WHY = {
    "words": "why_words",
    "parts": "why_waterfall",
    "difference": "why_patch",
    "heads": "why_off",
    "score": "why_score",
}


pytestmark = pytest.mark.usefixtures("models")


def test_the_question_is_about_the_guess_for_a_masked_word() -> None:
    at = open_page("why", weights="bert", src=f"{WORDS[3]} [MASK] {WORDS[4]}")
    pieces = components(at)["why_pieces"]
    assert pieces["pieces"][pieces["chosen"]][0] == "[MASK]"
    picture = pictures(at)["why_words"]
    assert re.match(r"Probability of “\w+” at “\[MASK\]”: ", picture["alt"])
    assert [side["name"] for side in heatmaps(picture["spec"])] == ["what it reads"]


@pytest.mark.parametrize("name", ["marian", "t5", "bert"])
def test_without_a_sentence_nothing_is_asked(name: str) -> None:
    """It would still read the pieces that frame a sentence."""
    at = open_page("why", weights=name, src=" ")
    assert at.info[0].value.startswith("Type a source sentence")
    assert "why_words" not in pictures(at)


@pytest.mark.parametrize("name", CONFIGS)
def test_every_question_about_causes_is_answered(name: str) -> None:
    """With a picture, or with a sentence that says why there is none: two of each model."""
    first = 2 * [*CONFIGS].index(name)
    for ask in ([*WHY] * 3)[first : first + 2]:
        key = WHY[ask]
        at = open_page("why", weights=name, src="4 5 6" if name == "ids" else SENTENCE, ask=ask)
        assert not at.error
        assert key in pictures(at) or at.info, ask


def test_a_dimension_that_the_model_lacks_is_not_taken_for_the_last() -> None:
    at = open_page("why", weights="ids", src="4 5 6")
    at.text_input(key="why_dimension").set_value("16").run()
    assert "why_dimension" not in session_of(at).chosen
    assert "a whole number from 0 to 15, not “16”" in texts(at).replace("\\", "")
    at.text_input(key="why_dimension").set_value("15").run()
    assert session_of(at).chosen["why_dimension"] == 15
    assert "a whole number" not in texts(at)


def test_an_encoder_has_no_probability_of_what_stands_there_and_a_hint_that_may_be_typed() -> None:
    at = open_page("why", weights="bert", src=SENTENCE)
    assert all(share == "" for _, share, _ in components(at)["why_pieces"]["pieces"])
    hint = at.text_input(key="rival").placeholder.removeprefix("a rival, such as ")
    at.text_input(key="rival").set_value(hint).run()
    assert f"minus logit of “{hint}”" in texts(at)


def test_the_code_of_a_stop_that_only_some_models_have() -> None:
    at = open_page("stack", weights="bert", src=SENTENCE, drawer="code")
    (stop,) = (
        at for at, name in enumerate(at.selectbox(key="stop").options) if "output head" in name
    )
    at = open_page("stack", weights="bert", src=SENTENCE, drawer="code", stop=stop)
    assert any("self.dense(x)" in code.value for code in at.code)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("letters", "cross"), ("t5", "cross"), ("marian", "cross"), ("bert", "encoder"),
     ("gpt2", "decoder")],
)  # fmt: skip
def test_the_weights_are_those_of_the_model(name: str, kind: Any) -> None:
    at = open_page("attention", weights=name, src=SENTENCE, attention=kind, layer=1, head=2)
    loaded = load(name)
    trace = explore([SENTENCE], model=loaded).trace
    drawn = numbers(pictures(at)["one_head"])
    wanted = trace.attention(kind, 0).weights[0, 1].numpy()
    np.testing.assert_allclose(np.nan_to_num(drawn), wanted, atol=2e-3)


@pytest.mark.parametrize(
    ("name", "page", "why"),
    [
        ("bert", "decoding", "bert is an encoder alone: it has no target"),
        ("bert", "tokens", "bert is an encoder alone: it has no target"),
        ("bert", "masks", "bert is an encoder alone: it has no target"),
        ("gpt2", "tokens", "gpt2 is a decoder alone: it has no source"),
        ("gpt2", "masks", "gpt2 is a decoder alone: it has no source"),
    ],
)
def test_a_missing_part_is_explained(name: str, page: str, why: str) -> None:
    at = open_page(page, weights=name, src=SENTENCE)
    assert any(info.value.startswith(why) for info in at.info)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_a_score_of_t5_is_the_product_plus_the_bias_of_the_distance(kind: Any) -> None:
    at = open_page(
        "steps", weights="t5", src=SENTENCE, attention=kind, step="scores", form="matrix"
    )
    drawn = matrices(pictures(at)["step_picture"])
    np.testing.assert_allclose(drawn["scores"], drawn["dots"] + drawn["bias"], atol=2e-3)
    assert np.ptp(drawn["bias"]) > 0
    bias = load("t5").model(*IDS).attention(kind, 0).bias
    assert bias is not None
    assert drawn["bias"][1, 0] == pytest.approx(float(bias[0, 1, 0]), abs=2e-3)
    assert "It does not divide by √d_k" in pictures(at)["step_picture"]["caption"]


def tour_text(page: str, **choices: Any) -> str:
    return unlinked(texts(open_page(page, **choices)))


@pytest.mark.parametrize("name", ["t5", "marian"])
def test_the_tour_counts_the_pieces_of_the_sentence_alone(name: str) -> None:
    assert "into 3 pieces" in tour_text("tokens", weights=name, src=SENTENCE, tour=1)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("t5", ["encoder", "decoder", "cross"]), ("bert", ["encoder"]), ("gpt2", ["decoder"])],
)
def test_only_its_own_attentions_are_offered(name: str, kinds: list[str]) -> None:
    stacks = components(open_page("attention", weights=name, src=SENTENCE))["heads_view"]["stacks"]
    assert [stack["kind"] for stack in stacks] == kinds


def test_a_damaged_model_is_named(models: Path) -> None:
    (models / "damaged").mkdir()
    (models / "damaged" / "config.json").write_text('{"model_type": "mamba"}')
    at = open_page("home", weights="damaged", src="hello")
    assert "“damaged” cannot be read" in at.info[0].value
    assert at.selectbox(key="weights").value == "translator"


def test_a_model_without_a_tokenizer_opens_on_ids() -> None:
    at = open_page("home", weights="ids")
    assert not at.info
    assert all(word.isdigit() for word in at.text_input(key="src").value.split())
    at.selectbox(key="weights").select("translator").run()
    assert at.text_input(key="src").value == "I know that the dog has eaten the fish."


@pytest.mark.parametrize(("name", "level"), [("bert", "words"), ("gpt2", "ids"), ("t5", "words")])
def test_another_tokenizer_leaves_the_model_and_keeps_the_sentence(name: str, level: str) -> None:
    at = open_page("attention", weights=name, src=SENTENCE)
    at.segmented_control(key="tokens").set_value(level).run()
    assert at.selectbox(key="weights").value == "untrained"
    assert at.text_input(key="src").value != ""


@pytest.mark.parametrize("choice", [{"enc": 3}, {"tokens": "words"}, {"heads": 1}])
def test_an_address_cannot_change_its_shape(choice: dict[str, Any]) -> None:
    at = open_page("attention", weights="bert", src=SENTENCE, **choice)
    assert at.selectbox(key="weights").value == "bert"


@pytest.mark.parametrize("name", ["letters", "gpt2"])
def test_no_more_is_read_than_it_has_positions(name: str) -> None:
    open_page("attention", weights=name, src="the cat " * 30, length=64)


def test_a_model_taken_away_while_it_is_on_show_makes_room_for_the_usual_one(
    models: Path, tmp_path: Path
) -> None:
    shutil.copytree(models / "bert", models / "passing")
    at = open_page("attention", weights="passing", src=SENTENCE)
    shutil.rmtree(models / "passing")
    at.text_input(key="src").set_value("the dog sat").run()
    assert at.selectbox(key="weights").value == "translator"


def test_a_changed_model_is_read_again(models: Path) -> None:
    shutil.copytree(models / "bert", models / "growing", dirs_exist_ok=True)

    def drawn() -> np.ndarray:
        at = open_page("attention", weights="growing", src=SENTENCE, layer=1)
        return numbers(pictures(at)["one_head"])

    before = drawn()
    path = models / "growing" / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    name = "bert.encoder.layer.0.attention.self.query.weight"
    tensors[name] = 30 * torch.randn_like(tensors[name])
    safetensors.torch.save_file(tensors, path)
    assert not np.allclose(before, drawn())


def test_a_decoder_that_reads_ids_goes_on_from_both_fields(models: Path) -> None:
    """Without a tokenizer as with one: source, then target; *Decoding* goes on from the source."""
    folder = models / "gpt2-ids"
    shutil.copytree(models / "gpt2", folder, ignore=shutil.ignore_patterns("tokenizer.json"))
    how = {"eos_token_id": 1, "no_repeat_ngram_size": 2, "num_beams": 4, "do_sample": True}
    (folder / "generation_config.json").write_text(json.dumps(how))
    (answer,) = load(folder).answer(["3 4 5"])
    page = open_page("decoding", weights="gpt2-ids", src="3 4 5", tgt="6 7", at=1)
    said, first = texts(page), answer.split()[0]
    assert page.selectbox(key="at").options[0] == f"3 · {first}"  # its position, after 0, 1 and 2
    assert "has read: **3 4 5**" in said
    assert f"The whole answer: {answer}" in said
    assert "As its files ask for: no_repeat_ngram_size = 2." in said
    assert "also ask for num_beams = 4, do_sample = True: that is not followed here." in said
    beam = explore("3 4 5", "6 7", model=load(folder)).decode("beam", width=4).about
    assert "As its files ask for: no_repeat_ngram_size = 2, num_beams = 4." in beam
    assert "also ask for do_sample = True: that is not followed here." in beam
    drawn = numbers(
        pictures(open_page("attention", weights="gpt2-ids", src="3 4 5", tgt="6 7"))["one_head"]
    )
    assert drawn.shape == (5, 5)
