"""The training page and the weights trained here, without a browser and without training."""

from functools import partial
from types import SimpleNamespace

import pytest
import safetensors.torch
from streamlit.testing.v1 import AppTest

from explorer.config import TrainConfig
from explorer.tasks.tasks import COPY, REVERSE, Memorise, Pair
from explorer.text import MAX_TOKENS
from explorer.training.pool import Training, Trainings
from explorer.training.recipes import config_for
from explorer.training.worker import Order
from explorer.transformer import Transformer
from explorer.ui.training import progress as learning
from explorer.ui.training import watched as trainings
from explorer.weights import trained_here
from explorer.weights.checkpoints import Checkpoint
from tests.app.driving import (
    components,
    memory_of,
    open_page,
    pictures,
    press,
    state_of,
    texts,
)

OWN = Memorise((Pair(("hi",), ("hello", "there")),))


@pytest.fixture
def stopped() -> tuple[AppTest, Training]:
    """A session on the training page, whose training was stopped after step 38.

    What the page knows of is step 27: all that was there when it was stopped.
    """
    order = Order(task=COPY, config=config_for(COPY), training=TrainConfig())
    training = trainings.trainings().new("me", order)
    training.phase, training.step = "paused", 38
    weights = safetensors.torch.save(Transformer(order.config, seed=1).state_dict())
    trainings.trainings()._set_latest(training, 27, weights)
    at = open_page("training", task="copy", weights="here", run=training.token)
    assert _steps_kept(training) == 27
    trainings.trainings()._set_latest(training, 38, weights)
    return at, training


def _steps_kept(training: Training) -> int:
    kept = trained_here.find(training.token)
    return 0 if kept is None else kept.steps


def test_all_pages_show_the_last_weights_of_a_training(stopped: tuple[AppTest, Training]) -> None:
    at, training = stopped
    assert "copy: 27 steps" in texts(at)
    at.run()
    assert _steps_kept(training) == 38
    assert at.selectbox(key="weights").value == "here"
    assert "copy: 38 steps" in texts(at)


def test_a_window_shows_weights_that_another_one_has_kept(
    stopped: tuple[AppTest, Training],
) -> None:
    """As those of a room do, which all show the teacher's training."""
    _, training = stopped
    begun = open_page("training", weights="reverse", task="copy")
    memory_of(begun)[trainings.NOW] = training
    open_page("training", task="copy", weights="here", run=training.token)
    assert _steps_kept(training) == 38
    begun.run()
    assert begun.selectbox(key="weights").value == "here"


def test_a_link_to_trained_weights_keeps_what_else_it_says(
    stopped: tuple[AppTest, Training],
) -> None:
    _, training = stopped
    open_page("training", weights="here", run=training.token)  # keeps its weights
    at = open_page("training", weights="here", run=training.token, task="sort")
    assert at.query_params["task"] == "sort"


def test_weights_that_one_has_left_do_not_come_back_when_the_server_forgets_them(
    stopped: tuple[AppTest, Training],
) -> None:
    at, training = stopped
    press(at, "Back to the translator")
    trained_here.drop(training.token)
    assert at.run().selectbox(key="weights").value == "translator"


def test_over_a_model_that_has_learnt_nothing_stands_no_other_model_s_answer() -> None:
    at = open_page("training", weights="translator")
    assert "answer_pieces" not in components(at)
    assert "once it has learnt, this model answers here" in texts(at)
    assert "**untrained**  \nd_model 64 · 4 heads · 2 + 2 layers" in texts(at)
    elsewhere = open_page("attention", weights="translator")
    assert "**translator**  \nd_model 256 · 8 heads · 4 + 3 layers" in texts(elsewhere)


