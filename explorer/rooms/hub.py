"""The rooms of this process's members: their newest state, and which pages need a redraw.

Following costs nothing while nothing changes: one thread of the process waits, and redraws a page
only when its room has changed (see `members`).
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

NEXT: Final = 0.02  # seconds between two checks while a page waits for its redraw
TICK: Final = 1.0  # seconds between two checks while there is no news
PRESENCE: Final = 10.0  # seconds between two reports of the number of members
MAX_ATTEMPTS: Final = 8  # attempts to change a room that others are changing
_LOG: Final = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class _LocalRoom:
    """A room as this process knows it."""

    room: Room
    news: dict[str, int] = field(default_factory=dict)  # the number of changes of each topic
    presence: tuple[int, int] = (0, 0)  # as last reported, see `_report`
    reported_at: float = 0.0
    misses: int = 0  # how often in a row the store did not have it
    own_notes: dict[tuple[str, str], bytes] = field(default_factory=dict)  # written here
    lent: str = ""  # the name of the last loan of this process, also if it was too large
    people: int = 0  # in all processes, without the leader
    exploring: int = 0  # of these people, those who explore alone
    # By part: how new its notes are, and the notes. Only the last part that was read.
    cache: dict[str, tuple[int, dict[str, bytes]]] = field(default_factory=dict)

    def mark_changed(self, topic: str) -> None:
        """Count a change of this topic."""
        self.news[topic] = self.news.get(topic, 0) + 1


class Hub:
    """All rooms of this process."""

    def __init__(self, store: Store, windows: Windows) -> None:
        self._store = store
        self._name = secrets.token_hex(6)  # of this process
        self._rooms: dict[str, _LocalRoom] = {}
        self._members = Members(windows, self.news, self._page_to_open)
        self._lock = threading.RLock()
        self._wake = threading.Event()
        self._started = False
        self.is_store_gone = False
        self._answers = 0  # of the store, since it was gone

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
        self._start()
        room = self._open_room(code)
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

    def _open_room(self, code: str) -> Room | None:
        if (local := self._rooms.get(code)) is not None and not local.room.closed:
            return local.room
        state = self._ask(self._store.get, code)
        return None if state is None or (room := load(state)).closed else room

    def _tries(self, who: str, more: int) -> int:
        return self._ask(self._store.count_tries, who, 60, more)

    def room(self, member: Member) -> Room | None:
        """The newest state of the member's room that this process knows."""
        local = self._rooms.get(member.code)
        return None if local is None else local.room

    def enter(self, member: Member) -> Room:
        """Add a member to their room."""
        room = self.find(member.code)
        with self._lock:
            local = self._rooms.setdefault(member.code, _LocalRoom(room))
            self._members.add(member)
        self._store.watch(member.code)
        with suppress(StoreGoneError):  # it may have changed before this process listened
            self._on_change(member.code, self._ask(self._store.get, member.code), "")
        self._wake.set()
        return local.room

    def leave(self, member: Member) -> None:
        """Remove a member from their room, with their answer to an open question."""
        self._members.remove(member)
        with suppress(StoreGoneError):
            self._withdraw_answer(member)
        self._wake.set()

    def people(self, code: str) -> tuple[int, int]:
        """The number of a room's windows without the leader, and of those that explore alone."""
        local = self._rooms.get(code)
        return (0, 0) if local is None else (local.people, local.exploring)

    def answer(self, member: Member, number: int, answer: bytes) -> None:
        """Keep a member's answer to the question with this number; a new answer replaces it.

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
        self._put_note(member.code, f"answers-{number}", member.person, answer)
        member.answered_number = number

    def own_answer(self, member: Member, number: int) -> bytes | None:
        """A person's answer to the question with this number, also from before a reload."""
        part, local = f"answers-{number}", self._rooms.get(member.code)
        if local is not None and (own := local.own_notes.get((part, member.person))) is not None:
            return own
        return self.notes(member, part).get(member.person)

    def _withdraw_answer(self, member: Member) -> None:
        """Delete the answer to an open question if its person has no other window here."""
        room, number = self.room(member), member.answered_number
        member.answered_number = 0
        if room is None or room.activity is None or not room.is_open:
            return
        others = (m for m in self._members if m is not member and m.code == member.code)
        if number == room.activity.number and member.person not in {m.person for m in others}:
            part = f"answers-{number}"
            if (local := self._rooms.get(member.code)) is not None:
                local.own_notes.pop((part, member.person), None)
            self._ask(self._store.delete_note, member.code, part, member.person)

    def notes(self, member: Member, part: str) -> dict[str, bytes]:
        """All notes of a part of the room, fetched once for all members in this process."""
        local, now = self._rooms.get(member.code), self.news(member, part)
        if local is not None and (kept := local.cache.get(part)) is not None and kept[0] == now:
            return kept[1]
        notes = self._ask(self._store.notes, member.code, part)
        if local is not None:
            local.cache = {part: (now, notes)}
        return notes

    def borrow(self, member: Member, name: str) -> bytes | None:
        """The loan of another process to the room with this name."""
        local = self._rooms.get(member.code)
        if local is None or local.lent == name or not self._store.is_shared:
            return None
        return self._ask(self._store.borrow, member.code, name)

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
        self._start()
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
            if self._ask(self._store.put_newer, code, 1, room.dump()):
                return code, secret
        raise RoomError(tr("No free code was found for a room: try again."))

    def change(self, member: Member, edit: Callable[[Room], Room | None]) -> Room:
        """Change a room; `edit` gets its newest state and returns the next, or None for no change.

        Raises:
            WrongSecretError: the member does not have its secret.
        """
        for _ in range(MAX_ATTEMPTS):
            room = self.room(member)
            if room is None or room.closed:
                raise RoomError(tr("This room is closed."))
            if not codes.opens(member.secret, room.lock):
                raise WrongSecretError(tr("Only whoever has the teacher's link can do this."))
            after = edit(room)
            if after is None:
                return room
            state = after.dump()
            seconds = CLOSED if after.closed else self._lifetime(after.code)
            if self._ask(self._store.put_newer, after.code, after.version, state, seconds):
                self._on_change(after.code, state, "")
                return after
            self._on_change(member.code, self._ask(self._store.get, member.code), "")
        raise RoomError(tr("Others are changing this room at the moment: try again."))

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
            self._ask(self._store.lend, member.code, name, content)
        local.lent = name

    # News

    def news(self, member: Member, topic: str) -> int:
        """How new a topic is: "room", "state" (the room without its page), "people", "store",
        "self", or a part with notes.
        """
        if topic == "self":
            return member.stance_changes
        local = self._rooms.get(member.code)
        return -1 if local is None else local.news.get(topic, 0)

    def subscribe(self, member: Member, part: str, *topics: str) -> None:
        """Redraw a part of the page, which shows these topics as they are now, when they change."""
        if part:
            member.record_drawing(part, {topic: self.news(member, topic) for topic in topics})

    # Inside

    def _page_to_open(self, member: Member) -> str:
        """The page that a follower has to open to see the room's; empty if there is none."""
        room = self.room(member)
        if room is None or room.closed or room.activity is not None:
            return ""
        is_there = room.page == member.page or room.is_led_by(member.seat, member.secret)
        return "" if is_there else room.page

    def _start(self) -> None:
        with self._lock:
            if not self._started:
                self._started = True
                self._store.begin(self._on_change, self._on_return)
                threading.Thread(target=self._loop, name="rooms", daemon=True).start()

    def _ask(self, request: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        try:
            return request(*args, **named)
        except StoreGoneError:
            with self._lock:
                # If it is back already, `_on_return` has been called, or will be.
                is_news = self._store.is_gone and not self.is_store_gone
                self.is_store_gone = self.is_store_gone or is_news
            if is_news:
                self._announce_store()
            raise

    def _announce_store(self) -> None:
        """Tell all members that the store has gone, or is back."""
        with self._lock:
            for local in self._rooms.values():
                local.mark_changed("store")
        self._wake.set()

    def _on_change(self, code: str, state: bytes | None, part: str) -> None:
        with self._lock:
            local = self._rooms.get(code)
            if local is None:
                return
            if state is not None:
                room = load(state)
                if room.version <= local.room.version:
                    return
                before, local.room = local.room, room
                local.mark_changed("room")
                if before.all_but_page != room.all_but_page:
                    local.mark_changed("state")
            elif part:
                local.mark_changed(part)
        self._wake.set()

    def _put_note(self, code: str, part: str, name: str, value: bytes) -> None:
        if not self._ask(self._store.put_note, code, part, name, value):
            raise RoomError(tr("The room has no space for more answers."))
        local = self._rooms.get(code)
        if local is not None:
            if len(local.own_notes) > 4000:
                local.own_notes.clear()
            local.own_notes[part, name] = value

    def _on_return(self) -> None:
        """The store is back, but may be empty: write what this process knows."""
        for code, local in list(self._rooms.items()):
            room = local.room
            seconds = CLOSED if room.closed else self._lifetime(code)
            self._store.put_newer(code, room.version, room.dump(), seconds)
            for (part, name), value in list(local.own_notes.items()):
                self._store.put_note(code, part, name, value)
            local.lent = ""  # it may be lost: the leader lends it again
            self._on_change(code, self._store.get(code), "")
            local.reported_at = 0.0
        with self._lock:
            self.is_store_gone = False
        self._announce_store()

    def _loop(self) -> None:
        due, is_waiting = 0.0, False
        while True:
            if is_waiting:
                time.sleep(NEXT)
            else:
                self._wake.wait(TICK if self._members or self._rooms else 3600)
            self._wake.clear()
            now = time.monotonic()
            try:
                if now >= due:
                    due = now + TICK
                    with suppress(StoreGoneError):
                        self._check_rooms(now)
                    self._check_store()
                is_waiting = self._members.redraw_some()
            except Exception:  # an error in one room must not stop the others
                _LOG.exception("The rooms are checked again in a second.")
                is_waiting = False

    def _check_store(self) -> None:
        """If the store has been back for some seconds, stop waiting for it."""
        self._answers = self._answers + 1 if self.is_store_gone and not self._store.is_gone else 0
        if self._answers > 3:
            self._on_return()

    def _check_rooms(self, now: float) -> None:
        """Once a second: report presence and curves, and remove rooms without members."""
        for member in self._members.check_connections(now):
            self._withdraw_answer(member)
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
                self._report(code, local, [m for m in members if m.connected_at == now], now)
                activity = local.room.activity
                if activity is not None and activity.kind == "training":
                    for member in members:
                        self._report_curve(member, activity.number)
            except StoreGoneError:
                raise
            except Exception:  # an error in one room must not stop the others
                _LOG.exception("A room is checked again in a second.")

    def _report(self, code: str, local: _LocalRoom, here: list[Member], now: float) -> None:
        others = [member for member in here if member.seat != local.room.leader]
        presence = len(others), sum(m.stance is Stance.EXPLORING for m in others)
        is_led = any(member.seat == local.room.leader and member.secret for member in here)
        if presence != local.presence or now - local.reported_at > PRESENCE or local.misses:
            note = json.dumps([*presence, int(time.time())]).encode()
            self._ask(self._store.put_note, code, "presence", self._name, note)
            local.presence, local.reported_at = presence, now
            part = local.room.activity.part if local.room.activity else ""
            if is_led:
                exists = self._ask(self._store.touch, code, self._lifetime(code), part)
            else:
                exists = self._ask(self._store.get, code) is not None
            local.misses = 0 if exists or self.is_store_gone else local.misses + 1
            if local.misses > 1:  # once: the store may just have come back, still empty
                self._close_here(local)
        people, exploring = self._count_present(code)
        if (people, exploring) != (local.people, local.exploring):
            local.people, local.exploring = people, exploring
            self._on_change(code, None, "people")

    def _count_present(self, code: str) -> tuple[int, int]:
        """How many followers a room has in all processes, and how many of them explore alone."""
        people, exploring = 0, 0
        for note in self._ask(self._store.notes, code, "presence").values():
            here, alone, at = json.loads(note)
            if time.time() - at < 2.5 * PRESENCE:
                people, exploring = people + here, exploring + alone
        return people, exploring

    def _lifetime(self, code: str) -> int:
        """The seconds that the store keeps a room from now on."""
        return ATTENDED if self.people(code)[0] else LEFT_ALONE

    def _report_curve(self, member: Member, number: int) -> None:
        curve = None if member.curve is None or member.curve_number != number else member.curve()
        if curve is None:
            return
        part, content = f"curves-{number}", board.write_curve(curve)
        written = self._rooms[member.code].own_notes.get((part, member.person))
        if written != content and len(content) <= board.MAX_CURVE:
            with suppress(RoomError):
                self._put_note(member.code, part, member.person, content)

    def _close_here(self, local: _LocalRoom) -> None:
        """Close a room that the store no longer has: it was without a teacher for too long."""
        local.room = local.room.next(closed=True, activity=None)
        local.mark_changed("room")
        local.mark_changed("state")
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
        self._ask(self._store.put_note, code, "presence", self._name, gone)
        if not self._count_present(code)[0]:  # nobody is left in it
            self._ask(self._store.expire_soon, code)


def question_of(room: Room) -> Question | None:
    """The question on show in a room, in the reader's language; None without one."""
    activity = room.activity
    if activity is None or activity.question is None:
        return None
    return questions.from_json(activity.question, spoken())
