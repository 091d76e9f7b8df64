"""A training waits until there is memory for it, and takes nobody else's."""

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.runtime import engine
from explorer.training.pool import WORKER_MEMORY
from explorer.ui.training import watched as trainings
from explorer.weights import trained_here
from tests.app.driving import button, choose, memory_of, open_page, press, texts
from tests.app.rooming import go_to
from tests.support.waiting import until

MIB = 2**20


@pytest.fixture
def page() -> Iterator[AppTest]:
    """The training page; what it trains ends with the test."""
    trainings.trainings.cache_clear()
    at = open_page("training", steps=5_000)
    yield at
    if "training_now" in memory_of(at):
        trainings.trainings().drop(memory_of(at)["training_now"])
    trainings.trainings.cache_clear()


def train(page: AppTest) -> None:
    """Press the button."""
    press(page, "Train")


def progress_text(page: AppTest) -> str:
    """The text of the progress bar."""
    return str(page.get("progress")[0].proto.text)


def wait_until_it_trains(page: AppTest) -> None:
    """Wait for its worker. (The page does not run meanwhile.)"""
    training = memory_of(page)["training_now"]
    until(lambda: training.phase == "training" and training.steps_a_second)
    assert " a second" in progress_text(page.run())


@pytest.mark.all
def test_it_waits_for_a_large_model_and_for_kept_states(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It also waits for states that are kept after the button was pressed."""
    models: Any = engine.engine().models

    def free(_: str) -> int:
        return 300 * MIB - models.held

    monkeypatch.setattr(engine, "free_memory", free)
    with engine.engine().big_run:
        train(page)
        assert progress_text(page) == "Waiting until others here need less memory …"
        models.put("large", 183 * MIB, None)
    wait_until_it_trains(page)
    assert "large" not in models


@pytest.mark.parametrize(("workers", "fits"), [(0, False), (1, True)])
def test_the_memory_of_others_who_train_will_be_free(
    workers: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "free_memory", lambda _: 150 * MIB)
    monkeypatch.setattr(trainings, "memory_set_aside", lambda: workers * WORKER_MEMORY)
    monkeypatch.setattr(engine.Engine, "kept_memory", 0)
    at = open_page("training")
    assert ("Training this model takes about" not in texts(at)) == fits
    assert button(at, "Train").disabled == (not fits)


def link_to(page: AppTest) -> AppTest:
    """The same address opened once more."""
    return open_page("training", **page.query_params)


@pytest.mark.all
def test_only_a_reload_takes_a_training_over(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed source does not stop it, although it trains the pairs on the page."""
    browser, is_there = ["one"], [True]
    monkeypatch.setattr(trainings, "browser", lambda: browser[0])
    monkeypatch.setattr(trainings, "is_there", lambda _: is_there[0])
    monkeypatch.setattr(trainings.trainings(), "_is_here", lambda _: True)  # nobody has noticed
    page = open_page("training", task="pairs", steps=20_000, pairs=1, src="the cat", tgt="x y")
    train(page)
    wait_until_it_trains(page)
    training = memory_of(page)["training_now"]
    page.text_input(key="src").set_value("the dog").run()
    assert training.is_live
    assert memory_of(page)["training_now"] is training
    until(lambda: training.latest)
    browser[0] = "another"
    other = link_to(page)
    assert "trained in another window" in texts(other)
    assert "training_now" not in memory_of(other)
    assert not [one for one in other.button if one.label in ("Pause", "Train")]
    other.switch_page("pages/masks.py").run()  # which leaves a training of one's own
    assert training.is_live
    is_there[0] = False
    again = link_to(page)
    assert memory_of(again)["training_now"] is training
    assert training.is_live
    press(again, "Pause")
    assert not training.is_live
    trainings.trainings().drop(training)


def test_other_pages_show_what_the_last_step_has_made(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "LAST_STEP", 60.0)
    train(page)
    wait_until_it_trains(page)
    training = memory_of(page)["training_now"]
    go_to(page, "masks")
    shown = trained_here.find(training.token)
    until(lambda: training.process is None)
    assert shown is not None
    assert shown.steps == training.step


def test_whoever_watches_a_training_is_not_asked_to_press_train(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those who followed a teacher until she closed the room."""
    browser = ["one"]
    monkeypatch.setattr(trainings, "browser", lambda: browser[0])
    monkeypatch.setattr(trainings, "is_there", lambda _: True)
    train(page)
    wait_until_it_trains(page)
    browser[0] = "another"
    other = open_page("training", weights="translator", steps=5_000)
    assert "Press *Train*: once" in texts(other)
    choose(other, run=memory_of(page)["training_now"].token).run()
    assert "Press *Train*: once" not in texts(other)
    assert "Once it has learnt, this model answers here" in texts(other)
