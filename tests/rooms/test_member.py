"""After any events in any order, every follower sees the news of a room in the end."""

import time
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from explorer.rooms.member import MAX_RETRY_DELAY, Member, Stance, StanceEvent, State
from explorer.rooms.members import MAX_RUNS, Members
from explorer.rooms.redraws import LOG, Why

PEOPLE = 5
ALIKE = {"0", "1", "2"}  # whose screens show the same
AFTER = {
    StanceEvent.EXPLORE: Stance.EXPLORING,
    StanceEvent.RETURN: Stance.FOLLOWING,
    StanceEvent.ROLE_KNOWN: Stance.FOLLOWING,
}
WHO = st.integers(0, PEOPLE - 1)


class Lesson(RuleBasedStateMachine):
    """A room with a clock of its own; the last window does not know at first whether it leads."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.news = 1000.0, 0
        self.page = ""
        self.members = Members(
            self,
            news=lambda member, topic: self.news,
            page_to_open=lambda member: "" if member.page == self.page else self.page,
        )
        self.everybody = [Member(str(number), "1", connected_at=1000.0) for number in range(PEOPLE)]
        self.away: set[str] = set()
        self.running: set[str] = set()  # whose scripts run
        self.screens = dict.fromkeys(map(str, range(PEOPLE)), 0)
        self.asked: list[str] = []  # by the last look
        self.sent: list[str] = []
        self.said: list[str] = []  # in the log
        for member in self.everybody:
            member.record_drawing("page", {"room": 0})
            self.members.add(member)
        member.stance = Stance.ROLE_UNKNOWN

    def of(self, session: str) -> Member:
        return self.everybody[int(session)]

    def is_connected(self, session: str) -> bool:
        return session not in self.away

    def is_drawing(self, session: str) -> bool:
        return session in self.running

    def request_run(self, session: str, part: str, page: str) -> Why | None:
        assert page == ("" if self.of(session).page == self.page else self.page)
        assert self.of(session).stance is Stance.FOLLOWING
        assert sum(m.is_pending and m.session not in self.away for m in self.everybody) < MAX_RUNS
        assert session not in self.away
        if session in self.running:
            return Why.BUSY
        self.running.add(session)
        self.asked.append(session)
        return None

    def pass_on(self, source: str, to: str, part: str) -> Why | None:
        for session in (source, to):
            assert self.of(session).stance is Stance.FOLLOWING
            assert self.of(session).page == self.page
        assert self.screens[source] == self.news
        assert to not in self.away
        if to in self.running:
            return Why.BUSY
        if not {source, to} <= ALIKE:
            return Why.SCREEN
        self.screens[to] = self.news
        self.sent.append(to)
        return None

    def watch(self, session: str) -> None:
        return

    unwatch = watch

    @rule(news=st.integers(0, 1), seconds=st.sampled_from([0.01, 0.01, 0.4, 2.5, 10.0]))
    def redraw(self, news: int, seconds: float) -> None:
        self.news += news
        self.now += seconds
        clock = patch.object(time, "monotonic", lambda: self.now)
        log = patch.object(LOG, "debug", lambda text, *parts: self.said.append(text % parts))
        with clock, log:
            self.asked.clear()
            self.sent.clear()
            self.waits = self.members.redraw_some()
        assert all(self.of(session).is_pending for session in self.asked)
        assert all(self.of(who).parts["page"].state is State.SHOWN for who in self.sent)
        for member in self.everybody:
            self.check(member)

    def check(self, member: Member) -> None:
        """Every outdated page was asked or sent the news, or the log has the reason why not."""
        part = member.parts["page"]
        if member.session in self.away or part.topics["room"] == self.news:
            return
        if part.state is State.ASKED:
            assert part.requested_version == self.news
        elif part.state is State.SHOWN:
            assert self.screens[member.session] == self.news
        else:
            assert f"{member}, room {self.news}: not drawn: " in "\n".join(self.said)

    def draws(self, member: Member) -> None:
        """A run of its own draws the page, another one if it follows."""
        if member.stance is Stance.FOLLOWING:
            member.page = self.page
        member.record_drawing("page", {"room": self.news})
        self.screens[member.session] = self.news
        assert member.parts["page"].state is State.CURRENT

    @precondition(lambda self: self.running)
    @rule(data=st.data(), draws=st.booleans())
    def a_run_ends(self, data: st.DataObject, draws: bool) -> None:
        session = data.draw(st.sampled_from(sorted(self.running)))
        self.running.discard(session)
        if draws:  # else another request has taken its place, and is lost
            self.draws(self.of(session))

    @rule(who=WHO, event=st.sampled_from(StanceEvent))
    def a_person_presses_a_button(self, who: int, event: StanceEvent) -> None:
        member = self.everybody[who]
        if event is not StanceEvent.ROLE_KNOWN or member.stance is Stance.ROLE_UNKNOWN:
            member.change_stance(event)
            assert member.stance is AFTER[event]
            self.draws(member)
        else:
            assert not member.change_stance(event)

    @rule(page=st.sampled_from(["masks", "steps"]))
    def the_teacher_turns_the_page(self, page: str) -> None:
        self.page = page
        self.news += 1

    @rule()
    def news_come_while_all_is_quick(self) -> None:
        self.redraw(1, 0.01)
        for session in sorted(self.running):
            self.running.discard(session)
            self.draws(self.of(session))
        self.redraw(0, 0.01)

    @rule(who=WHO)
    def a_connection_breaks_or_mends(self, who: int) -> None:
        self.away ^= {str(who)}

    @invariant()
    def who_has_heard_shows_it(self) -> None:
        for member in self.everybody:
            assert self.screens[member.session] >= member.parts["page"].topics["room"]

    def teardown(self) -> None:
        """Everybody is there again, and their scripts answer."""
        self.away.clear()
        for member in self.everybody:
            member.change_stance(StanceEvent.ROLE_KNOWN)
        self.waits, begun = True, self.now
        while self.now < begun + 2 * MAX_RETRY_DELAY and (
            self.waits or self.now < begun + MAX_RETRY_DELAY + 1
        ):
            self.redraw(0, 0.5)
            for session in list(self.running):
                self.running.discard(session)
                self.draws(self.of(session))
        assert not self.waits
        for member in self.everybody:
            if member.stance is Stance.FOLLOWING:
                assert member.parts["page"].topics["room"] == self.screens[member.session]
                assert self.screens[member.session] == self.news


TestLesson = Lesson.TestCase
