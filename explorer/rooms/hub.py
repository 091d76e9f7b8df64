"""The rooms of this process: what each one shows, and who is in it.

Nobody is told of a change. The page of each window asks a few times a second how new its room is,
and is drawn again if that is not what it shows (see `web/news.py`). That question also
says that the window is still there.
"""

import os
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from explorer.exercises.question import Question
from explorer.languages import spoken, tr
from explorer.rooms import codes, questions
from explorer.rooms.member import Member, Stance
from explorer.rooms.memory import MemoryStore
from explorer.rooms.notes import FRESH, Notes
from explorer.rooms.presence import ARRIVES, PRESENCE, PRESENT, Presence
from explorer.rooms.room import (
    Room,
    RoomError,
    StoreGoneError,
    WrongSecretError,
    answers_to,
    load,
)
from explorer.rooms.store import (
    ATTENDED,
    CLOSED,
    LEFT_ALONE,
    MAX_LENT,
    MAX_PEOPLE,
    QUESTION,
    Store,
)

REDIS_URL: Final = "EXPLORER_REDIS_URL"
EARLY: Final = 5.0  # seconds by which a room may expire early: less than that is rounding
MAX_ATTEMPTS: Final = 8  # attempts to change a room that others are changing
HEAD_START: Final = 0.1  # seconds after a change in which its followers are not told
NO_ROOM: Final = "no room"  # the news where there is none (any more)


@dataclass(slots=True)
class _LocalRoom:
    """A room as this process knows it."""

    room: Room
    read_at: float
    expires_at: float  # as the store said
    notes: Notes
    presence: Presence
    read: bytes = b""  # what it said then
    persons: dict[str, str] = field(default_factory=dict)  # by seat
    changed_at: float = 0.0  # in this process
    touched_at: float = 0.0  # when the store was last told that the teacher is here
    lent: str = ""  # the name of the last loan of this process, also if it was too large
    life: str = ""  # the store's when it was last told all of this


