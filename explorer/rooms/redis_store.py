"""A store of rooms in Redis, for several processes: each may serve the teacher or followers.

A room is a hash with its version and state, one hash for each of its parts, and one for its loan;
all expire.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from typing import Final, ParamSpec, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from explorer.languages import mark, tr
from explorer.rooms.room import StoreGoneError
from explorer.rooms.store import LEFT_ALONE, MAX_NOTE, MAX_PEOPLE, Store

PATIENCE: Final = 1.0  # seconds after which Redis counts as gone
AGAIN: Final = 1.0  # seconds for which it is not asked again then
LENT: Final = "lent"  # the part with the room's loan
LIFE: Final = "explorer:life"  # a key that is gone if Redis was started anew
SOONER: Final = 60  # seconds by which a loan expires before its room: it goes first
GONE: Final = mark("The rooms cannot be reached at the moment. Try again in a minute.")
P = ParamSpec("P")
T = TypeVar("T")
_Argument = bytes | str | int

# Redis runs each script as one step. The keys of a room share a tag, so that a cluster keeps them
# together.
_PUT_NEWER: Final = """
local version = redis.call('HGET', KEYS[1], 'version')
if version and tonumber(version) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'state', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""
_NOTE: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0
  and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], redis.call('TTL', KEYS[1]))
return 1
"""
_EXPIRE_SOON: Final = """
if redis.call('TTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
"""
_LEND: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], 'name', ARGV[1], 'content', ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
"""
_COUNT_TRIES: Final = """
if ARGV[2] == '0' then return tonumber(redis.call('GET', KEYS[1]) or '0') end
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == tonumber(ARGV[2]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count
"""


class RedisStore(Store):
    """A store for many processes."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 1),  # a connection that was closed while idle
        )
        self._put_newer = self._redis.register_script(_PUT_NEWER)
        self._put_note = self._redis.register_script(_NOTE)
        self._expire_soon = self._redis.register_script(_EXPIRE_SOON)
        self._lend = self._redis.register_script(_LEND)
        self._count_tries = self._redis.register_script(_COUNT_TRIES)
        self._gone_until = 0.0
        self._life = ""

    @property
    def is_gone(self) -> bool:
        """Whether Redis did not answer the last time."""
        return self._gone_until > 0

    @property
    def life(self) -> str:
        """The name that its life was given, as `get` has last found it."""
        return self._life

    def put_newer(self, code: str, version: int, state: bytes, seconds: int = LEFT_ALONE) -> bool:
        """Keep this state, unless there is this version or a newer one."""
        arguments: list[_Argument] = [version, state, seconds]
        return bool(self._ask(self._put_newer, keys=[_key(code)], args=arguments))

    def get(self, code: str) -> tuple[bytes, float] | None:
        """The state of a room, and the seconds for which it is still kept."""
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.hget(_key(code), "state")
        pipeline.ttl(_key(code))
        pipeline.set(LIFE, secrets.token_hex(8), nx=True)
        pipeline.get(LIFE)
        state, seconds, _, life = self._ask(pipeline.execute)
        self._life = life.decode()
        return None if state is None else (state, float(seconds))

    def touch(self, code: str, seconds: int = LEFT_ALONE, parts: Iterable[str] = ()) -> None:
        """Keep a room, and these parts of it, for so long."""
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.expire(_key(code, LENT), seconds - SOONER)
        for part in ("", *parts):
            pipeline.expire(_key(code, part), seconds)
        self._ask(pipeline.execute)

    def expire_soon(self, code: str) -> None:
        """Keep an empty room for a while at most."""
        self._ask(self._expire_soon, keys=[_key(code)], args=[LEFT_ALONE])

    def put_note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note."""
        if len(value) > MAX_NOTE:
            return False
        keys = [_key(code), _key(code, part)]
        arguments: list[_Argument] = [name, value, MAX_PEOPLE]
        return bool(self._ask(self._put_note, keys=keys, args=arguments))

    def delete_note(self, code: str, part: str, name: str) -> None:
        """Delete the note under a name."""
        self._ask(self._redis.hdel, _key(code, part), name)

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part."""
        found = cast("dict[bytes, bytes]", self._ask(self._redis.hgetall, _key(code, part)))
        return {name.decode(): value for name, value in found.items()}

    @property
    def is_shared(self) -> bool:
        """Several processes use Redis."""
        return True

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Keep a loan for the other processes."""
        keys = [_key(code), _key(code, LENT)]
        self._ask(self._lend, keys=keys, args=[name, content, LEFT_ALONE - SOONER])

    def borrow(self, code: str, name: str) -> bytes | None:
        """The last loan, if it has this name."""
        key = _key(code, LENT)
        if self._ask(self._redis.hget, key, "name") != name.encode():
            return None
        return cast("bytes | None", self._ask(self._redis.hget, key, "content"))

    def count_tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Add to a visitor's tries."""
        key, arguments = f"explorer:tries:{who}", [seconds, more]
        return int(cast("int", self._ask(self._count_tries, keys=[key], args=arguments)))

    def _ask(self, request: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        if time.monotonic() < self._gone_until:  # so that each request does not wait for it
            raise StoreGoneError(tr(GONE))
        try:
            found = request(*args, **named)
        except redis.RedisError as error:
            if isinstance(error, redis.ConnectionError | redis.TimeoutError):
                self._gone_until = time.monotonic() + AGAIN
            raise StoreGoneError(tr(GONE)) from error
        self._gone_until = 0.0
        return found


def _key(code: str, part: str = "") -> str:
    return f"explorer:room:{{{code}}}" + (f":{part}" if part else "")
