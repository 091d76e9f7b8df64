"""Where the model runs, and how much memory a run will need."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import torch

from explorer.config import ModelConfig

_MIB: Final = 2**20
WORKER_MEMORY: Final = 230 * _MIB  # a training process: torch, a small model and its gradients
# What torch raises for a GPU whose driver, or which itself, has gone since it was counted.
GPU_ERRORS: Final = (RuntimeError, AssertionError)
_TRIM_FROM, _MMAP_FROM, _ARENAS = -1, -3, -8  # names of settings in glibc's malloc.h


def available_devices() -> list[str]:
    """The devices of this machine, best first: every "cuda:N", "mps" where there is one, "cpu"."""
    devices: list[str] = []
    with suppress(*GPU_ERRORS):
        devices = [f"cuda:{n}" for n in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        devices.append("mps")
    return [*devices, "cpu"]


def device_name(device: str) -> str:
    """What a person calls the device."""
    if device.startswith("cuda"):
        try:
            return torch.cuda.get_device_name(device)
        except GPU_ERRORS:
            return "GPU that does not answer"
    return "Apple GPU" if device == "mps" else "CPU"


def finish(device: str) -> None:
    """Wait until `device` has done what it was told.

    Raises:
        RuntimeError: where it could not; a GPU says so only when one waits for it.
    """
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()


def memory_limit() -> int:
    """Bytes this process may use: the container's limit where there is one, else the machine's."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_cgroup_limits()])


def cores() -> int:
    """Cores this process may use: the container's share where there is one, else the machine's."""
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, int(min([machine or 1, *_cgroup_cores()])))


def free_memory(device: str) -> int:
    """Bytes that a new model and its trace may take on `device`; none on a GPU that is gone."""
    if device.startswith("cuda"):
        try:
            free, _ = torch.cuda.mem_get_info(device)
        except GPU_ERRORS:
            return 0
        return free
    return max(0, min(memory_limit() - resident_memory() - workers_memory(), _available_memory()))


def resident_memory() -> int:
    """Bytes of memory this process holds now."""
    statm = Path("/proc/self/statm")
    if not statm.exists():  # not Linux: what torch, streamlit and plotly take after a start
        return 300 * 2**20
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def workers_memory() -> int:
    """Bytes that this process's children hold, or will in a moment."""
    children = 0
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            children += len(listed.read_text().split())
    return children * WORKER_MEMORY


def _available_memory() -> int:
    """What the machine has left, where the kernel tells."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return memory_limit()
    facts = dict(line.split(":") for line in meminfo.read_text().splitlines())
    return int(facts["MemAvailable"].split()[0]) * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """Bytes that a model and one trace of it take."""

    model: int
    trace: int
    encoded: int  # of the trace, what comes from the source alone


def estimate(config: ModelConfig, batch: int, src: int, tgt: int) -> MemoryEstimate:
    """What a model and one trace of (batch, src) and (batch, tgt) ids take, before running.

    The count follows the fields of the trace; a tensor that is a view of another is counted too.
    """
    d, ff, heads = config.d_model, config.d_ff, config.n_heads
    attention, norm, feed_forward = 4 * d * d + 4 * d, 2 * d, 2 * d * ff + ff + d
    weights = (
        (config.src_vocab_size + config.tgt_vocab_size) * d  # embeddings
        + config.n_encoder_layers * (attention + feed_forward + 2 * norm)
        + config.n_decoder_layers * (2 * attention + feed_forward + 3 * norm)
        + (2 * norm if config.norm_first else 0)
        + (d + 1) * config.tgt_vocab_size  # to the logits
    )

    def attended(query: int, key: int) -> int:  # q, context, out; k, v; scores, weights
        return 3 * query * d + 2 * key * d + 2 * heads * query * key

    def residuals(length: int, count: int) -> int:
        return 3 * count * length * d

    def fed_forward(length: int) -> int:
        return length * (ff + d)

    encoded = (
        3 * src * d  # embedded, scaled, with position
        + config.n_encoder_layers * (attended(src, src) + residuals(src, 2) + fed_forward(src))
        + src * d  # memory
    )
    decoded = (
        3 * tgt * d
        + config.n_decoder_layers
        * (attended(tgt, tgt) + attended(tgt, src) + residuals(tgt, 3) + fed_forward(tgt))
        + tgt * d  # decoder_out
        + tgt * config.tgt_vocab_size  # logits
    )
    return MemoryEstimate(
        model=4 * weights,
        trace=4 * (batch * (encoded + decoded) + (src + tgt) * d),  # and the positions
        encoded=4 * (batch * encoded + src * d),
    )


def keep_memory_at_hand() -> None:
    """Let the C library keep what one trace frees for the next one, and share it among threads.

    Otherwise every forward has its memory taken away and cleared anew by the kernel, a fifth of
    the time of a long sentence, and every thread keeps a pool of its own. (Only glibc is asked.)
    """
    for setting, value in ((_ARENAS, 1), (_MMAP_FROM, 3 * _MIB // 2), (_TRIM_FROM, 128 * _MIB)):
        _glibc("mallopt", setting, value)


def return_memory() -> None:
    """Give freed memory back to the system."""
    _glibc("malloc_trim", 0)


def _glibc(name: str, *arguments: int) -> None:
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    if function is not None:
        function(*arguments)


def _cgroup_limits() -> Iterator[int]:
    """Every memory limit set on this process's control group or on one above it."""
    for folder in _cgroup_folders("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):  # version 2, version 1
            with suppress(OSError, ValueError):  # no such file, or the word "max"
                yield int((folder / name).read_text())


def _cgroup_cores() -> Iterator[float]:
    """Every share of the cores set on this process's control group or on one above it."""
    for folder in _cgroup_folders("cpu"):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text().split()  # version 2
            yield int(quota) / int(period)
        with suppress(OSError, ValueError):
            quota, period = (
                (folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")
            )
            if int(quota) > 0:  # version 1 has −1 for no limit
                yield int(quota) / int(period)


def _cgroup_folders(controller: str) -> Iterator[Path]:
    """Where this process's control groups have their files: the root, its own, those between."""
    root = Path("/sys/fs/cgroup")
    groups = ["/"]
    own = Path("/proc/self/cgroup")
    if own.exists():
        groups += [line.split(":", 2)[2] for line in own.read_text().splitlines()]
    for group in groups:
        path = PurePosixPath(group)
        for level in (path, *path.parents):
            inside = str(level).lstrip("/")
            yield root / inside  # version 2
            yield root / controller / inside  # version 1
