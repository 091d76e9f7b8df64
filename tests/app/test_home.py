"""The first page: the answer as it is written, and a picture in every block of the map."""

import base64
import re
from typing import Any

import numpy as np
import pytest

from explorer import explore, load
from explorer.analysis.lines import MIN_WEIGHT
from explorer.names import AttentionKind
from tests.app.driving import components, open_page, press, state_of, texts

SENTENCE = "She has read the book."
PAIRS = [
    ("the dog saw a cat", "der Hund sah"),
    ("it was an old dog that I saw", "es war er und ich"),
]


@pytest.fixture(scope="module")
def translated() -> Any:
    model = load("translator")
    return explore([SENTENCE], model.answer([SENTENCE]), model=model)


def stage(**choices: Any) -> dict[str, Any]:
    at = open_page("home", **choices)
    found: dict[str, Any] = components(at)["writing_stage"]
    return found


def blocks(**choices: Any) -> dict[str, dict[str, Any]]:
    """The blocks of the map by lane and name; of equal names, the first."""
    at = open_page("home", **choices)
    found: dict[str, dict[str, Any]] = {}
    for lane in components(at)["model_map"]["lanes"]:
        for part in lane["parts"]:
            for block in part.get("blocks", [part]):
                found.setdefault(f"{lane['title']}: {block['name']}", block)
    return found


def cells(block: dict[str, Any], number: int = 0) -> np.ndarray:
    picture = block["pictures"][number]
    shape = picture["count"], picture["rows"], picture["columns"]
    return np.frombuffer(base64.b64decode(picture["cells"]), np.uint8).reshape(shape)


def test_a_sentence_about_a_word_that_occurs_twice_names_its_position() -> None:
    """The reversed sentence by hand; BOS stands at position 0 of the target."""
    drawn = stage(weights="reverse", src="one two one three", pairs=1)
    named = [step["named"] for step in drawn["steps"]]
    assert [names["reads"] for names in named] == ["BOS", "three", "2 · one", "two", "4 · one"]
    assert [names["writes"] for names in named] == ["three", "2 · one", "two", "4 · one", "EOS"]
    keys = ["0 · one", "two", "2 · one", "three"]
    assert [names["key"] for names in named] == [
        keys[step["looks"][0][0]] for step in drawn["steps"]
    ]
    assert drawn["keys"] == ["one", "two", "one", "three"]  # the drawing shows where they stand


def test_the_stage_draws_the_aligning_head_and_the_likeliest_pieces(translated: Any) -> None:
    drawn = stage(weights="translator", src=SENTENCE, pairs=1)
    batch, trace = translated.batch, translated.trace
    assert "is written" in drawn["texts"]["looks"]
    assert drawn["keys"] == list(batch.src_labels[0])
    assert [step["writes"] for step in drawn["steps"]] == list(batch.tgt_out_labels[0])
    _, across = drawn["captions"]["cross"]
    layer, head = (int(n) - 1 for n in re.findall(r"(?:layer|head) (\d+)", across))
    weights = trace.attention("cross", layer).weights[0, head]
    shares = trace.logits[0].softmax(dim=-1)
    for at, step in enumerate(drawn["steps"]):
        for key, weight in step["looks"]:
            assert abs(weight - float(weights[at, key])) < 2e-3
        assert step["looks"][0][0] == int(weights[at].argmax())
        assert abs(step["rivals"][0][1] - float(shares[at].max())) < 1e-3
        assert step["rivals"][0][0] == step["writes"]  # greedy
        ((rest, share, _),) = step["rest"]
        assert rest == "all others"
        assert abs(share + sum(row[1] for row in step["rivals"]) - 1) < 1e-3
        assert "0.00" not in {text for *_, text in step["rivals"] + step["rest"]}


def test_the_lines_of_a_stack_are_the_means_of_its_heads(translated: Any) -> None:
    stacks, batch = stage(weights="translator", src=SENTENCE, pairs=1)["stacks"], translated.batch
    kinds: dict[AttentionKind, Any] = {"encoder": batch.src_labels, "decoder": batch.tgt_in_labels}
    for kind, labels in kinds.items():
        drawn = stacks[kind]
        assert drawn["words"] == list(labels[0])
        found = np.frombuffer(base64.b64decode(drawn["lines"]), np.uint8).reshape(-1, 4)
        for layer in range(translated.model.config.layers_of(kind)):
            means = translated.trace.attention(kind, layer).weights[0].mean(dim=0).numpy()
            in_layer = np.zeros_like(means)
            for _, query, key, weight in found[found[:, 0] == layer]:
                in_layer[query, key] = weight / 255
            wanted = np.where(means >= MIN_WEIGHT, means, 0)
            np.testing.assert_allclose(in_layer, wanted, atol=2.1e-3)


