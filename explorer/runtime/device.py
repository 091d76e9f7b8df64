"""The devices that a model can run on."""

from contextlib import suppress
from typing import Final

import torch

from explorer.languages import tr

# What torch raises if a GPU or its driver has gone since the GPUs were counted.
GPU_ERRORS: Final = (RuntimeError, AssertionError)


def available_devices() -> list[str]:
    """The devices of this machine, best first: every "cuda:N", "mps" if there is one, "cpu"."""
    devices: list[str] = []
    with suppress(*GPU_ERRORS):
        devices = [f"cuda:{n}" for n in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        devices.append("mps")
    return [*devices, "cpu"]


def device_name(device: str) -> str:
    """The device's name for people."""
    if device.startswith("cuda"):
        try:
            return torch.cuda.get_device_name(device)
        except GPU_ERRORS:
            return tr("GPU that does not answer")
    return tr("Apple GPU") if device == "mps" else "CPU"


def finish(device: str) -> None:
    """Wait until `device` has finished its work.

    Raises:
        RuntimeError: if it failed; a GPU reports a failure only to a caller that waits for it.
    """
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()
