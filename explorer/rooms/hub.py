"""The rooms that somebody in this process is in: their newest state, and who has to hear of it.

Following costs nothing while nothing changes: one thread of the process waits, and has a person's
page drawn again only when its room has moved on (see `members`).
"""

import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, ParamSpec, TypeVar

from explorer.exercises.question import Question
from explorer.languages import spoken, tr
from explorer.rooms import board, codes, questions
from explorer.rooms.member import Member, Stance
from explorer.rooms.members import Members, Windows
from explorer.rooms.room import Room, RoomError, StoreGoneError, WrongSecretError, load
from explorer.rooms.store import ATTENDED, CLOSED, LEFT_ALONE, MAX_LENT, Store

NEXT: Final = 0.01  # seconds between two looks for whoever is next
TICK: Final = 1.0  # seconds between two looks while nothing is heard
PRESENCE: Final = 10.0  # seconds between two reports of how many are here
CHANGES: Final = 8  # attempts to change a room that others are changing
_LOG: Final = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _LocalRoom:
    """A room as this process knows it."""

    room: Room
    news: dict[str, int] = field(default_factory=dict)  # how often each topic has changed
    here: tuple[int, int] = (0, 0)  # followers in this process, see `_report`, as last reported
    reported: float = 0.0
    missed: int = 0  # how often in a row the store has not known it
    mine: dict[tuple[str, str], bytes] = field(default_factory=dict)  # notes written here
    lent: str = ""  # the name of what this process has lent last, or was too large
    people: int = 0  # who do not lead, in all processes
    alone: int = 0  # of them, those who explore on their own
    read: dict[str, tuple[int, dict[str, bytes]]] = field(default_factory=dict)  # part, how new

    def tell(self, topic: str) -> None:
        """There is news about this topic."""
        self.news[topic] = self.news.get(topic, 0) + 1