class Hub:
    """All rooms of this process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._name = secrets.token_hex(6)  # of this process
        self._rooms: dict[str, _LocalRoom] = {}
        self._lock = threading.RLock()

    @property
    def is_store_gone(self) -> bool:
        """Whether the store did not answer the last time."""
        return self._store.is_gone

    @property
    def is_slow(self) -> bool:
        """Whether an answer may take as long as one over the network."""
        return self._store.is_shared

    # Open to everybody

    def find(
        self, code: str, limits: Mapping[str, int] | None = None, passes: Iterable[str] = ()
    ) -> Room:
        """The room with this code.

        `limits` is the number of wrong codes allowed a minute, for each name of the visitor. After
        that, the right code is refused, too, or it could be found by trying. A visitor with a valid
        pass among `passes` has been in the room before, and is never refused.

        Raises:
            RoomError: there is no such room, or this visitor has tried too many codes.
            StoreGoneError: the store does not answer.
        """
        room = self._newest(code, or_fail=True)
        if room is not None and room.closed:
            room = None
        if room is not None and any(codes.is_pass(one, room.lock) for one in passes):
            return room
        if limits and any(self._tries(who, 0) >= most for who, most in limits.items()):
            raise RoomError(
                tr("Too many codes were tried from here. Wait a minute, then try again.")
            )
        if room is not None:
            return room
        for who in limits or ():
            self._tries(who, 1)
        raise RoomError(
            tr(
                "There is no room {code}. Compare the code with the one on the screen in front; a "
                "room that was closed has none.",
                code=codes.readable(code),
            )
        )

    def _tries(self, who: str, more: int) -> int:
        return self._store.count_tries(who, 60, more)

    def enter(self, member: Member) -> Room:
        """The room that a member enters."""
        room = self.find(member.code)
        local = self._rooms[member.code]
        local.presence.left.discard(member.seat)
        if len(local.persons) < 2 * MAX_PEOPLE:
            local.persons[member.seat] = member.person
        self._note_arrival(member, Stance.FOLLOWING)
        self._forget_empty()
        return room

    def move(self, member: Member, before: str) -> None:
        """A member turns out to have another seat, from before a reload."""
        if (local := self._rooms.get(member.code)) is not None:
            local.persons[member.seat] = member.person
            local.presence.note(before, None, local.room.leader)
            self._note_arrival(member, member.stance)

    def _note_arrival(self, member: Member, stance: Stance) -> None:
        local = self._rooms[member.code]
        local.presence.note(member.seat, stance, local.room.leader, seconds=ARRIVES)

    def leave(self, member: Member) -> None:
        """Remove a member from their room, with their answer to an open question."""
        local = self._rooms.get(member.code)
        if local is None:
            return
        local.persons.pop(member.seat, None)
        with suppress(StoreGoneError):
            if member.person not in local.persons.values():
                self._withdraw_answer(member)
            local.presence.leave(member.seat, local.room.leader)
            if not local.presence.count()[0]:
                self._store.expire_soon(member.code)

    def room(self, member: Member) -> Room | None:
        """The newest state of the member's room."""
        return self._newest(member.code)

    def news(
        self,
        code: str,
        seat: str,
        browser_pass: str,
        stance: Stance | None,
        *,
        may_search: bool = True,
    ) -> str:
        """How new a room is for a window, in short, and note what the window says of itself.

        A window that follows hears of every change; others hear if the page need not follow, too.
        The leader also hears of people and answers. Without a stance, the window is being closed.
        Whoever has no pass is told of no room; only with `may_search`, the store is asked for a
        room that nobody in this process is in.
        """
        room = self._newest(code) if code in self._rooms or may_search else None
        if room is None or not codes.is_pass(browser_pass, room.lock):
            return NO_ROOM
        with suppress(StoreGoneError):
            self.note_present(code, seat, stance)
        return self.how_new(code, seat, follows=stance is Stance.FOLLOWING)

    def how_new(self, code: str, seat: str, *, follows: bool) -> str:
        """The same, without a look at the pass, for a page that is being drawn."""
        room = self._newest(code)
        if room is None:
            return NO_ROOM
        leads = seat == room.leader
        told = [str(room.version) if follows and not leads else room.all_but_page]
        if leads:
            told.append(str(self.people(code)))
            if room.activity is not None:
                with suppress(StoreGoneError):
                    notes = self._rooms[code].notes.all_in(room.activity.part)
                    told.append(str(sorted(notes.items())))
        if self.is_store_gone:
            told.append("gone")
        return f"{zlib.crc32(' '.join(told).encode()):08x}"

    def head_start(self, code: str) -> float:
        """The seconds for which those who follow are not told of a change here.

        The page of whoever leads is still being sent: between the runs of sixty others, its last
        messages would take half a second.
        """
        local = self._rooms.get(code)
        return 0.0 if local is None else max(0.0, local.changed_at + HEAD_START - time.monotonic())

    def people(self, code: str) -> tuple[int, int]:
        """The number of a room's windows without the leader's, and how many explore alone."""
        local = self._rooms.get(code)
        return (0, 0) if local is None else local.presence.count()

    def answer(self, member: Member, number: int, answer: bytes) -> None:
        """Keep a member's answer to the question with this number; a new answer replaces it.

        Raises:
            RoomError: the question is over.
        """
        room = self._newest(member.code)
        if room is None or room.activity is None or not room.is_open:
            raise RoomError(
                tr("The answer was shown in the meantime: yours does not count any more.")
            )
        if room.activity.number != number:
            raise RoomError(tr("The room has another question by now."))
        notes = self._rooms[member.code].notes
        if not notes.put_answer(answers_to(number), member.person, answer):
            raise RoomError(tr("The room has no space for more answers."))

    def own_answer(self, member: Member, number: int) -> bytes | None:
        """A person's answer to the question with this number, also from before a reload."""
        local = self._rooms.get(member.code)
        if local and (own := local.notes.written.get((answers_to(number), member.person))):
            return own
        return self.answers(member, number).get(member.person)

    def _withdraw_answer(self, member: Member) -> None:
        """Delete the answer to an open question: whoever leaves does not vote.

        So nobody votes twice by coming again as somebody else.
        """
        room = self._newest(member.code)
        if room is not None and room.activity is not None and room.is_open:
            self._rooms[member.code].notes.delete_answer(room.activity.part, member.person)

    def answers(self, member: Member, number: int) -> dict[str, bytes]:
        """All answers to the question with this number, by person."""
        local = self._rooms.get(member.code)
        found = {} if local is None else local.notes.all_in(answers_to(number))
        return {name: answer for name, answer in found.items() if name != QUESTION}

    def results(self, member: Member) -> list[tuple[bytes, dict[str, bytes]]]:
        """All questions that the room was asked, and their answers, by person."""
        room = self._newest(member.code)
        found = []
        for part in () if room is None else room.parts:
            notes = dict(self._store.notes(member.code, part))
            if (question := notes.pop(QUESTION, None)) is not None:
                found.append((question, notes))
        return found

    def borrow(self, member: Member, name: str) -> bytes | None:
        """The loan of another process to the room with this name."""
        local = self._rooms.get(member.code)
        if local is None or local.lent == name or not self._store.is_shared:
            return None
        return self._store.borrow(member.code, name)

    def has_to_lend(self, member: Member, name: str) -> bool:
        """Whether other processes need a loan with this name."""
        local = self._rooms.get(member.code)
        if local is None or not name or not self._store.is_shared:
            return False
        return local.lent != name or local.room.lent != name

    # Only with the room's secret

    def open(
        self,
        page: str,
        params: dict[str, str],
        seat: str,
        limits: Mapping[str, int] | None = None,
    ) -> tuple[str, str]:
        """Open a room that shows this page; returns its code and its secret.

        `limits` is the number of rooms allowed a minute, for each name of the visitor.

        Raises:
            RoomError: this visitor has opened too many rooms.
        """
        if any(self._tries(f"opens {who}", 1) > most for who, most in (limits or {}).items()):
            raise RoomError(
                tr("Too many rooms were opened from here. Wait a minute, then try again.")
            )
        secret = codes.new_secret()
        for _ in range(MAX_ATTEMPTS):
            code = codes.new_code()
            room = Room(
                code=code, lock=codes.lock_of(secret), page=page, params=params, leader=seat
            )
            if self._store.put_newer(code, 1, room.dump()):
                return code, secret
        raise RoomError(tr("No free code was found for a room: try again."))

    def change(self, member: Member, edit: Callable[[Room], Room | None]) -> Room:
        """Change a room; `edit` gets its newest state and returns the next, or None for no change.

        Raises:
            WrongSecretError: the member does not have its secret.
        """
        for _ in range(MAX_ATTEMPTS):
            local = self._rooms.get(member.code)
            if local is None or local.room.closed:
                raise RoomError(tr("This room is closed."))
            if not codes.opens(member.secret, local.room.lock):
                raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
            after = edit(local.room)
            if after is None:
                return local.room
            seconds = CLOSED if after.closed else self._lifetime(after.code)
            state = after.dump()
            if self._store.put_newer(after.code, after.version, state, seconds):
                local.read = state
                self._take(local, after, seconds)
                local.changed_at = time.monotonic()
                return after
            self._look(member.code, local)
        raise RoomError(tr("Others are changing this room at the moment: try again."))

    def keep_question(self, member: Member) -> None:
        """Keep the question on show beside its answers, for `results`."""
        local = self._rooms[member.code]
        activity = local.room.activity
        if activity is not None and activity.question is not None:
            asked = questions.write_asked(activity.question, activity.source)
            local.notes.put_answer(activity.part, QUESTION, asked)

    def lend(self, member: Member, name: str, content: bytes) -> None:
        """Lend other processes the weights that the room shows, in place of the last loan.

        Content above `MAX_LENT` is not lent.

        Raises:
            WrongSecretError: the member does not have the room's secret.
        """
        local = self._rooms.get(member.code)
        if local is None or not codes.opens(member.secret, local.room.lock):
            raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
        if len(content) <= MAX_LENT:
            self._store.lend(member.code, name, content)
        local.lent = name

    # What the store knows

    def _newest(self, code: str, *, or_fail: bool = False) -> Room | None:
        """The newest state of a room, or the last one that is known while the store is gone.

        If none is known then: None, or with `or_fail` a `StoreGoneError`.
        """
        local, now = self._rooms.get(code), time.monotonic()
        try:
            if local is None:
                if (found := self._store.get(code)) is None:
                    return None
                notes = Notes(self._store, code)
                here = Presence(notes, self._name)
                life = self._store.life
                new = _LocalRoom(load(found[0]), now, now + found[1], notes, here, life=life)
                local = self._rooms.setdefault(code, new)
            elif not local.room.closed and not (
                self._store.is_shared and now - local.read_at < FRESH
            ):
                self._look(code, local)
        except StoreGoneError:
            if local is None and or_fail:
                raise
        return None if local is None else local.room

    def _look(self, code: str, local: _LocalRoom) -> None:
        """Read a room from the store.

        What the store has lost, as it was started anew, is written again. A room that was without
        a teacher for too long is closed.
        """
        local.read_at = now = time.monotonic()
        found = self._store.get(code)
        is_new = found is not None and found[0] != local.read
        room = local.room if found and not is_new else load(found[0]) if found else None
        if room is None and now > local.expires_at - EARLY:
            local.room = local.room.next(closed=True, activity=None)
            return
        if room is None or room.version < local.room.version or local.life != self._store.life:
            self._restore(code, local)
        if room is not None and found is not None:
            local.read = found[0]
            self._take(local, room, found[1])

    def _take(self, local: _LocalRoom, room: Room, seconds: float) -> None:
        with self._lock:
            if room.version >= local.room.version:
                local.room, local.expires_at = room, time.monotonic() + seconds

    def _restore(self, code: str, local: _LocalRoom) -> None:
        room, seconds = local.room, self._lifetime(code)
        self._store.put_newer(code, room.version, room.dump(), seconds)
        local.notes.restore()
        local.expires_at, local.presence.reported_at = time.monotonic() + seconds, 0.0
        local.lent = ""  # it may be lost: the leader lends it again
        local.life = self._store.life

    def note_present(self, code: str, seat: str, stance: Stance | None) -> None:
        """Note that a window is there, and whether it explores alone; None: it is gone."""
        local, now = self._rooms[code], time.monotonic()
        local.presence.note(seat, stance, local.room.leader)
        if seat == local.room.leader and now - local.touched_at > PRESENCE:
            local.touched_at = now
            self._store.touch(code, self._lifetime(code), local.room.parts)

    def _lifetime(self, code: str) -> int:
        """The seconds that the store keeps a room from now on."""
        return ATTENDED if self.people(code)[0] else LEFT_ALONE

    def _forget_empty(self) -> None:
        """Forget the rooms that nobody here has asked for lately."""
        now = time.monotonic()
        for code, local in list(self._rooms.items()):
            if now > local.read_at + PRESENT and not local.presence.is_anybody_here:
                del self._rooms[code]


def question_of(room: Room) -> Question | None:
    """The question on show in a room, in the reader's language; None without one."""
    activity = room.activity
    if activity is None or activity.question is None:
        return None
    return questions.from_json(activity.question, spoken())


@cache
def hub() -> Hub:
    """The rooms of this process."""
    store: Store = MemoryStore()
    if url := os.environ.get(REDIS_URL):
        from explorer.rooms.redis_store import (
            RedisStore,  # needs redis, which not everybody installs
        )

        store = RedisStore(url)
    return Hub(store)
