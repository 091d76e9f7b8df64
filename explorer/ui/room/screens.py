"""The screens of a room's windows: equal screens are sent the same next picture.

Streamlit runs a page's script for each browser, so sixty followers cost sixty runs. But equal
screens that follow to the same place are equal again. So one of them is drawn by a run of its own,
and the changes of this run are sent to all others that were equal before. Their own runs follow
when there is time.

Until then, a browser shows widget values that its session does not know. These values are kept
here, and added to the request for its own run.
"""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Literal

from explorer.rooms.redraws import Why
from explorer.ui import internals
from explorer.ui.internals import messages
from explorer.ui.internals.messages import Message, Place, Request, Sent, Shown

Looks = dict[Place, tuple[str, str]]  # of each element: its look, and its part


@dataclass(frozen=True, slots=True)
class _Step:
    """The changes of a screen by a run of one part of the page, requested by the room."""

    part: str
    before: Looks  # of the elements that the run has drawn, before it
    roots: set[Place]  # the outermost of these elements
    address: str
    messages: list[Message]
    values: list[Shown]  # that the run has set for widgets


@dataclass(slots=True)
class _Run:
    """A run whose messages are being sent."""

    parts: tuple[str, ...]  # of the page; empty for a full run
    before: Looks
    address: str
    drawn: dict[Place, Sent] = field(default_factory=dict)
    addresses: list[Sent] = field(default_factory=list)

    def step(self, values: list[Shown]) -> _Step | None:
        """The changes of this run; None if they cannot be sent to others."""
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
            return None  # other browsers would keep the old text
        sends = [sent.message for sent in [*changed, *self.addresses[-1:]]]
        if sends:
            own = (sent.message for sent in self.drawn.values() if sent.is_own)
            sends += map(messages.without_file, own)
        roots = {place for place in before if place[:-1] not in before}
        return _Step(self.parts[0], before, roots, self.address, sends, values)


class _Screen:
    """The screen of one browser, as far as it was sent while its window was in a room."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._looks: Looks = {}
        self._address = ""
        self._unreported: dict[str, Shown] = {}  # values that the browser has not reported yet
        self._run: _Run | None = None
        self.step: _Step | None = None  # of the last run
        self.requester: Literal["person", "timer", "room"] = "person"  # of the last run

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
                    self._run.addresses.append(sent)
            case "end":
                self._end(sent.is_success)

    def _end(self, is_success: bool) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        widgets = [sent.updated_widget for sent in run.drawn.values() if sent.updated_widget]
        values = messages.values_of(self._session, widgets)
        self._unreported |= {state.id: state for state in values}
        if not run.parts or not is_success:
            return
        present = {
            place: look
            for place, look in self._looks.items()
            if place in run.drawn or not (look[1] in run.parts or _is_inside(place, run.drawn))
        }
        if present != self._looks:
            self._looks = present
        elif self.requester == "room":
            self.step = run.step(values) or self.step

    def on_request(self, *, by_timer: bool) -> None:
        """The browser requests a run; a person's request also reports all widget values."""
        self.step, self.requester = None, "timer" if by_timer else "person"
        if not by_timer:
            self._unreported.clear()

    def on_error(self) -> None:
        """Forget the screen: it is no longer known."""
        self.on_request(by_timer=False)
        self._looks.clear()

    def complete_request(self, request: Request) -> None:
        """Complete a request of the room with what the browser would report."""
        self.requester = "room"
        if self._address:
            request.query_string = self._address
        request.widget_states.widgets.extend(self._unreported.values())

    def difference(self, step: _Step) -> Why | None:
        """The reason why this screen differs from the one before the step; None if it does not."""
        if self._address != step.address:
            return Why.ADDRESS
        shown = {p: look for p, look in self._looks.items() if _is_inside(p, step.roots)}
        return None if shown == step.before else Why.SCREEN

    def apply(self, step: _Step) -> None:
        """Record that this screen is sent a step."""
        self._unreported |= {state.id: state for state in step.values}


class Screens:
    """The screens of all windows of this process that are in a room."""

    def __init__(self) -> None:
        self._screens: dict[str, _Screen] = {}

    def is_connected(self, session: str) -> bool:
        """Whether a browser is connected."""
        return internals.is_connected(session)

    def watch(self, session: str) -> None:
        """Watch a session that has entered a room."""
        self._screens[session] = _Screen(session)
        messages.watch(session, self._screens[session])

    def unwatch(self, session: str) -> None:
        """Stop watching a session that has left its room."""
        if self._screens.pop(session, None) is not None:
            messages.unwatch(session)

    def request_run(self, session: str, part: str, page: str) -> Why | None:
        """Request a run that opens a page, or, without one, redraws a part; returns why not."""
        screen = self._screens.get(session)
        if screen is None:
            return Why.BUSY
        begin = screen.complete_request
        return None if internals.draw_again(session, part, begin, page) else Why.BUSY

    def is_drawing(self, session: str) -> bool:
        """Whether the session's script runs, or its output is on the way to the browser."""
        return messages.is_drawing(session)

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        """Send `to` the changes of the last run of `source`; returns why that is impossible."""
        theirs, own = self._screens.get(source), self._screens.get(to)
        step = None if theirs is None else theirs.step
        if step is None or own is None or step.part != part:
            return Why.NOT_SENT
        if why := own.difference(step):
            return why

        def apply_if_valid() -> bool:
            if own.difference(step):
                return False
            own.apply(step)
            return True

        return None if messages.send(to, step.messages, apply_if_valid) else Why.BUSY

    def is_by_person(self, session: str) -> bool:
        """Whether a person has requested the last run of this session, not the room or a timer."""
        screen = self._screens.get(session)
        return screen is None or screen.requester == "person"


def _is_inside(place: Place, others: Container[Place]) -> bool:
    """Whether an element is one of these, or inside one of them."""
    return any(place[:depth] in others for depth in range(1, len(place) + 1))
