"""One session's training: begin it, leave it, find it again, and show its weights on all pages."""

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache

from explorer.choices.parameters import HERE, Frame, Learning
from explorer.choices.sources import shape_of
from explorer.languages import tr
from explorer.runtime.engine import engine
from explorer.runtime.limits import cores, memory_limit, memory_set_aside
from explorer.runtime.memory import MIB, free_memory
from explorer.runtime.turns import release_turn, turn
from explorer.training.cost import required_memory
from explorer.training.pool import WORKER_MEMORY, Training, Trainings
from explorer.training.worker import Order
from explorer.ui.controls.choices import choose, chosen, value
from explorer.ui.controls.weights import (
    LEFT,
    keep_shape,
    leave_trained,
    show_in_place_of,
    show_trained_here,
)
from explorer.ui.frame.session import browser, memory, session
from explorer.web.visitors import is_there
from explorer.weights import trained_here
from explorer.weights.checkpoints import Checkpoint

_WINDOW = "window "
NOW = "training_now"  # the training that runs or waits, until its weights are on show
LAST_STEP = 2.0  # seconds that other pages wait for the last step, to show what it has made


def current() -> Training | None:
    """The training on show: the running one, or the one whose weights are on show."""
    training: Training | None = memory().get(NOW)
    if training is not None:
        return training
    training = trainings().by_token(chosen(Frame.run) or "")
    if training is None or (value(Frame.weights) != HERE and training.was_kept):
        return None
    return training  # also one that was paused before it had any weights to show


