"""The same call gives the same numbers, whatever else happened or happens at the same time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from tests.properties.strategies import Case, cases, configs, seeds


@given(configs(), seeds)
def test_the_same_seed_gives_the_same_weights(config: ModelConfig, seed: int) -> None:
    one = Transformer(config, seed=seed).state_dict()
    torch.rand(3)  # the global random state is no part of it
    two = Transformer(config, seed=seed).state_dict()
    other = Transformer(config, seed=seed + 1).state_dict()
    assert one.keys() == two.keys()
    for name, weight in one.items():
        assert torch.equal(weight, two[name]), name
        drawn = weight.ndim == 2
        assert torch.equal(weight, other[name]) != drawn, name


@given(configs(), seeds, st.integers(0, 2), st.integers(0, 2))
def test_adding_layers_leaves_all_others_as_they_were(
    config: ModelConfig, seed: int, more_encoders: int, more_decoders: int
) -> None:
    small = Transformer(config, seed=seed).state_dict()
    deeper = replace(
        config,
        n_encoder_layers=config.n_encoder_layers + more_encoders,
        n_decoder_layers=config.n_decoder_layers + more_decoders,
    )
    large = Transformer(deeper, seed=seed).state_dict()
    assert small.keys() <= large.keys()
    for name, weight in small.items():
        assert torch.equal(weight, large[name]), name


@given(cases(), seeds)
def test_dropout_is_decided_by_its_generator_alone(case: Case, seed: int) -> None:
    def run(seed: int | None) -> torch.Tensor:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        return case.model(case.src, case.tgt, generator).src_embedding.out

    dropped, plain = run(seed), run(None)
    torch.rand(3)
    assert torch.equal(run(seed), dropped)
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], plain[kept] / 0.7)


@given(cases())
def test_modes_and_global_random_state_play_no_part(case: Case) -> None:
    before = torch.get_rng_state()
    Transformer(case.model.config)
    plain = case.model.eval()(case.src, case.tgt)
    generator = torch.Generator().manual_seed(0)
    case.model(case.src, case.tgt, generator)
    assert torch.equal(case.model.train()(case.src, case.tgt).logits, plain.logits)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_run_without_gradients_leaves_later_runs_as_they_are() -> None:
    """A length that was first seen in inference mode can still be trained on."""
    config = ModelConfig(d_model=4, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=4)
    model, ids = Transformer(config), torch.full((1, 37), 5)
    with torch.inference_mode():
        before = model(ids, ids)
        before.src_embedding.position.zero_()  # a change of a trace stays in that trace
    after = model(ids, ids)
    assert torch.equal(after.logits, before.logits)
    after.logits.square().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


@settings(max_examples=max(2, settings().max_examples // 5))
@given(cases(), cases())
def test_many_threads_on_one_model_do_not_disturb_each_other(one: Case, other: Case) -> None:
    model, vocabulary = one.model, one.model.config

    def readable(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
        return case.src % vocabulary.src_vocab_size, case.tgt % vocabulary.tgt_vocab_size

    def forward(turn: int) -> list[torch.Tensor]:
        """Every other turn reads the other batch, with dropout in every third."""
        generator = torch.Generator().manual_seed(turn) if turn % 3 == 0 else None
        trace = model(*batches[turn % 2], generator)
        last = trace.decoder[-1]
        return [trace.memory, trace.logits, last.attention.weights, last.cross.scores]

    batches = [readable(one), readable(other)]
    alone = [forward(turn) for turn in range(24)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(forward, range(24)))
    for expected, actual in zip(alone, together, strict=True):
        for a, b in zip(expected, actual, strict=True):
            torch.testing.assert_close(b, a, rtol=0, atol=1e-6)
