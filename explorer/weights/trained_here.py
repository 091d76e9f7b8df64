"""Weights that visitors trained in this process or uploaded, found by a secret token."""

import secrets
from functools import cache
from typing import Final

from explorer.runtime.cache import SplitCache
from explorer.weights.checkpoints import Checkpoint

ROOM: Final = 64 * 2**20  # bytes for the weights of all visitors


def keep(checkpoint: Checkpoint, token: str | None = None) -> str:
    """Keep a checkpoint, in place of the one under `token` if there is one; returns its token.

    Nobody can guess a token, so it may be part of an address: it opens only these weights.
    """
    token = token or secrets.token_urlsafe(9)
    _cache().put(token, 4 * checkpoint.model.config.n_weights, checkpoint)
    return token


def find(token: str) -> Checkpoint | None:
    """The checkpoint, unless it was removed from memory or the server has restarted."""
    return _cache().find(token)


def drop(token: str) -> None:
    """Forget a checkpoint."""
    _cache().drop(token)


@cache
def _cache() -> SplitCache[Checkpoint]:
    return SplitCache(ROOM)
