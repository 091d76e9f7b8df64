"""A store of rooms in Redis, for several processes: each may serve the teacher or followers.

A room is a hash with its version and state, one hash for each of its parts, and one for its loan;
all expire. Changes are published, and each process listens to the rooms of its members.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from explorer.languages import mark, tr
from explorer.rooms.room import StoreGoneError
from explorer.rooms.store import LEFT_ALONE, MAX_NOTE, MAX_PEOPLE, OnChange

PATIENCE: Final = 1.0  # seconds after which Redis counts as gone
LISTEN: Final = 0.2  # seconds after which the process listens to a new room
AGAIN: Final = 1.0  # seconds between two attempts to reconnect
ALIVE: Final = 5.0  # seconds between two checks of a silent connection
LENT: Final = "lent"  # the part with the room's loan
SOONER: Final = 60  # seconds by which a loan expires before its room: it goes first
GONE: Final = mark("The rooms cannot be reached at the moment. Try again in a minute.")
_LOG: Final = logging.getLogger(__name__)
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
redis.call('PUBLISH', ARGV[4], ARGV[2])
return 1
"""
_NOTE: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0
  and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], redis.call('TTL', KEYS[1]))
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
"""
_DELETE_NOTE: Final = """
if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
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


class RedisStore:
    """A store for many processes; see `store.Store`."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 1),  # a connection that was closed while idle
        )
        self._put_newer = self._redis.register_script(_PUT_NEWER)
        self._put_note = self._redis.register_script(_NOTE)
        self._delete_note = self._redis.register_script(_DELETE_NOTE)
        self._expire_soon = self._redis.register_script(_EXPIRE_SOON)
        self._lend = self._redis.register_script(_LEND)
        self._count_tries = self._redis.register_script(_COUNT_TRIES)
        self._wanted: set[str] = set()
        self._wake = threading.Event()
        self._gone = False
        self._on_change: OnChange = lambda code, state, part: None
        self._on_return: Callable[[], None] = lambda: None

    @property
    def is_gone(self) -> bool:
        """Whether Redis does not answer."""
        return self._gone

    def begin(self, on_change: OnChange, on_return: Callable[[], None]) -> None:
        """Start to listen."""
        self._on_change, self._on_return = on_change, on_return
        threading.Thread(target=self._listen, name="redis", daemon=True).start()

    def put_newer(self, code: str, version: int, state: bytes, seconds: int = LEFT_ALONE) -> bool:
        """Keep this state, unless there is this version or a newer one."""
        arguments: list[_Argument] = [version, state, seconds, _channel(code)]
        return bool(self._ask(self._put_newer, keys=[_key(code)], args=arguments))

    def get(self, code: str) -> bytes | None:
        """The state of a room."""
        return cast("bytes | None", self._ask(self._redis.hget, _key(code), "state"))

    def touch(self, code: str, seconds: int = LEFT_ALONE, part: str = "") -> bool:
        """Keep a room, and a part of it, for these seconds."""
        self._ask(self._redis.expire, _key(code, LENT), seconds - SOONER)
        if part:
            self._ask(self._redis.expire, _key(code, part), seconds)
        return bool(self._ask(self._redis.expire, _key(code), seconds))

    def expire_soon(self, code: str) -> None:
        """Keep an empty room for a while at most."""
        self._ask(self._expire_soon, keys=[_key(code)], args=[LEFT_ALONE])

    def put_note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note."""
        if len(value) > MAX_NOTE:
            return False
        keys = [_key(code), _key(code, part)]
        arguments: list[_Argument] = [name, value, MAX_PEOPLE, _channel(code), f"~{part}"]
        return bool(self._ask(self._put_note, keys=keys, args=arguments))

    def delete_note(self, code: str, part: str, name: str) -> None:
        """Delete the note under a name."""
        arguments: list[_Argument] = [name, _channel(code), f"~{part}"]
        self._ask(self._delete_note, keys=[_key(code, part)], args=arguments)

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

    def watch(self, code: str) -> None:
        """Listen to a room."""
        self._wanted.add(code)
        self._wake.set()

    def unwatch(self, code: str) -> None:
        """Stop listening to a room."""
        self._wanted.discard(code)

    def _ask(self, request: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        if self._gone:  # so that each request does not wait for the timeout
            raise StoreGoneError(tr(GONE))
        try:
            return request(*args, **named)
        except redis.RedisError as error:
            if isinstance(error, redis.ConnectionError | redis.TimeoutError):
                self._gone = True
                self._wake.set()
            raise StoreGoneError(tr(GONE)) from error

    def _listen(self) -> None:
        while True:
            try:
                self._redis.ping()
                if self._gone:
                    self._gone = False
                    self._on_return()
                self._hear()
            except (redis.RedisError, StoreGoneError):
                self._gone = True
                time.sleep(AGAIN)
            except Exception:  # such as a room written by another version
                _LOG.exception("Listening to Redis starts again in a second.")
                time.sleep(AGAIN)

    def _hear(self) -> None:
        """Hand on published changes until the connection breaks."""
        pubsub: Any = self._redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
        with pubsub as channel:
            listening: set[str] = set()
            checked = time.monotonic()
            while not self._gone:
                wanted = set(self._wanted)
                if new := wanted - listening:
                    channel.subscribe(*map(_channel, new))
                if old := listening - wanted:
                    channel.unsubscribe(*map(_channel, old))
                for code in new:  # it may have changed before the process listened
                    if (state := self.get(code)) is not None:
                        self._on_change(code, state, "")
                listening = wanted
                if not listening:
                    self._wake.wait(ALIVE)
                    self._wake.clear()
                    continue
                message = channel.get_message(timeout=LISTEN)
                if message is not None:
                    self._hand_on(message)
                elif time.monotonic() - checked > ALIVE:
                    self._redis.ping()
                    checked = time.monotonic()

    def _hand_on(self, message: dict[str, Any]) -> None:
        code, data = message["channel"].decode().rpartition(":")[2], message["data"]
        if data.startswith(b"~"):
            self._on_change(code, None, data[1:].decode())
        else:
            self._on_change(code, data, "")


def _key(code: str, part: str = "") -> str:
    return f"explorer:room:{{{code}}}" + (f":{part}" if part else "")


def _channel(code: str) -> str:
    return f"explorer:rooms:{code}"
