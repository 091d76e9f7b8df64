"""How the shipped checkpoints were trained."""

from dataclasses import replace
from typing import Final

import torch

from explorer.config import ModelConfig, TrainConfig
from explorer.tasks.tasks import TASKS, Task
from explorer.training.trainer import Trainer, accuracy, held_out
from explorer.transformer import Transformer
from explorer.weights.checkpoints import Checkpoint


def config_for(
    task: Task, *, d_model: int = 64, n_heads: int = 4, n_layers: int = 2, dropout: float = 0.0
) -> ModelConfig:
    """A model for the task, of the same size as the shipped ones."""
    src_vocab, tgt_vocab = task.vocabularies
    return ModelConfig(
        d_model=d_model,
        n_heads=n_heads,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        dropout=dropout,
        src_vocab_size=src_vocab.size,
        tgt_vocab_size=tgt_vocab.size,
    )


RECIPES: Final = {
    "reverse": TrainConfig(steps=2400, warmup=500),
    "copy": TrainConfig(steps=2000, warmup=500),
    "sort": TrainConfig(steps=8000, warmup=800, lr=3e-3, lone_heads=0.1),
    "numbers": TrainConfig(steps=800, warmup=200),
    "german": TrainConfig(steps=2500, warmup=400, lr=3e-3),
    "quotes": TrainConfig(steps=200, warmup=50, batch_size=16, lr=3e-3),
}


def train_shipped(name: str, seed: int = 0) -> Checkpoint:
    """Train the shipped checkpoint of one task, and print its progress."""
    torch.set_num_threads(1)  # sums over several threads differ from run to run
    task, config = TASKS[name], replace(RECIPES[name], seed=seed)
    model = Transformer(config_for(task), seed=seed)
    trainer, examples = Trainer(model, task, config), held_out(task, 1000)
    for step in trainer.steps():
        if step.number % 100 == 0:
            share = accuracy(model, examples)
            print(f"{name}: step {step.number}, loss {step.loss:.4f}, right {share:.1%}")
    return Checkpoint(
        task=task,
        model=model,
        training=config,
        steps=trainer.done,
        accuracy=accuracy(model, examples),
    )
