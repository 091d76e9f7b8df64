"""How the shipped checkpoints were trained."""

from dataclasses import replace

import pytest
import torch

from explorer.tasks.tasks import GERMAN, TASKS
from explorer.training import recipes
from explorer.training.recipes import RECIPES, config_for, train_shipped
from explorer.training.trainer import accuracy, held_out


def test_the_model_for_a_task_has_its_vocabularies() -> None:
    config = config_for(GERMAN, d_model=24, n_heads=3, n_layers=1, dropout=0.1)
    sizes = tuple(vocab.size for vocab in GERMAN.vocabularies)
    assert (config.src_vocab_size, config.tgt_vocab_size) == sizes
    assert (config.d_model, config.n_heads, config.d_ff, config.dropout) == (24, 3, 96, 0.1)
    assert (config.n_encoder_layers, config.n_decoder_layers) == (1, 1)


def test_a_checkpoint_says_what_its_model_can(monkeypatch: pytest.MonkeyPatch) -> None:
    short = replace(RECIPES["quotes"], steps=2)
    monkeypatch.setattr(recipes, "RECIPES", {"quotes": short})
    made, other = (train_shipped("quotes", seed) for seed in (3, 4))
    assert (made.task, made.steps, made.training) == (TASKS["quotes"], 2, replace(short, seed=3))
    assert made.accuracy == accuracy(made.model, held_out(TASKS["quotes"]))
    weights, others = (one.model.to_logits.weight for one in (made, other))
    assert not torch.equal(weights, others)
