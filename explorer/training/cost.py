"""How long a training will take, and how much memory, before it begins."""

import math
import os
import time
from functools import cache

import torch

from explorer.config import ModelConfig, TrainConfig
from explorer.runtime.device import finish
from explorer.runtime.limits import cores
from explorer.runtime.memory import estimate
from explorer.tasks.tasks import Task


def seconds_a_step(
    config: ModelConfig, training: TrainConfig, task: Task, device: str = "cpu"
) -> tuple[float, float]:
    """How long a step will take: on an idle machine, and on one as busy as this one is now.

    A guess, for before the first steps: their speed is the better measure.
    """
    tokens = training.batch_size * (task.longest + 1)
    layers = config.n_encoder_layers + 2 * config.n_decoder_layers
    scores = 12 * layers * tokens * (task.longest + 1) * config.d_model
    # Forward once, backward twice, two operations a weight; all that is not a product of
    # matrices takes about as long again in a small model, and every layer has its calls.
    calls = 0.0012 * layers
    idle = (6 * config.n_weights * tokens + scores) * 1.7 / _operations_a_second(device) + calls
    return idle, idle * 2 * max(1.0, 1.5 * _busy())


def required_memory(config: ModelConfig, training: TrainConfig, task: Task) -> int:
    """Bytes that training takes at most, roughly.

    These are weights, gradients and Adam's two moments, and what the backward pass needs of every
    forward pass.
    """
    length = task.longest + 1
    one = estimate(config, training.batch_size, length, length)
    return 4 * one.model + 2 * one.trace


def _busy() -> float:
    """How many programs want each core at the moment; 1 where the system does not tell."""
    if not hasattr(os, "getloadavg"):  # Windows
        return 1.0
    return 1.0 + os.getloadavg()[0] / cores()


@cache
def _operations_a_second(device: str) -> float:
    """How fast the device is at a matrix product of the size that training a small model has.

    On the CPU in seconds of the thread: somebody else may be using the machine just now.
    """
    a, b = torch.rand(1024, 64, device=device), torch.rand(64, 256, device=device)
    clock = time.thread_time if device == "cpu" else time.perf_counter
    best = math.inf
    for _ in range(8):
        start = clock()
        a @ b
        finish(device)
        best = min(best, clock() - start)
    return 2 * a.shape[0] * a.shape[1] * b.shape[1] / best
