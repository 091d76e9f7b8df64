"""A training in a container with a share of the cores works less while the container is held up."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from explorer.training import pace
from explorer.training.pace import LEAST, NAP, Pace

STEP = 0.025  # seconds of work


class Container:
    """A container with clocks of its own, and one training."""

    def __init__(self) -> None:
        self.now = self.worked = self.held_up = 0.0
        self.short = 0.0  # the share of the time for which it is held up

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.held_up += self.short * seconds

    def step(
        self,
        pace: Pace,
        worked: float,
        seconds: float,
        may_rest: Callable[[], bool] = lambda: True,
    ) -> None:
        """Work for so long within so many seconds, and rest."""
        self.worked += worked
        self.sleep(seconds)
        pace.rest(may_rest)

    def work(self, pace: Pace, seconds: float) -> float:
        """Work for so long, by the clock on the wall; the share of it that was work."""
        began, before = self.now, self.worked
        while self.now < began + seconds:
            self.step(pace, STEP, STEP)
        return (self.worked - before) / (self.now - began)


@pytest.fixture
def container(monkeypatch: pytest.MonkeyPatch) -> Container:
    made = Container()
    clocks = SimpleNamespace(
        monotonic=lambda: made.now, process_time=lambda: made.worked, sleep=made.sleep
    )
    monkeypatch.setattr(pace, "time", clocks)
    monkeypatch.setattr(pace, "held_up", lambda: made.held_up)
    monkeypatch.setattr(pace, "cores", lambda: 1)
    return made


def test_without_a_limit_it_never_rests(container: Container) -> None:
    assert container.work(Pace(), 20) == pytest.approx(1)


def test_its_own_bursts_do_not_slow_it_down(container: Container) -> None:
    container.short = 0.2
    assert container.work(Pace(), 20) == pytest.approx(1)


def test_it_works_less_while_held_up_and_more_again_afterwards(container: Container) -> None:
    training = Pace()
    container.short = 0.4
    assert container.work(training, 2) < 0.8
    container.work(training, 10)
    assert container.work(training, 10) == pytest.approx(LEAST)  # but it goes on
    container.short = 0.0
    assert container.work(training, 2) < 0.4
    container.work(training, 10)
    assert container.work(training, 10) == pytest.approx(1)


def test_it_rests_no_more_if_it_was_stopped_for_as_long(container: Container) -> None:
    training = Pace()
    training.share = 0.5
    container.step(training, worked=0.1, seconds=0.3)
    assert container.now == pytest.approx(0.3)
    container.step(training, worked=0.1, seconds=0.1)
    assert container.now == pytest.approx(0.5)


def test_several_threads_need_no_rest(container: Container) -> None:
    container.step(Pace(), worked=0.3, seconds=0.1)
    assert container.now == pytest.approx(0.1)


def test_it_hears_soon_that_it_has_to_stop(container: Container) -> None:
    training = Pace()
    training.share = LEAST
    container.step(training, 1, 1, may_rest=lambda: container.now < 2)
    assert 2 <= container.now <= 2 + NAP


def test_a_long_step_is_followed_by_a_long_rest(container: Container) -> None:
    training = Pace()
    training.share = LEAST
    container.step(training, worked=1, seconds=1)
    assert container.now == pytest.approx(1 / training.share)
