"""What the windows of a room show: those that show the same are sent the same next picture.

Streamlit runs a page's script for each browser, so sixty followers cost sixty runs. But followers
who show the same, and are brought to the same place, show the same again. So one of them is drawn
by a run of its own, and what this run has changed is sent to all others who showed what it showed
before. Their own runs follow when there is time, and find nothing to change on the screen.
"""

from dataclasses import dataclass, field
from typing import Any

from explorer.ui import internals, messages
from explorer.ui.messages import Place, Sent


@dataclass(frozen=True, slots=True)
class _Step:
    """What a run of one part of the page, for news of the room, has made of a screen."""

    part: str
    before: dict[Place, str]  # the look of each element that it has drawn
    address: str
    changes: list[Any]  # the messages


@dataclass(slots=True)
class _Run:
    """A run whose messages are being sent."""

    parts: tuple[str, ...]  # of the page; none: all of it
    for_news: bool  # of the room, and nothing else
    before: dict[Place, str]
    address: str
    drawn: dict[Place, Sent] = field(default_factory=dict)
    moves: list[Sent] = field(default_factory=list)  # of the address

    def step(self) -> _Step | None:
        """What has changed; None if that cannot be sent to others."""
        if not self.for_news or len(self.parts) != 1 or not self.drawn.keys() <= self.before.keys():
            return None
        before = {place: self.before[place] for place in self.drawn}
        changed = [
            sent
            for place, sent in self.drawn.items()
            if sent.says_value or sent.look != before[place]
        ]
        if any(sent.is_own or not sent.is_whole for sent in changed):
            return None
        changes = [sent.message for sent in [*changed, *self.moves[-1:]]]
        return _Step(self.parts[0], before, self.address, changes)


@dataclass(slots=True)
class _Screen:
    """What one browser shows, as far as it was sent while its window was in a room."""

    looks: dict[Place, str] = field(default_factory=dict)
    parts: dict[Place, str] = field(default_factory=dict)  # the part that an element belongs to
    address: str = ""
    has_news: bool = False  # the run that begins next is for news of the room
    run: _Run | None = None
    step: _Step | None = None  # the last

    def see(self, sent: Sent) -> None:
        """A message leaves for the browser."""
        match sent.kind:
            case "begin":
                self._begin(tuple(sent.parts))
            case "element":
                self.looks[sent.place], self.parts[sent.place] = sent.look, sent.part
                if self.run is not None:
                    self.run.drawn[sent.place] = sent
            case "address":
                self.address = sent.address
                if self.run is not None:
                    self.run.moves.append(sent)
            case "end":
                self._end(sent.is_success)

    def _begin(self, parts: tuple[str, ...]) -> None:
        self.run = _Run(parts, self.has_news, dict(self.looks), self.address)
        self.has_news = False
        if not parts:
            self.looks, self.parts = {}, {}
        if self.step is not None and (not parts or self.step.part in parts):
            self.step = None

    def _end(self, is_success: bool) -> None:
        run, self.run = self.run, None
        if run is None or not run.parts or not is_success:
            return
        gone = [p for p, part in self.parts.items() if part in run.parts and p not in run.drawn]
        for place in gone:
            del self.looks[place], self.parts[place]
        self.step = (run.step() if not gone else None) or self.step

    def asks(self) -> None:
        """The browser asks for a run: what comes now is for its person alone."""
        self.has_news, self.step = False, None
        if self.run is not None:
            self.run.for_news = False


class Screens:
    """The screens of all windows of this process that are in a room."""

    def __init__(self) -> None:
        self._of: dict[str, _Screen] = {}

    def is_here(self, session: str) -> bool:
        """Whether a browser is connected."""
        return internals.is_connected(session)

    def watch(self, session: str) -> None:
        """This session is in a room from now on."""
        screen = _Screen()
        if messages.watch(session, screen.see, screen.asks):
            self._of[session] = screen

    def forget(self, session: str) -> None:
        """This session is in a room no more."""
        if self._of.pop(session, None) is not None:
            messages.unwatch(session)

    def draw(self, session: str, part: str) -> bool:
        """Have a part of a page drawn by a run of its own; whether that was possible."""
        screen = self._of.get(session)

        def begin() -> None:
            if screen is not None:
                screen.has_news = True

        return internals.draw_again(session, part, begin)

    def is_drawing(self, session: str) -> bool:
        """Whether something is being drawn there, or on its way to the browser."""
        return bool(messages.is_drawing(session))

    def pass_on(self, source: str, to: str, part: str) -> bool:
        """Send `to` what the last run of `source` has changed, if it shows what `source` showed.

        Returns whether it does.
        """
        theirs, own = self._of.get(source), self._of.get(to)
        step = None if theirs is None else theirs.step
        if step is None or own is None or step.part != part or own.address != step.address:
            return False
        if any(own.looks.get(place) != look for place, look in step.before.items()):
            return False
        return messages.is_drawing(source) is False and messages.send(to, step.changes)