class Hub:
    """All rooms of this process."""

    def __init__(self, store: Store, windows: Windows) -> None:
        self._store = store
        self._name = secrets.token_hex(6)  # of this process
        self._rooms: dict[str, _LocalRoom] = {}
        self._members = Members(windows, self.news)
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._began = False
        self.waiting = False  # whether the store is gone
        self._answers = 0  # of the store in a row, since it was gone

    # What anybody may do

    def find(
        self, code: str, limits: Mapping[str, int] | None = None, shown: Iterable[str] = ()
    ) -> Room:
        """The room with this code.

        `limits` says how many wrong codes a minute are allowed, for each name of the visitor's.
        After that a right one is refused as well, or it could be found by trying; but not to
        those who have been in the room, as one of the passes that they have `shown` says.

        Raises:
            RoomError: there is none, or this visitor has tried too many codes.
            StoreGoneError: nobody knows at the moment.
        """
        self._begin()
        room = self._open_room(code)
        if room is not None and any(codes.is_pass(one, room.lock) for one in shown):
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
                code=codes.spoken(code),
            )
        )

    def _open_room(self, code: str) -> Room | None:
        if (local := self._rooms.get(code)) is not None and not local.room.closed:
            return local.room
        state = self._ask(self._store.get, code)
        return None if state is None or (room := load(state)).closed else room

    def _tries(self, who: str, more: int) -> int:
        return self._ask(self._store.tries, who, 60, more)

    def room(self, member: Member) -> Room | None:
        """The newest state of the member's room that this process has heard of."""
        local = self._rooms.get(member.code)
        return None if local is None else local.room

    def enter(self, member: Member) -> Room:
        """Somebody is in a room from now on."""
        room = self.find(member.code)
        with self._lock:
            local = self._rooms.setdefault(member.code, _LocalRoom(room))
            self._members.add(member)
        self._store.watch(member.code)
        with suppress(StoreGoneError):  # it may have changed before this process listened
            self._heard(member.code, self._ask(self._store.get, member.code), "")
        self._wake.set()
        return local.room

    def leave(self, member: Member) -> None:
        """Somebody is in a room no more, and neither is their answer to an open question."""
        self._members.remove(member)
        with suppress(StoreGoneError):
            self._take_back(member)
        self._wake.set()

    def people(self, code: str) -> tuple[int, int]:
        """How many windows are in a room, but for the one that leads, in all processes; and how
        many of them explore on their own.
        """
        local = self._rooms.get(code)
        return (0, 0) if local is None else (local.people, local.alone)

    def answer(self, member: Member, number: int, answer: bytes) -> None:
        """Keep somebody's answer to the question with this number; a second one replaces it.

        Raises:
            RoomError: the question is over.
        """
        room = self.room(member)
        if room is None or room.activity is None or not room.is_open:
            raise RoomError(
                tr("The answer was shown in the meantime: yours does not count any more.")
            )
        if room.activity.number != number:
            raise RoomError(tr("The room has another question by now."))
        self._keep(member.code, f"answers-{number}", member.person, answer)
        member.answered = number

    def own_answer(self, member: Member, number: int) -> bytes | None:
        """What somebody has answered to the question with this number, also before a reload."""
        part, local = f"answers-{number}", self._rooms.get(member.code)
        if local is not None and (mine := local.mine.get((part, member.person))) is not None:
            return mine
        return self.notes(member, part).get(member.person)

    def _take_back(self, member: Member) -> None:
        """While the question is open: forget the answer of a person who has no window left here."""
        room, number = self.room(member), member.answered
        member.answered = 0
        if room is None or room.activity is None or not room.is_open:
            return
        others = (m for m in self._members if m is not member and m.code == member.code)
        if number == room.activity.number and member.person not in {m.person for m in others}:
            part = f"answers-{number}"
            if (local := self._rooms.get(member.code)) is not None:
                local.mine.pop((part, member.person), None)
            self._ask(self._store.drop_note, member.code, part, member.person)

    def notes(self, member: Member, part: str) -> dict[str, bytes]:
        """All notes of a part of the room, asked for once for everybody in this process."""
        local, now = self._rooms.get(member.code), self.news(member, part)
        if local is not None and (kept := local.read.get(part)) is not None and kept[0] == now:
            return kept[1]
        notes = self._ask(self._store.notes, member.code, part)
        if local is not None:
            local.read = {part: (now, notes)}
        return notes

    def borrow(self, member: Member, name: str) -> bytes | None:
        """What another process lends the room under this name."""
        local = self._rooms.get(member.code)
        if local is None or local.lent == name or not self._store.has_others:
            return None
        return self._ask(self._store.borrow, member.code, name)

    def has_to_lend(self, member: Member, name: str) -> bool:
        """Whether other processes lack what the room shows under this name."""
        local = self._rooms.get(member.code)
        if local is None or not name or not self._store.has_others:
            return False
        return local.lent != name or local.room.lent != name

    # What only those may do who have the room's secret

    def open(
        self,
        page: str,
        params: dict[str, str],
        seat: str,
        limits: Mapping[str, int] | None = None,
    ) -> tuple[str, str]:
        """Open a room that shows this page; returns its code and its secret.

        `limits` says how many rooms a minute are allowed, for each name of the visitor's.

        Raises:
            RoomError: this visitor has opened too many.
        """
        self._begin()
        if any(self._tries(f"opens {who}", 1) > most for who, most in (limits or {}).items()):
            raise RoomError(
                tr("Too many rooms were opened from here. Wait a minute, then try again.")
            )
        secret = codes.new_secret()
        for _ in range(CHANGES):
            code = codes.new_code()
            room = Room(
                code=code, lock=codes.lock_of(secret), page=page, params=params, leader=seat
            )
            if self._ask(self._store.put_newer, code, 1, room.dump()):
                return code, secret
        raise RoomError(tr("No free code was found for a room: try again."))

    def change(self, member: Member, edit: Callable[[Room], Room | None]) -> Room:
        """Change a room; `edit` gets its newest state and returns the next, or None for no change.

        Raises:
            WrongSecretError: the member does not have its secret.
        """
        for _ in range(CHANGES):
            room = self.room(member)
            if room is None or room.closed:
                raise RoomError(tr("This room is closed."))
            if not codes.opens(member.secret, room.lock):
                raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
            after = edit(room)
            if after is None:
                return room
            state = after.dump()
            lasts = CLOSED if after.closed else self._lasts(after.code)
            if self._ask(self._store.put_newer, after.code, after.version, state, lasts):
                self._heard(after.code, state, "")
                return after
            self._heard(member.code, self._ask(self._store.get, member.code), "")
        raise RoomError(tr("Others are changing this room at the moment: try again."))

    def lend(self, member: Member, name: str, content: bytes) -> None:
        """Give other processes something that the room shows, in place of the last.

        What is too large is not lent.

        Raises:
            WrongSecretError: the member does not have the room's secret.
        """
        local = self._rooms.get(member.code)
        if local is None or not codes.opens(member.secret, local.room.lock):
            raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
        if len(content) <= MAX_LENT:
            self._ask(self._store.lend, member.code, name, content)
        local.lent = name

    # Who has to hear of what

    def news(self, member: Member, topic: str) -> int:
        """How new a topic is: "room", "state" (of it, but for the page), "people", "store", "self",
        or a part with notes.
        """
        if topic == "self":
            return member.turns
        local = self._rooms.get(member.code)
        return -1 if local is None else local.news.get(topic, 0)

    def has_drawn(self, member: Member, part: str, *topics: str) -> None:
        """A part of the page shows these topics as they are now: draw it again when they change."""
        if part:
            member.draws(part, {topic: self.news(member, topic) for topic in topics})

    # Inside

    def _begin(self) -> None:
        with self._lock:
            if not self._began:
                self._began = True
                self._store.begin(self._heard, self._returned)
                threading.Thread(target=self._work, name="rooms", daemon=True).start()

    def _ask(self, request: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        try:
            return request(*args, **named)
        except StoreGoneError:
            with self._lock:
                # If it is back by now, `_returned` has been called, or will be.
                news = self._store.gone and not self.waiting
                self.waiting = self.waiting or news
            if news:
                self._tell_all()
            raise

    def _tell_all(self) -> None:
        """There is news for everybody: the store has gone, or is back."""
        with self._lock:
            for local in self._rooms.values():
                local.tell("store")
        self._wake.set()

    def _heard(self, code: str, state: bytes | None, part: str) -> None:
        with self._lock:
            local = self._rooms.get(code)
            if local is None:
                return
            if state is not None:
                room = load(state)
                if room.version <= local.room.version:
                    return
                before, local.room = local.room, room
                local.tell("room")
                if before.all_but_page != room.all_but_page:
                    local.tell("state")
            elif part:
                local.tell(part)
        self._wake.set()

    def _keep(self, code: str, part: str, name: str, value: bytes) -> None:
        if not self._ask(self._store.note, code, part, name, value):
            raise RoomError(tr("The room has no space for more answers."))
        local = self._rooms.get(code)
        if local is not None:
            if len(local.mine) > 4000:
                local.mine.clear()
            local.mine[part, name] = value

    def _returned(self) -> None:
        """The store is back, perhaps without what it kept: give it what is known here."""
        for code, local in list(self._rooms.items()):
            room = local.room
            lasts = CLOSED if room.closed else self._lasts(code)
            self._store.put_newer(code, room.version, room.dump(), lasts)
            for (part, name), value in list(local.mine.items()):
                self._store.note(code, part, name, value)
            local.lent = ""  # it may be gone: whoever leads lends it again
            self._heard(code, self._store.get(code), "")
            local.reported = 0.0
        with self._lock:
            self.waiting = False
        self._tell_all()

    def _work(self) -> None:
        due, waits = 0.0, False
        while True:
            if waits:
                time.sleep(NEXT)
            else:
                self._wake.wait(TICK if self._members or self._rooms else 3600)
            self._wake.clear()
            now = time.monotonic()
            try:
                if now >= due:
                    due = now + TICK
                    with suppress(StoreGoneError):
                        self._look_after(now)
                    self._stop_waiting()
                waits = self._members.draw_some()
            except Exception:  # one room's trouble must not stop all others
                _LOG.exception("The rooms are looked after again in a second.")
                waits = False

    def _stop_waiting(self) -> None:
        """Wait no more for a store that has been back for some seconds."""
        self._answers = self._answers + 1 if self.waiting and not self._store.gone else 0
        if self._answers > 3:
            self._returned()

    def _look_after(self, now: float) -> None:
        """Once a second: who is here, whose rooms go on, whose curves have grown."""
        for member in self._members.look_around(now):
            self._take_back(member)
        with self._lock:
            by_code: dict[str, list[Member]] = {code: [] for code in self._rooms}
            for member in self._members:
                by_code.setdefault(member.code, []).append(member)
        for code, members in by_code.items():
            local = self._rooms[code]
            if not members:
                self._forget(code)
            if not members or local.room.closed:
                continue
            try:
                self._report(code, local, [m for m in members if m.last_here == now], now)
                activity = local.room.activity
                if activity is not None and activity.kind == "training":
                    for member in members:
                        self._report_curve(member, activity.number)
            except StoreGoneError:
                raise
            except Exception:  # one room's trouble must not stop all others
                _LOG.exception("A room is looked after again in a second.")

    def _report(self, code: str, local: _LocalRoom, here: list[Member], now: float) -> None:
        others = [member for member in here if member.seat != local.room.leader]
        follows = len(others), sum(m.stance is Stance.EXPLORING for m in others)
        led = any(member.seat == local.room.leader and member.secret for member in here)
        if follows != local.here or now - local.reported > PRESENCE or local.missed:
            presence = json.dumps([*follows, int(time.time())]).encode()
            self._ask(self._store.note, code, "presence", self._name, presence)
            local.here, local.reported = follows, now
            part = local.room.activity.part if local.room.activity else ""
            if led:
                exists = self._ask(self._store.touch, code, self._lasts(code), part)
            else:
                exists = self._ask(self._store.get, code) is not None
            local.missed = 0 if exists or self.waiting else local.missed + 1
            if local.missed > 1:  # once: the store is just back, and is being given its rooms
                self._close_here(local)
        people, alone = self._present(code)
        if (people, alone) != (local.people, local.alone):
            local.people, local.alone = people, alone
            self._heard(code, None, "people")

    def _present(self, code: str) -> tuple[int, int]:
        """Who is in a room in all processes, and how many of them explore on their own."""
        people, alone = 0, 0
        for presence in self._ask(self._store.notes, code, "presence").values():
            here, exploring, at = json.loads(presence)
            if time.time() - at < 2.5 * PRESENCE:
                people, alone = people + here, alone + exploring
        return people, alone

    def _lasts(self, code: str) -> int:
        """The seconds that a room lasts from now on."""
        return ATTENDED if self.people(code)[0] else LEFT_ALONE

    def _report_curve(self, member: Member, number: int) -> None:
        curve = None if member.curve is None or member.trains != number else member.curve()
        if curve is None:
            return
        part, content = f"curves-{number}", board.write_curve(curve)
        local = self._rooms[member.code]
        if local.mine.get((part, member.person)) != content and len(content) <= board.MAX_CURVE:
            with suppress(RoomError):
                self._keep(member.code, part, member.person, content)

    def _close_here(self, local: _LocalRoom) -> None:
        """The room has been left alone for too long: the store has forgotten it."""
        local.room = local.room.next(closed=True, activity=None)
        local.tell("room")
        local.tell("state")
        self._wake.set()

    def _forget(self, code: str) -> None:
        with self._lock:
            if any(member.code == code for member in self._members):
                return
            local = self._rooms.pop(code, None)
            self._store.unwatch(code)
        if local is None or local.room.closed:
            return
        gone = json.dumps([0, 0, int(time.time())]).encode()
        self._ask(self._store.note, code, "presence", self._name, gone)
        if not self._present(code)[0]:  # it need not be kept for anybody
            self._ask(self._store.let_go, code)


def question_of(room: Room) -> Question | None:
    """The question that a room is asked, if it is, in the reader's language."""
    activity = room.activity
    if activity is None or activity.question is None:
        return None
    return questions.from_json(activity.question, spoken())