def test_each_piece_has_the_word_that_it_translates() -> None:
    drawn = stage(weights="translator", src="She has read the book.")
    sources = {step["writes"]: step["from"] for step in drawn["steps"]}
    assert sources | {"Sie": "She", "Buch": "book", "gelesen": "read"} == sources
    assert sources["."] == ""
    ended = stage(weights="translator", src="Hello")["steps"][-1]
    assert (ended["writes"], ended["from"]) == ("EOS", "")
    assert not any(step["from"] for step in stage(weights="untrained", src="a b")["steps"])


def test_what_is_not_english_is_not_played_and_a_click_brings_an_english_sentence() -> None:
    at = open_page("home", weights="translator", src="你好，世界")
    assert "writing_stage" not in components(at)
    press(at, "Show an English sentence")
    assert "writing_stage" in components(at)
    assert at.text_input(key="src").value == "I know that the dog has eaten the fish."


def test_a_typed_target_is_not_called_the_models() -> None:
    drawn = stage(weights="untrained", **state_of(PAIRS))
    assert "is written" not in drawn["texts"]["looks"]
    assert [step["writes"] for step in drawn["steps"]] == ["der", "Hund", "sah", "EOS"]
    assert "averaged" in drawn["captions"]["cross"][1]


@pytest.mark.parametrize("choices", [{"src": ""}, {"tokens": "ids", "src": "5 6", "tgt": "7 8"}])
def test_without_anything_to_write_there_is_no_stage(choices: dict[str, Any]) -> None:
    at = open_page("home", weights="untrained", pairs=1, **choices)
    assert "writing_stage" not in components(at)


def test_the_pictures_of_the_map_are_the_trace() -> None:
    choices = {"weights": "untrained", "d_model": 24, "heads": 3, "enc": 1, "dec": 1}
    found = blocks(**state_of(PAIRS), **choices)
    sources, targets = zip(*PAIRS, strict=True)
    seen = explore(sources, targets, d_model=24, n_heads=3, n_layers=1)
    kinds: dict[str, AttentionKind] = {
        "Encoder: Self-attention": "encoder",
        "Decoder: Masked self-attention": "decoder",
        "Decoder: Cross-attention": "cross",
    }
    for name, kind in kinds.items():
        trace = seen.trace.attention(kind, 0)
        weights = trace.weights[0].numpy()
        shut = ~trace.mask.expand_as(trace.weights)[0].numpy()
        drawn = cells(found[name])
        assert (drawn[shut] == 0).all()
        assert shut.any()
        np.testing.assert_allclose((drawn[~shut] - 1.0) / 254, weights[~shut], atol=2.1e-3)
    memory = seen.trace.memory[0].numpy()
    np.testing.assert_allclose(
        (cells(found["Encoder: Memory"])[0] - 128.0) / 127,
        memory / np.abs(memory).max(),
        atol=4.1e-3,
    )


def test_the_picture_of_a_long_sentence_is_coarser_and_keeps_the_largest_weight() -> None:
    words = " ".join(f"w{n}" for n in range(60))
    found = blocks(weights="untrained", pairs=1, src=words, tgt="x y")
    drawn = cells(found["Encoder: Self-attention"])
    assert drawn.shape == (4, 20, 20)
    weights = explore([words], ["x y"], d_model=64, n_heads=4).trace.attention("encoder", 0).weights
    assert abs((drawn.max() - 1) / 254 - float(weights.max())) < 2.1e-3


def test_an_answer_that_was_cut_off_does_not_end() -> None:
    drawn = stage(weights="reverse", pairs=1, src=" ".join(f"w{n}" for n in range(40)))
    at = open_page("tokens", weights="reverse", pairs=1, src=" ".join(f"w{n}" for n in range(40)))
    ended = "EOS" in str(components(at)["answer_pieces"]["pieces"])
    assert (drawn["steps"][-1]["writes"] == "EOS") == ended


def test_watching_begins_with_the_first_word_and_plays() -> None:
    at = open_page("home", weights="reverse", src="a b c")
    press(at, "Watch it choose every word")
    assert at.query_params["at"] == "1"
    assert components(at)["player"]["plays"]
    at.run()
    assert not components(at)["player"]["plays"]


def test_bytes_are_explained_where_there_are_any() -> None:
    assert "is a byte" in texts(open_page("home", weights="translator", src="I 😀 you."))
    assert "is a byte" not in texts(open_page("home", weights="translator", src="I see you."))
