"""Memory: estimate the need of a model and its trace, measure free memory, return unused memory."""

import ctypes
import sys
from dataclasses import dataclass
from typing import Final

import torch

from explorer.config import ModelConfig
from explorer.runtime.device import GPU_ERRORS
from explorer.runtime.limits import memory_limit, resident_memory, unused_memory

MIB: Final = 2**20
SMALL_HOST: Final = 470 * MIB  # what a process may hold if memory is scarce
_TRIM_FROM, _MMAP_FROM, _ARENAS = -1, -3, -8  # names of settings in glibc's malloc.h


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """The bytes that a model and one of its traces take."""

    model: int
    trace: int
    encoded: int  # the part of the trace that depends on the source alone


def estimate(config: ModelConfig, batch: int, src: int, tgt: int) -> MemoryEstimate:
    """The memory for a model and one trace of (batch, src) and (batch, tgt) ids, before running.

    The estimate adds up the fields of the trace; views of other tensors are counted too.
    """
    d, ff, heads = config.d_model, config.d_ff, config.n_heads
    width = heads * config.d_k
    embeddings = 5 if config.norm_embedding else 4  # embedded, scaled, with position, out

    def attended(query: int, key: int) -> int:  # q, context, out; k, v; scores, weights
        return query * (2 * width + d) + 2 * key * width + 2 * heads * query * key

    def residuals(length: int, count: int) -> int:
        return 3 * count * length * d

    def fed_forward(length: int) -> int:
        return length * (ff * (1 + config.gated) + d)

    crossed = attended(tgt, src) + residuals(tgt, 1) if config.has_encoder else 0
    encoded = (
        embeddings * src * d
        + config.n_encoder_layers * (attended(src, src) + residuals(src, 2) + fed_forward(src))
        + src * d  # memory
    )
    decoded = (
        embeddings * tgt * d
        + config.n_decoder_layers
        * (attended(tgt, tgt) + crossed + residuals(tgt, 2) + fed_forward(tgt))
        + tgt * d  # decoder_out
        + (tgt if config.has_decoder else src) * config.n_logits
    )
    return MemoryEstimate(
        model=4 * config.n_weights,
        trace=4 * (batch * (encoded + decoded) + (src + tgt) * d),  # plus the positions
        encoded=4 * (batch * encoded + src * d),
    )


def free_memory(device: str) -> int:
    """The bytes that a new model and its trace may take on `device`; 0 if a GPU is gone."""
    if not device.startswith("cuda"):
        return unused_memory()
    try:
        free, _ = torch.cuda.mem_get_info(device)
    except GPU_ERRORS:
        return 0
    return free


def memory_share(limit: int) -> int:
    """The bytes that a process should hold at most, given the `limit` that it may use.

    On a small host it may take most of the memory; a large host is shared with other programs.
    """
    return min(limit * 2 // 3, max(SMALL_HOST, limit // 4))


def tidy_memory() -> None:
    """Return memory to the system if the process holds more than its share."""
    if resident_memory() > memory_share(memory_limit()):
        return_memory()


def keep_memory_at_hand() -> None:
    """Let the C library reuse the memory of one trace for the next, in one pool for all threads.

    Otherwise the kernel takes back and clears the memory of every forward pass, which costs a fifth
    of the time of a long sentence, and every thread keeps its own pool. (This affects only glibc.)
    """
    for setting, value in ((_ARENAS, 1), (_MMAP_FROM, 3 * MIB // 2), (_TRIM_FROM, 128 * MIB)):
        _glibc("mallopt", setting, value)


def return_memory() -> None:
    """Give freed memory back to the system."""
    _glibc("malloc_trim", 0)


def _glibc(name: str, *arguments: int) -> None:
    function = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    if function is not None:
        function(*arguments)
