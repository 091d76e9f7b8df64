"""The time and memory that a training will take, estimated before it begins."""

import math
import os
import time
from functools import cache

import torch

from explorer.config import ModelConfig, TrainConfig
from explorer.runtime.device import GPU_ERRORS, finish
from explorer.runtime.limits import cores
from explorer.runtime.memory import estimate
from explorer.tasks.tasks import Task


def seconds_a_step(
    config: ModelConfig, training: TrainConfig, task: Task, device: str = "cpu"
) -> tuple[float, float]:
    """The seconds a step will take on an idle machine, and on one as busy as this one is now.

    This is a guess: once training runs, its speed is the better measure.
    """
    tokens = training.batch_size * (task.longest + 1)
    layers = config.n_encoder_layers + 2 * config.n_decoder_layers
    scores = 12 * layers * tokens * (task.longest + 1) * config.d_model
    # The forward pass counts once, the backward pass twice, with two operations per weight. In a
    # small model, everything but the matrix products takes about as long again, and every layer
    # adds the overhead of its calls.
    calls = 0.0012 * layers
    idle = (6 * config.n_weights * tokens + scores) * 1.7 / _speed(device) + calls
    return idle, idle * 2 * max(1.0, 1.5 * _busy())


def required_memory(config: ModelConfig, training: TrainConfig, task: Task) -> int:
    """Bytes that training takes at most, roughly.

    They hold the weights, the gradients, Adam's two moments, and the part of each forward pass that
    the backward pass needs.
    """
    length = task.longest + 1
    one = estimate(config, training.batch_size, length, length)
    return 4 * one.model + 2 * one.trace


def _busy() -> float:
    """The number of programs that want each core now; 1 if the system does not tell."""
    if not hasattr(os, "getloadavg"):  # Windows
        return 1.0
    return 1.0 + os.getloadavg()[0] / cores()


def _speed(device: str) -> float:
    """Operations a second; those of the CPU if a GPU is full or gone."""
    try:
        return _operations_a_second(device)
    except GPU_ERRORS:
        return _operations_a_second("cpu")


@cache
def _operations_a_second(device: str) -> float:
    """The speed of the device at a matrix product of the usual size in a small model.

    On the CPU it is that of one thread, in the thread's own time: other programs may be using the
    machine, and threads that wait for each other would count their waiting.
    """
    a, b = torch.rand(1024, 64, device=device), torch.rand(64, 256, device=device)
    clock = time.thread_time if device == "cpu" else time.perf_counter
    best, threads = math.inf, torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for _ in range(8):
            start = clock()
            a @ b
            finish(device)
            best = min(best, clock() - start)
    finally:
        torch.set_num_threads(threads)
    return 2 * a.shape[0] * a.shape[1] * b.shape[1] / best