def begin(order: Order, training: Training | None) -> None:
    """Train with the order's options: continue `training`, or begin a new one."""
    if training is None:
        training = trainings().new(_visitor(), order)
    threads = max(1, (cores() - 1) // trainings().at_once)  # one core is left for the pages
    training.owner, training.order = _visitor(), replace(order, threads=threads)
    memory()[NOW] = training
    if value(Frame.weights) == HERE and chosen(Frame.run) != training.token:
        _begin_anew(order)  # a model like the one on show
    choose(Frame.run, training.token)
    trainings().start(training)


def _begin_anew(order: Order) -> None:
    """Replace trained weights by those that the order begins with; the page stays as it is."""
    choose(Learning.task, order.task.name)
    keep_shape(HERE)
    leave_trained(HERE)
    memory().pop(LEFT, None)  # the weights on show now have no name any more


def continued_by(order: Order, training: Training | None) -> Training | None:
    """This training if the order continues it: one with the same task, model and device.

    And nobody else's: whoever opened a link to it begins a training of their own.
    """
    if training is None or is_somebody_elses(training):
        return None
    return training if _identity(training.order) == _identity(order) else None


def is_of_same_model(training: Training, order: Order) -> bool:
    """Whether an order is for the same task and shape; pairs of one's own may have changed."""
    ours, theirs = training.order, order
    same_task = ours.task.name == theirs.task.name
    same_start = (ours.seed, ours.device) == (theirs.seed, theirs.device)
    return same_task and same_start and shape_of(ours.config) == shape_of(theirs.config)


def change_rate(training: Training, lr: float) -> None:
    """Continue with another learning rate."""
    if lr != training.order.training.lr:
        training.order = replace(training.order, training=replace(training.order.training, lr=lr))
        trainings().send(training, {"lr": lr})


def too_large(order: Order) -> str:
    """The reason why this cannot be trained here, or nothing."""
    # This process shows and keeps a few copies of the model.
    here = 4 * 4 * order.config.n_weights
    need = here + required_memory(order.config, order.training, order.task)
    free = free_memory(order.device) + engine().kept_memory
    if order.device == "cpu":  # it can wait for other trainings to end
        free += memory_set_aside() - WORKER_MEMORY
    if need < 0.9 * free:
        return ""
    return tr(
        "Training this model takes about {need:,.0f} MB, and {free:,.0f} MB are free. Lower "
        "d_model ({d_model}), the layers ({encoder} + {decoder}) or the sentences per step "
        "({batch}).",
        need=need / MIB,
        free=max(0, free) / MIB,
        d_model=order.config.d_model,
        encoder=order.config.n_encoder_layers,
        decoder=order.config.n_decoder_layers,
        batch=order.training.batch_size,
    )


def duration_in_words(seconds: float) -> str:
    """A duration in words."""
    if seconds < 90:
        return tr("{seconds} s", seconds=max(1, round(seconds)))
    if seconds < 5400:
        return tr("{minutes:.0f} min", minutes=seconds / 60)
    return tr("{hours:.1f} hours", hours=seconds / 3600)


def forget(training: Training | None) -> None:
    """Forget a training and its weights, on all pages.

    Whoever opened a link to somebody else's training forgets the link alone.
    """
    memory().pop(NOW, None)
    token = chosen(Frame.run)
    if token is not None:
        found = trained_here.find(token)
        if value(Frame.weights) == HERE and found is not None:
            show_in_place_of(found)
        choose(Frame.run, None)
    if training is not None and not is_somebody_elses(training):
        trainings().drop(training)
        trained_here.drop(training.token)


def is_somebody_elses(training: Training) -> bool:
    """Whether another visitor, who is still there, began or continued this training."""
    return training.owner != _visitor() and _is_here(training.owner)


def leave_training(*, show: bool = True) -> None:
    """Pause the training and keep its weights; with `show`, all pages show them."""
    left = memory().pop(NOW, None)
    if left is not None:
        trainings().pause(left)
        if show:
            with release_turn():
                trainings().wait_for_end(left, LAST_STEP)
            show_newest(left)
        else:
            _keep_newest(left)


def show_newest(training: Training) -> bool:
    """Show the newest weights on all pages; returns whether they were not yet on show."""
    is_new = _keep_newest(training)
    if trained_here.find(training.token) is None:
        return False
    if not training.is_live:
        memory().pop(NOW, None)
    if value(Frame.weights) == HERE and chosen(Frame.run) == training.token:
        return is_new  # an address may say what else is chosen
    show_trained_here(training.token)
    choose(Learning.task, None)
    return True


def _keep_newest(training: Training) -> bool:
    """Keep the newest weights as those trained here, unless they have been kept before."""
    kept = trained_here.find(training.token)
    if not training.latest or (kept is not None and kept.steps == training.latest):
        return False
    with turn():  # it may have to measure the accuracy
        newest = trainings().checkpoint(training)
    if newest is None:
        return False
    trained_here.keep(newest, training.token)
    training.was_kept = True
    return True


def take_loaded(checkpoint: Checkpoint) -> None:
    """Show weights from a file."""
    leave_training(show=False)
    show_trained_here(trained_here.keep(checkpoint))
    choose(Learning.task, None)


def find_again() -> str:
    """After a reload, find the training that the address names; returns a note if it is gone."""
    token = chosen(Frame.run) or ""
    training = trainings().by_token(token)
    if training is None:
        if not token or value(Frame.weights) == HERE or trained_here.find(token) is not None:
            return ""  # weights that are gone are reported anyway
        choose(Frame.run, None)
        return tr(
            "The training in this address is gone: its server was started anew, or has forgotten "
            "it. Train once more on the page “Training”."
        )
    if training.is_live and (training.owner.startswith(_WINDOW) or not is_somebody_elses(training)):
        training.owner = _visitor()
        memory()[NOW] = training
    show_newest(training)
    return ""


def runs_elsewhere(training: Training | None) -> bool:
    """Whether another window, of this or another visitor, runs the training."""
    return training is not None and training.is_live and NOW not in memory()


@cache
def trainings() -> Trainings:
    """The trainings of this server; cores and memory limit how many run at once."""
    memory = max(1, (memory_limit() - 450 * MIB) // WORKER_MEMORY)
    at_once = min(max(1, cores() // 2), memory, 4)
    return Trainings(at_once, _is_here, _room_for)


def _visitor() -> str:
    """The name of this visitor: the browser's; without cookies, the window's."""
    return browser() or f"{_WINDOW}{session().name}"


def _is_here(visitor: str) -> bool:
    """Whether a visitor has a window open; nobody knows that of one without cookies."""
    return visitor.startswith(_WINDOW) or is_there(visitor)


def _identity(order: Order) -> tuple[object, ...]:
    return order.task, order.config, order.seed, order.device


def _room_for(order: Order) -> AbstractContextManager[bool]:
    """Whether there is enough memory for a process that carries out this order."""
    on_gpu = order.device != "cpu"
    need = 0 if on_gpu else required_memory(order.config, order.training, order.task)
    return engine().room_for(WORKER_MEMORY + need)
