"""How long a training will take, and how much memory, before it begins."""

import math
import time
from functools import cache

import torch

from explorer.config import ModelConfig, TrainConfig
from explorer.runtime.memory import estimate
from explorer.tasks.tasks import Task


@cache
def _operations_a_second() -> float:
    """What this machine makes of a matrix product of the size that training a small model has.

    In seconds of the thread: somebody else may be using the machine just now.
    """
    a, b = torch.rand(1024, 64), torch.rand(64, 256)
    best = math.inf
    for _ in range(8):
        start = time.thread_time()
        a @ b
        best = min(best, time.thread_time() - start)
    return 2 * a.shape[0] * a.shape[1] * b.shape[1] / best


def seconds_a_step(config: ModelConfig, training: TrainConfig, task: Task) -> float:
    """How long a step will take on this machine's CPU, within a factor of about two."""
    weights = config.n_weights
    tokens = training.batch_size * (task.longest + 1)
    layers = config.n_encoder_layers + 2 * config.n_decoder_layers
    scores = 12 * layers * tokens * (task.longest + 1) * config.d_model
    # Forward once, backward twice, two operations a weight; all that is not a product of
    # matrices takes about as long again in a small model, and every layer has its calls.
    return (6 * weights * tokens + scores) * 1.7 / _operations_a_second() + 0.0012 * layers


def required_memory(config: ModelConfig, training: TrainConfig, task: Task) -> int:
    """Bytes that training takes at most, roughly: weights, gradients, Adam's two moments; and
    what the backward pass needs of every forward pass."""
    length = task.longest + 1
    one = estimate(config, training.batch_size, length, length)
    return 4 * one.model + 2 * one.trace
