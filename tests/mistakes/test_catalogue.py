"""Every mistake computed a second time by hand, and what it must leave alone."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from explorer.config import ModelConfig
from explorer.mistakes.catalogue import ALL, MISTAKES, Mistake
from explorer.names import ATTENTION_KINDS
from explorer.transformer import Transformer, TransformerTrace
from tests.mistakes.by_hand import ByHand
from tests.properties.strategies import perturbed

# Of unequal lengths, with PAD at the end, and in the last target at the start and in the middle.
SRC = torch.tensor([[2, 3, 4, 5, 1], [6, 7, 1, 1, 1], [8, 2, 2, 1, 1]])
TGT = torch.tensor([[3, 4, 5, 6], [1, 2, 0, 0], [0, 2, 7, 0]])
EVERY = pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.id)
NORMS = pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])


def model_of(**more: Any) -> Transformer:
    config = ModelConfig(**{**dict(d_model=12, n_heads=3, n_encoder_layers=2, n_decoder_layers=2,
                         d_ff=10, dropout=0.0, src_vocab_size=9, tgt_vocab_size=8,
                         src_pad_id=1, tgt_pad_id=0), **more})  # fmt: skip
    return perturbed(Transformer(config)).double()


def run(model: Transformer, src: Tensor = SRC, tgt: Tensor = TGT) -> TransformerTrace:
    with torch.inference_mode():
        trace: TransformerTrace = model(src, tgt)
    return trace


def weights_of(trace: TransformerTrace) -> dict[str, list[Tensor]]:
    stacks = {"encoder": trace.encoder, "decoder": trace.decoder, "cross": trace.decoder}
    return {
        kind: [trace.attention(kind, layer).weights for layer in range(len(stacks[kind]))]
        for kind in ATTENTION_KINDS
    }


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-6)


@NORMS
@pytest.mark.parametrize("mistake", ["", *MISTAKES])
def test_the_run_is_the_one_computed_by_hand(mistake: str, norm_first: bool) -> None:
    model = model_of(norm_first=norm_first)
    hand = ByHand(model, mistake)
    expected = hand.logits(SRC, TGT)
    trace = run(MISTAKES[mistake].applied_to(model) if mistake else model)
    close(trace.logits, expected)
    for kind, layers in weights_of(trace).items():
        for weights, expected_weights in zip(layers, hand.weights[kind], strict=True):
            close(weights, expected_weights)


@NORMS
@EVERY
def test_it_makes_a_difference_where_it_should(mistake: Mistake, norm_first: bool) -> None:
    model = model_of(norm_first=norm_first)
    right, wrong = run(model).logits, run(mistake.applied_to(model)).logits
    sentence_differs = [
        not torch.allclose(one[words], other[words])
        for one, other, words in zip(right, wrong, TGT != 0, strict=True)
    ]
    if mistake.shows == "dropout":
        assert not any(sentence_differs)
    elif mistake.shows == "pad_left":
        assert sentence_differs == [False, False, True]
    else:
        assert any(sentence_differs)


@NORMS
@pytest.mark.parametrize("mistake", ["", "dropout_after_norm"])
def test_dropout_is_applied_where_the_mistake_says(mistake: str, norm_first: bool) -> None:
    model = model_of(norm_first=norm_first, dropout=0.4)
    expected = ByHand(model, mistake, Generator().manual_seed(3)).logits(SRC, TGT)
    mistaken = MISTAKES[mistake].applied_to(model) if mistake else model
    with torch.inference_mode():
        logits = mistaken(SRC, TGT, Generator().manual_seed(3)).logits
    close(logits, expected)


@EVERY
def test_the_right_model_stays_as_it_was_and_the_weights_are_the_same_ones(
    mistake: Mistake,
) -> None:
    model = model_of()
    config, before, parts = model.config, run(model).logits, [*model.modules()]
    mistaken = mistake.applied_to(model)
    run(mistaken)
    assert model.config == config
    assert [*model.modules()] == parts
    assert torch.equal(run(model).logits, before)
    own, its = model.own_weights(), mistaken.own_weights()
    assert own.keys() == its.keys()
    for name, tensor in own.items():
        assert tensor.data_ptr() == its[name].data_ptr(), name


@EVERY
def test_only_some_sentences_of_a_batch_influence_each_other(mistake: Mistake) -> None:
    model = mistake.applied_to(model_of())
    alone = run(model, SRC[:1], TGT[:1]).logits
    assert torch.allclose(alone, run(model).logits[:1]) != mistake.across


@pytest.mark.parametrize(
    ("mistake", "changes"),
    [
        ("no_causal", {"n_decoder_layers": 0, "output": "masked"}),
        ("queries_from_encoder", {"n_encoder_layers": 0}),
        ("doubled_exponent", {"positions": "learned"}),
        ("base_1000", {"positions": "rotary"}),
        ("unscaled_scores", {"scale_scores": False}),
        ("unscaled_embedding", {"scale_embedding": False}),
        ("pad_queries", {"n_decoder_layers": 0, "output": "masked"}),
        ("sequence_first", {"positions": "alibi"}),
    ],
)
def test_a_model_that_cannot_make_it_says_why(mistake: str, changes: dict[str, Any]) -> None:
    model = model_of(**changes)
    assert MISTAKES[mistake].why_impossible(model.config)
    with pytest.raises(ValueError, match="needs another model: "):
        MISTAKES[mistake].applied_to(model)


@EVERY
def test_a_stack_alone_can_make_all_other_mistakes(mistake: Mistake) -> None:
    for changes in ({"n_encoder_layers": 0}, {"n_decoder_layers": 0, "output": "masked"}):
        model = model_of(**changes)
        if mistake.why_impossible(model.config):
            continue
        src, tgt = (SRC, None) if model.config.has_encoder else (None, TGT)
        with torch.inference_mode():
            assert mistake.applied_to(model)(src, tgt).logits.isfinite().all()


def test_other_settings_of_the_model_are_kept() -> None:
    model = model_of(tying="logits", activation="gelu", positions="halves", norm="rms")
    for mistake in ALL:
        mistaken = mistake.applied_to(model)
        kept = replace(mistaken.config, scale_scores=True, scale_embedding=True)
        assert kept == model.config
        assert run(mistaken).logits.isfinite().all()
