"""The rooms of this process: what each one shows, and who is in it.

Nobody is told of a change. The page of each window asks a few times a second how new its room is,
and is drawn again if that is not what it shows (see `web/news.py`). That question also
says that the window is still there.
"""

import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from typing import Final

from explorer.exercises.question import Question
from explorer.languages import spoken, tr
from explorer.rooms import codes, questions
from explorer.rooms.known import KnownRoom
from explorer.rooms.member import Member, Stance
from explorer.rooms.memory import MemoryStore
from explorer.rooms.notes import Notes
from explorer.rooms.presence import Presence
from explorer.rooms.room import (
    Room,
    RoomError,
    StoreGoneError,
    WrongSecretError,
    answers_to,
    load,
)
from explorer.rooms.store import (
    MAX_PEOPLE,
    QUESTION,
    Store,
)

REDIS_URL: Final = "EXPLORER_REDIS_URL"
HEAD_START: Final = 0.1  # seconds after a change in which its followers are not told
NO_ROOM: Final = "no room"  # the news where there is none (any more)


class Hub:
    """All rooms of this process."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._name = secrets.token_hex(6)  # of this process
        self._rooms: dict[str, KnownRoom] = {}

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
        known = self._known(code)
        room = None if known is None or known.room.closed else known.room
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
        return self.store.count_tries(who, 60, more)

    def enter(self, member: Member) -> Room:
        """The room that a member enters."""
        room, known = self.find(member.code), self._rooms[member.code]
        known.presence.left.discard(member.seat)
        if len(known.persons) < 2 * MAX_PEOPLE:
            known.persons[member.seat] = member.person
        for code, one in [*self._rooms.items()]:  # others may come in meanwhile
            if one.is_empty:
                self._rooms.pop(code, None)
        return room

    def move(self, member: Member, before: str) -> None:
        """A member turns out to have another seat, from before a reload."""
        if (known := self._rooms.get(member.code)) is not None:
            known.persons[member.seat] = known.persons.pop(before, member.person)

    def leave(self, member: Member) -> None:
        """Remove a member from their room, with their answer to an open question.

        So nobody votes twice by coming again as somebody else.
        """
        with suppress(StoreGoneError):
            if (known := self._known(member.code)) is None:
                return
            room = known.room
            known.persons.pop(member.seat, None)
            if room.activity and room.is_open and member.person not in known.persons.values():
                known.notes.delete_answer(answers_to(room.activity.number), member.person)
            known.presence.leave(member.seat, room.leader)
            if not known.presence.count()[0]:
                self.store.expire_soon(member.code)

    def room(self, member: Member) -> Room | None:
        """The newest state of the member's room; None without one, or if it cannot be known."""
        with suppress(StoreGoneError):
            known = self._known(member.code)
            return None if known is None else known.room
        return None

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
        known = None
        with suppress(StoreGoneError):
            known = self._known(code) if code in self._rooms or may_search else None
        if known is None or not codes.is_pass(browser_pass, known.room.lock):
            return NO_ROOM
        with suppress(StoreGoneError):
            known.note(seat, stance)
        return self.how_new(code, seat, follows=stance is Stance.FOLLOWING)

    def how_new(self, code: str, seat: str, *, follows: bool) -> str:
        """The same, without a look at the pass, for a page that is being drawn."""
        known = self._rooms[code]
        room = known.room
        leads = seat == room.leader
        told = [str(room.version) if follows and not leads else room.all_but_page]
        if leads:
            told.append(str(self.people(code)))
            if room.activity is not None:
                with suppress(StoreGoneError):
                    notes = known.notes.all_in(answers_to(room.activity.number))
                    told.append(str(sorted(notes.items())))
        if self.store.is_gone:
            told.append("gone")
        return f"{zlib.crc32(' '.join(told).encode()):08x}"

    def head_start(self, code: str) -> float:
        """The seconds for which those who follow are not told of a change here.

        The page of whoever leads is still being sent: between the runs of sixty others, its last
        messages would take half a second.
        """
        return max(0.0, self._rooms[code].changed_at + HEAD_START - time.monotonic())

    def people(self, code: str) -> tuple[int, int]:
        """The number of a room's windows without the leader's, and how many explore alone."""
        return self._rooms[code].presence.count()

    def answer(self, member: Member, number: int, answer: bytes) -> None:
        """Keep a member's answer to the question with this number; a new answer replaces it.

        Raises:
            RoomError: the question is over.
        """
        known = self._known(member.code)
        if known is None or known.room.activity is None or not known.room.is_open:
            raise RoomError(
                tr("The answer was shown in the meantime: yours does not count any more.")
            )
        if known.room.activity.number != number:
            raise RoomError(tr("The room has another question by now."))
        if not known.notes.put_answer(answers_to(number), member.person, answer):
            raise RoomError(tr("The room has no space for more answers."))

    def own_answer(self, member: Member, number: int) -> bytes | None:
        """A person's answer to the question with this number, also from before a reload."""
        written = self._rooms[member.code].notes.written.get((answers_to(number), member.person))
        return written or self.answers(member, number).get(member.person)

    def answers(self, member: Member, number: int) -> dict[str, bytes]:
        """All answers to the question with this number, by person."""
        found = self._rooms[member.code].notes.all_in(answers_to(number))
        return {name: answer for name, answer in found.items() if name != QUESTION}

    def results(self, member: Member) -> list[tuple[bytes, dict[str, bytes]]]:
        """All questions that the room was asked, and their answers, by person."""
        known, found = self._known(member.code), []
        for part in () if known is None else known.room.parts:
            notes = dict(self.store.notes(member.code, part))
            if (question := notes.pop(QUESTION, None)) is not None:
                found.append((question, notes))
        return found

    def borrow(self, member: Member, name: str) -> bytes | None:
        """The last loan of any process to the room, if it has this name."""
        return self.store.borrow(member.code, name)

    def has_to_lend(self, member: Member, name: str) -> bool:
        """Whether other processes need a loan with this name."""
        known = self._rooms[member.code]
        is_lent = known.lent == known.room.lent == name
        return bool(name) and self.store.is_shared and not is_lent

    # Only with the room's secret

    def open(
        self, params: dict[str, str], seat: str, limits: Mapping[str, int] | None = None
    ) -> tuple[str, str]:
        """Open a room that shows its own page; returns its code and its secret.

        `limits` is the number of rooms allowed a minute, for each name of the visitor.

        Raises:
            RoomError: this visitor has opened too many rooms.
        """
        if any(self._tries(f"opens {who}", 1) > most for who, most in (limits or {}).items()):
            raise RoomError(
                tr("Too many rooms were opened from here. Wait a minute, then try again.")
            )
        code, secret = codes.new_code(), codes.new_secret()
        room = Room(code=code, lock=codes.lock_of(secret), page="room", params=params, leader=seat)
        self.store.put_newer(code, 1, room.dump())
        return code, secret

    def change(self, member: Member, edit: Callable[[Room], Room | None]) -> Room:
        """Change a room; `edit` gets its newest state and returns the next, or None for no change.

        Raises:
            WrongSecretError: the member does not have its secret.
        """
        return self._with_secret(member).change(edit)

    def keep_question(self, member: Member) -> None:
        """Keep the question on show beside its answers, for `results`."""
        known = self._with_secret(member)
        activity = known.room.activity
        if activity is not None and activity.question is not None:
            asked = questions.write_asked(activity.question, activity.source)
            known.notes.put_answer(answers_to(activity.number), QUESTION, asked)

    def lend(self, member: Member, name: str, content: bytes) -> None:
        """Lend other processes the weights that the room shows, in place of the last loan.

        Raises:
            WrongSecretError: the member does not have the room's secret.
        """
        known = self._with_secret(member)
        self.store.lend(member.code, name, content)
        known.lent = name

    def _known(self, code: str) -> KnownRoom | None:
        """A room in its newest state; None if there is none.

        Raises:
            StoreGoneError: the store does not answer, and nobody here has been in the room.
        """
        if (known := self._rooms.get(code)) is not None:
            known.look()
            return known
        if (found := self.store.get(code)) is None:
            return None
        state, until = found[0], time.monotonic() + found[1]
        notes = Notes(self.store, code)
        here, life = Presence(notes, self._name), self.store.life
        new = KnownRoom(self.store, load(state), notes, here, until, life, state)
        return self._rooms.setdefault(code, new)

    def _with_secret(self, member: Member) -> KnownRoom:
        """The member's room, if the member may change it."""
        if (known := self._known(member.code)) is None:
            raise RoomError(tr("This room is closed."))
        if not codes.opens(member.secret, known.room.lock):
            raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
        return known


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
