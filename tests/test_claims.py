"""Claims in texts of the tour, the words and the lab, tested with the shipped models."""

import re

import numpy as np
import pytest
import torch
from babel.messages.pofile import read_po

from explorer import explore
from explorer.languages import CATALOGUES
from explorer.mistakes.catalogue import MISTAKES
from explorer.notebook.exploration import Exploration
from explorer.weights.loaded import load

SOURCE = "I know that the dog has eaten the fish."


@pytest.fixture(scope="module")
def seen() -> Exploration:
    model = load("translator")
    return explore([SOURCE], model.answer([SOURCE]), model=model)


def test_a_sub_layer_may_add_a_longer_vector_than_its_input(seen: Exploration) -> None:
    shares = []
    x = seen.trace.tgt_embedding.out[0]
    for layer in seen.trace.decoder:
        for residual in (
            layer.attention_residual,
            layer.cross_residual,
            layer.feed_forward_residual,
        ):
            out = residual.out[0]
            shares += ((out - x).norm(dim=-1) / x.norm(dim=-1)).tolist()
            x = out
    assert max(shares) > 1


def test_without_the_division_the_weights_are_sharper(seen: Exploration) -> None:
    wrong = MISTAKES["unscaled_scores"].applied_to(load("translator").model)
    with torch.inference_mode():
        trace = wrong(seen.batch.src, seen.batch.tgt_in)
    largest = [
        float(found.attention("encoder", 0).weights.max(dim=-1).values.mean())
        for found in (seen.trace, trace)
    ]
    assert largest[1] > largest[0] + 0.1


def test_the_waves_are_longer_than_embeddings_that_are_not_multiplied(seen: Exploration) -> None:
    embedding = seen.trace.src_embedding
    assert float(embedding.position.norm(dim=-1).min()) > float(
        embedding.embedded[0].norm(dim=-1).max()
    )


def test_without_the_mask_later_words_are_seen_but_the_first_word_is_written_as_before(
    seen: Exploration,
) -> None:
    right, wrong = (
        load("translator").model,
        MISTAKES["no_causal"].applied_to(load("translator").model),
    )
    with torch.inference_mode():
        read = [model(seen.batch.src, seen.batch.tgt_in).logits[0, 0] for model in (right, wrong)]
        first = [
            model(seen.batch.src, seen.batch.tgt_in[:, :1]).logits[0, 0] for model in (right, wrong)
        ]
    assert float((read[0] - read[1]).abs().max()) > 0.1
    torch.testing.assert_close(first[0], first[1])


def test_softmax_over_the_queries_depends_on_later_tokens_not_only_on_their_number(
    seen: Exploration,
) -> None:
    wrong = MISTAKES["wrong_axis"].applied_to(load("translator").model)
    other = seen.batch.tgt_in.clone()
    other[0, -2] = other[0, 1]
    with torch.inference_mode():
        one, two = (wrong(seen.batch.src, tgt).logits[0, 0] for tgt in (seen.batch.tgt_in, other))
    assert float((one - two).abs().max()) > 1e-3


def test_no_text_names_a_head_or_writes_an_exponent_as_code() -> None:
    with (CATALOGUES / "de.po").open("rb") as file:
        texts = [text for message in read_po(file) for text in np.atleast_1d(message.id).tolist()]
    for text in texts:
        assert not re.search(r"(layer|head) \d", text), text
        assert "e^" not in text, text
