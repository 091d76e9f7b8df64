"""Rooms of several processes, in Redis: each may serve the teacher, or anybody who follows.

A room is a hash with its version and state, one hash for each of its parts, and one with what it
lends; all expire. What changes is published, and each process listens to the rooms that somebody in
it is in.
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
from explorer.rooms.store import LEFT_ALONE, MAX_NOTE, MOST_PEOPLE, Heard

PATIENCE: Final = 1.0  # seconds until Redis is taken to be gone
LISTEN: Final = 0.2  # seconds until a room that somebody has just entered is listened to
AGAIN: Final = 1.0  # seconds between two attempts to find it again
ALIVE: Final = 5.0  # seconds between two looks at a silent connection
LENT: Final = "lent"  # the part with what the room lends
SOONER: Final = 60  # seconds that it expires before its room: where memory is short, it goes first
GONE: Final = mark("The rooms cannot be reached at the moment. Try again in a minute.")
_LOG: Final = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
_Argument = bytes | str | int

# Each runs in Redis as one step. The keys of a room share a tag, so that a cluster keeps them
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
_DROP_NOTE: Final = """
if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
"""
_LET_GO: Final = """
if redis.call('TTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
"""
_LEND: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], 'name', ARGV[1], 'content', ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
"""
_TRIES: Final = """
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
        self._note = self._redis.register_script(_NOTE)
        self._drop_note = self._redis.register_script(_DROP_NOTE)
        self._let_go = self._redis.register_script(_LET_GO)
        self._lend = self._redis.register_script(_LEND)
        self._tries = self._redis.register_script(_TRIES)
        self._wanted: set[str] = set()
        self._wake = threading.Event()
        self._gone = False
        self._heard: Heard = lambda code, state, part: None
        self._returned: Callable[[], None] = lambda: None

    @property
    def gone(self) -> bool:
        """Whether Redis does not answer at the moment."""
        return self._gone

    def begin(self, heard: Heard, returned: Callable[[], None]) -> None:
        """Listen from now on."""
        self._heard, self._returned = heard, returned
        threading.Thread(target=self._listen, name="redis", daemon=True).start()

    def put_newer(self, code: str, version: int, state: bytes, lasts: int = LEFT_ALONE) -> bool:
        """Keep this state, unless there is this version or a newer one."""
        arguments: list[_Argument] = [version, state, lasts, _channel(code)]
        return bool(self._ask(self._put_newer, keys=[_key(code)], args=arguments))

    def get(self, code: str) -> bytes | None:
        """The state of a room."""
        return cast("bytes | None", self._ask(self._redis.hget, _key(code), "state"))

    def touch(self, code: str, lasts: int = LEFT_ALONE, part: str = "") -> bool:
        """Keep a room, and a part of it, for so long from now."""
        self._ask(self._redis.expire, _key(code, LENT), lasts - SOONER)
        if part:
            self._ask(self._redis.expire, _key(code, part), lasts)
        return bool(self._ask(self._redis.expire, _key(code), lasts))

    def let_go(self, code: str) -> None:
        """Keep a room for a while at most."""
        self._ask(self._let_go, keys=[_key(code)], args=[LEFT_ALONE])

    def note(self, code: str, part: str, name: str, value: bytes) -> bool:
        """Keep a note."""
        if len(value) > MAX_NOTE:
            return False
        keys = [_key(code), _key(code, part)]
        arguments: list[_Argument] = [name, value, MOST_PEOPLE, _channel(code), f"~{part}"]
        return bool(self._ask(self._note, keys=keys, args=arguments))

    def drop_note(self, code: str, part: str, name: str) -> None:
        """Forget the note under a name."""
        arguments: list[_Argument] = [name, _channel(code), f"~{part}"]
        self._ask(self._drop_note, keys=[_key(code, part)], args=arguments)

    def notes(self, code: str, part: str) -> dict[str, bytes]:
        """All notes of a part."""
        found = cast("dict[bytes, bytes]", self._ask(self._redis.hgetall, _key(code, part)))
        return {name.decode(): value for name, value in found.items()}

    @property
    def has_others(self) -> bool:
        """Redis is there for several processes."""
        return True

    def lend(self, code: str, name: str, content: bytes) -> None:
        """Keep something for the other processes."""
        keys = [_key(code), _key(code, LENT)]
        self._ask(self._lend, keys=keys, args=[name, content, LEFT_ALONE - SOONER])

    def borrow(self, code: str, name: str) -> bytes | None:
        """What was lent last, if it has this name."""
        key = _key(code, LENT)
        if self._ask(self._redis.hget, key, "name") != name.encode():
            return None
        return cast("bytes | None", self._ask(self._redis.hget, key, "content"))

    def tries(self, who: str, seconds: int, more: int = 1) -> int:
        """Count so many more tries."""
        key, arguments = f"explorer:tries:{who}", [seconds, more]
        return int(cast("int", self._ask(self._tries, keys=[key], args=arguments)))

    def watch(self, code: str) -> None:
        """Listen to a room."""
        self._wanted.add(code)
        self._wake.set()

    def unwatch(self, code: str) -> None:
        """Listen to a room no more."""
        self._wanted.discard(code)

    def _ask(self, request: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        if self._gone:  # nobody waits for it again and again
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
                    self._returned()
                self._hear()
            except (redis.RedisError, StoreGoneError):
                self._gone = True
                time.sleep(AGAIN)
            except Exception:  # a room that another version has written, say
                _LOG.exception("Redis is listened to again in a second.")
                time.sleep(AGAIN)

    def _hear(self) -> None:
        """Hand on what is published, until the connection breaks."""
        pubsub: Any = self._redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
        with pubsub as heard:
            listening: set[str] = set()
            looked = time.monotonic()
            while not self._gone:
                wanted = set(self._wanted)
                if new := wanted - listening:
                    heard.subscribe(*map(_channel, new))
                if old := listening - wanted:
                    heard.unsubscribe(*map(_channel, old))
                for code in new:  # what was published before it was listened to
                    if (state := self.get(code)) is not None:
                        self._heard(code, state, "")
                listening = wanted
                if not listening:
                    self._wake.wait(ALIVE)
                    self._wake.clear()
                    continue
                message = heard.get_message(timeout=LISTEN)
                if message is not None:
                    self._hand_on(message)
                elif time.monotonic() - looked > ALIVE:
                    self._redis.ping()
                    looked = time.monotonic()

    def _hand_on(self, message: dict[str, Any]) -> None:
        code, said = message["channel"].decode().rpartition(":")[2], message["data"]
        if said.startswith(b"~"):
            self._heard(code, None, said[1:].decode())
        else:
            self._heard(code, said, "")


def _key(code: str, part: str = "") -> str:
    return f"explorer:room:{{{code}}}" + (f":{part}" if part else "")


def _channel(code: str) -> str:
    return f"explorer:rooms:{code}"