def test_a_reset_takes_nothing_from_whoever_trained(
    stopped: tuple[AppTest, Training], monkeypatch: pytest.MonkeyPatch
) -> None:
    at, training = stopped
    at.run()
    for connected, kept in ((True, True), (False, False)):
        monkeypatch.setattr(trainings, "is_there", lambda _, it=connected: it)
        other = open_page("training", task="copy", weights="here", run=training.token)
        press(other, "Reset")
        assert "trained here" not in other.selectbox(key="weights").options
        assert (trained_here.find(training.token) is not None) == kept
        assert (trainings.trainings().by_token(training.token) is not None) == kept


def test_whoever_follows_a_link_trains_a_model_of_their_own(
    stopped: tuple[AppTest, Training], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever trained would otherwise find it running in another window."""
    _, training = stopped
    for connected, theirs in ((True, True), (False, False)):
        monkeypatch.setattr(trainings, "is_there", lambda _, it=connected: it)
        goes_on = trainings.continued_by(training.order, training)
        assert goes_on is (None if theirs else training)


@pytest.mark.parametrize("choices", [{}, {"train_seed": "7"}, {"longest": "4"}])
def test_a_training_begins_over_weights_that_were_trained_here(
    stopped: tuple[AppTest, Training], monkeypatch: pytest.MonkeyPatch, choices: dict[str, str]
) -> None:
    _, theirs = stopped
    monkeypatch.setattr(trainings, "is_there", lambda _: True)
    monkeypatch.setattr(Trainings, "start", lambda _, begun: setattr(begun, "phase", "waiting"))
    at = open_page("training", weights="here", run=theirs.token, **choices)
    press(at, "Train").run()
    begun = memory_of(at)[trainings.NOW]
    assert begun is not theirs
    assert begun.is_live
    assert begun.order.task.name == "copy"
    assert at.query_params["run"] == begun.token
    assert at.selectbox(key="weights").value == "untrained"
    assert "are gone" not in texts(at)


@pytest.mark.parametrize("count", [128, 129, 300])
def test_the_target_is_the_right_answer_to_what_is_read(count: int) -> None:
    """And not to all that was typed."""
    words = [f"w{n % 50}" for n in range(count)]
    at = open_page("training", weights="reverse", **state_of([(" ".join(words), "")]))
    queries = pictures(at)["learning_head"]["spec"]["layout"]["yaxis"]["ticktext"]
    assert len(queries) == MAX_TOKENS + 1  # BOS before them
    assert queries[1].split(" → ")[0].endswith(words[MAX_TOKENS - 1])


def test_a_sentence_without_a_right_answer_is_not_judged() -> None:
    pairs = [("der Hund singt laut", "today the old dog has seen")]
    at = open_page("training", weights="german", task="german", **state_of(pairs))
    shown = texts(at)
    assert "right)" not in shown
    at = open_page(
        "training", weights="german", task="german", **state_of([("der Hund singt", "")])
    )
    assert "of 4 right)" in texts(at)  # "the dog sings" and EOS


@pytest.mark.parametrize(("phase", "step"), [("done", 600), ("paused", 38)])
def test_one_s_own_pairs_stay_the_task_once_they_are_learnt(
    phase: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = trainings.trainings()
    monkeypatch.setattr(pool, "_fill", lambda: None)
    at = open_page("training", drawer="own", **state_of([("hi", "hello there")]))
    press(press(at, "Learn my own pairs"), "Train")
    training = memory_of(at)[trainings.NOW]
    pool._queue.remove(training)
    training.phase, training.step = phase, step
    weights = safetensors.torch.save(Transformer(training.order.config, seed=1).state_dict())
    pool._set_latest(training, step, weights)
    at.run()
    assert _steps_kept(training) == step
    for _ in range(2):
        assert at.segmented_control(key="task").value == "pairs"
        labels_now = [button.label for button in at.button]
        assert "Train" not in labels_now
        assert ("Resume" in labels_now) == (phase == "paused")
        at.run()
    said = [element.value for element in at.markdown]
    assert sum("It learns your pairs by heart" in text for text in said) == 1
    assert "Learn my own pairs" not in [button.label for button in at.button]
    pool.drop(training)
    trained_here.drop(training.token)


@pytest.mark.parametrize(
    ("share", "now", "then"),
    [(0.1, None, 0.2), (0.3, 0.2, 0.2), (0.4, 0.2, 1.0), (0.3, 1.0, 1.0), (0.1, 1.0, 0.2)],
)
def test_a_training_is_drawn_seldom_while_many_others_draw(
    share: float, now: float | None, then: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And does not change to and fro where their number hardly does."""
    monkeypatch.setattr(learning, "busy_share", lambda: share)
    order = Order(task=OWN, config=config_for(OWN), training=TrainConfig())
    assert learning.pace(Training("me", order, phase="training"), now) == then
    assert learning.pace(Training("me", order, phase="waiting"), now) == 1.0
    assert learning.pace(Training("me", order, phase="done"), now) is None


def test_a_training_that_is_gone_with_its_server_is_reported() -> None:
    at = open_page("training", weights="reverse", run="NotKnownHere")
    assert "The training in this address is gone" in texts(at)
    assert "run" not in at.query_params


def test_a_waiting_person_reads_why(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = trainings.trainings()
    monkeypatch.setattr(pool, "_fill", lambda: None)
    monkeypatch.setattr(pool, "_is_here", lambda _: True)
    order = Order(task=COPY, config=config_for(COPY), training=TrainConfig(steps=1000))
    first, second, third = (pool.new(f"browser {n}", order) for n in range(3))
    for training in (first, second, third):
        pool.start(training)
    progress = partial(learning.progress_of, order=order)
    assert progress(first)[1] == "Others are training here at the moment: you are next."
    assert progress(second)[1] == "Others are training here at the moment: 1 ahead of you."
    third.step = 400  # it was resumed
    assert progress(third)[1] == (
        "Step 400 of 1,000. Others are training here at the moment: 2 ahead of you."
    )
    third.phase, third.had_its_turn = "paused", True
    assert progress(third)[1] == (
        "Step 400 of 1,000. Paused: while others wait, one training may take 2 min at a stretch."
    )
    third.phase, third.why, third.latest = "failed", "the training process ended unexpectedly", 390
    assert progress(third) == (
        0.4,
        "It stopped: the training process ended unexpectedly. The weights after step 390 are kept.",
    )
    for training in (first, second, third):
        pool.drop(training)


def _show_though_the_run_is_replaced() -> None:
    from collections.abc import Iterator
    from types import SimpleNamespace
    from typing import Any

    import streamlit as st

    from explorer.choices.parameters import HERE, Frame
    from explorer.ui.controls.choices import choose, value
    from explorer.ui.training import watched
    from tests.support.wire import RerunData, RerunException, get_script_run_ctx

    context = get_script_run_ctx()
    assert context is not None
    training: Any = SimpleNamespace(token="a training", latest=60, is_live=False)
    for looks in range(40):
        training.latest += 1
        choose(Frame.weights, "reverse")
        left = iter(range(looks))

        def give_way(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise RerunException(RerunData())

        end = vars(context.session_state)["_yield_callback"]
        object.__setattr__(context.session_state, "_yield_callback", give_way)
        try:
            watched.show_newest(training)
        except RerunException:
            pass
        finally:
            object.__setattr__(context.session_state, "_yield_callback", end)
        watched.show_newest(training)  # in the next run
        assert value(Frame.weights) == HERE, looks
    assert next(left, None) is not None  # it came to its end
    st.session_state.clear()


def test_trained_weights_are_shown_though_another_run_comes_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever that ends the run that takes it: the next one goes on from there."""
    config = config_for(REVERSE)
    found = Checkpoint(
        task=REVERSE, model=Transformer(config), training=TrainConfig(), steps=60, accuracy=1.0
    )
    kept = SimpleNamespace(checkpoint=lambda _: found)
    monkeypatch.setattr(trainings, "trainings", lambda: kept)
    at = AppTest.from_function(_show_though_the_run_is_replaced, default_timeout=60)
    assert not at.run().exception
    trained_here.drop("a training")
