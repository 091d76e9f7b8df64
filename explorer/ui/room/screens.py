"""What the windows of a room show: those that show the same are sent the same next picture.

Streamlit runs a page's script for each browser, so sixty followers cost sixty runs. But followers
who show the same, and are brought to the same place, show the same again. So one of them is drawn
by a run of its own, and what this run has changed is sent to all others who showed what it showed
before. Their own runs follow when there is time.

Between the two, a browser shows what its session has not heard of. So what a browser was told to
show is kept here, and said in its stead when its own run begins.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal

from explorer.rooms.redraws import Why
from explorer.ui import internals
from explorer.ui.internals import messages
from explorer.ui.internals.messages import Message, Place, Request, Sent, Shown

Looks = dict[Place, tuple[str, str]]  # of elements: how they look, and the part they belong to


@dataclass(frozen=True, slots=True)
class _Step:
    """What a run of one part of the page, for news of the room, has made of a screen."""

    part: str
    before: Looks  # of the elements that it has drawn
    roots: set[Place]  # the outermost of them
    address: str
    messages: list[Message]
    told: list[Shown]


@dataclass(slots=True)
class _Run:
    """A run whose messages are being sent."""

    parts: tuple[str, ...]  # of the page; none: all of it
    before: Looks
    address: str
    drawn: dict[Place, Sent] = field(default_factory=dict)
    moves: list[Sent] = field(default_factory=list)  # of the address

    def step(self, told: list[Shown]) -> _Step | None:
        """What has changed; None if that cannot be sent to others."""
        if len(self.parts) != 1 or not self.drawn.keys() <= self.before.keys():
            return None
        before = {place: self.before[place] for place in self.drawn}
        changed = [
            sent
            for place, sent in self.drawn.items()
            if sent.updated_widget or sent.look != before[place][0]
        ]
        if not all(sent.is_whole and not sent.is_own for sent in changed):
            return None
        if any(sent.is_field and not sent.updated_widget for sent in changed):
            return None  # other browsers would go on showing the text from before
        sends = [sent.message for sent in [*changed, *self.moves[-1:]]]
        if sends:
            own = (sent.message for sent in self.drawn.values() if sent.is_own)
            sends += map(messages.without_file, own)
        roots = {place for place in before if place[:-1] not in before}
        return _Step(self.parts[0], before, roots, self.address, sends, told)


class _Screen:
    """What one browser shows, as far as it was sent while its window was in a room."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._looks: Looks = {}
        self._address = ""
        self._told: dict[str, Shown] = {}  # what widgets were told, and nobody has heard of
        self._run: _Run | None = None
        self.step: _Step | None = None  # the last
        self.asker: Literal["person", "timer", "room"] = "person"  # who has asked for the last run

    def on_message(self, sent: Sent) -> None:
        """A message leaves for the browser."""
        match sent.kind:
            case "begin":
                self._run = _Run(tuple(sent.parts), dict(self._looks), self._address)
                if not sent.parts:
                    self._looks, self.step = {}, None
                elif self.step is not None and self.step.part in sent.parts:
                    self.step = None
            case "element":
                self._looks[sent.place] = sent.look, sent.part
                if self._run is not None:
                    self._run.drawn[sent.place] = sent
            case "address":
                self._address = sent.address
                if self._run is not None:
                    self._run.moves.append(sent)
            case "end":
                self._end(sent.is_success)

    def _end(self, is_success: bool) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        widgets = [sent.updated_widget for sent in run.drawn.values() if sent.updated_widget]
        told = messages.values_of(self._session, widgets)
        self._told |= {state.id: state for state in told}
        if not run.parts or not is_success:
            return
        there = {
            place: look
            for place, look in self._looks.items()
            if place in run.drawn or not (look[1] in run.parts or _is_inside(place, run.drawn))
        }
        if there != self._looks:
            self._looks = there
        elif self.asker == "room":
            self.step = run.step(told) or self.step

    def on_request(self, *, by_timer: bool) -> None:
        """The browser asks for a run, and says what it shows, unless a timer has asked."""
        self.step, self.asker = None, "timer" if by_timer else "person"
        if not by_timer:
            self._told.clear()

    def on_error(self) -> None:
        """Nothing is known of it any more."""
        self.on_request(by_timer=False)
        self._looks.clear()

    def begin(self, request: Request) -> None:
        """The room asks for a run: say what the browser shows, as it would."""
        self.asker = "room"
        if self._address:
            request.query_string = self._address
        request.widget_states.widgets.extend(self._told.values())

    def differs(self, step: _Step) -> Why | None:
        """Why it does not show what was shown before this step, if it does not."""
        if self._address != step.address:
            return Why.ADDRESS
        shown = {p: look for p, look in self._looks.items() if _is_inside(p, step.roots)}
        return None if shown == step.before else Why.SCREEN

    def take(self, step: _Step) -> None:
        """It is sent this step."""
        self._told |= {state.id: state for state in step.told}


class Screens:
    """The screens of all windows of this process that are in a room."""

    def __init__(self) -> None:
        self._of: dict[str, _Screen] = {}

    def is_here(self, session: str) -> bool:
        """Whether a browser is connected."""
        return internals.is_connected(session)

    def watch(self, session: str) -> None:
        """This session is in a room from now on."""
        self._of[session] = _Screen(session)
        messages.watch(session, self._of[session])

    def forget(self, session: str) -> None:
        """This session is in a room no more."""
        if self._of.pop(session, None) is not None:
            messages.unwatch(session)

    def draw(self, session: str, part: str) -> Why | None:
        """Have a part of a page drawn by a run of its own; why that is not possible now."""
        screen = self._of.get(session)
        if screen is None or not internals.draw_again(session, part, screen.begin):
            return Why.BUSY
        return None

    def is_drawing(self, session: str) -> bool:
        """Whether something is being drawn there, or on its way to the browser."""
        return messages.is_drawing(session)

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        """Send `to` what the last run of `source` has changed; why not, if it is not possible."""
        theirs, own = self._of.get(source), self._of.get(to)
        step = None if theirs is None else theirs.step
        if step is None or own is None or step.part != part:
            return Why.NOT_SENT
        if why := own.differs(step):
            return why

        def still() -> bool:
            if own.differs(step):
                return False
            own.take(step)
            return True

        return None if messages.send(to, step.messages, still) else Why.BUSY

    def is_persons(self, session: str) -> bool:
        """Whether a person has asked for the last run of this session, not the room or a timer."""
        screen = self._of.get(session)
        return screen is None or screen.asker == "person"


def _is_inside(place: Place, others: Container[Place]) -> bool:
    """Whether an element is one of these, or inside one."""
    return any(place[:depth] in others for depth in range(1, len(place) + 1))
