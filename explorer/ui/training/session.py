"""One session's trainings: begun, left, found again, and taken for the weights of all pages."""

from contextlib import AbstractContextManager
from dataclasses import replace

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.runtime.limits import cores, memory_limit, memory_set_aside
from explorer.runtime.memory import free_memory
from explorer.runtime.turns import turn
from explorer.training.cost import required_memory, seconds_a_step
from explorer.training.pool import MIB, WORKER_MEMORY, Training, Trainings
from explorer.training.worker import Order
from explorer.ui.controls.weights import keep, let_go
from explorer.ui.reading import kept_memory, room_for
from explorer.ui.settings import HERE


def current(order: Order) -> Training | None:
    """This session's training for such a model and task; any other one is left."""
    state = st.session_state
    found: Training | None = state.setdefault("trainings", {}).get(_identity(order))
    if state.get("training_now") is not found:
        leave_training(show=False)
    return found


def begin(order: Order) -> None:
    """Train, or go on training, with the order's options."""
    state = st.session_state
    context = get_script_run_ctx()
    training = state.trainings.setdefault(
        _identity(order), Training(context.session_id if context else "", order)
    )
    threads = max(1, (cores() - 1) // trainings().at_once)  # one core is left to the pages
    training.order = replace(order, threads=threads)
    state.training_now = training
    trainings().start(training)


def change_rate(training: Training, lr: float) -> None:
    """Go on with another learning rate."""
    if lr != training.order.training.lr:
        training.order = replace(training.order, training=replace(training.order.training, lr=lr))
        trainings().tell(training, {"lr": lr})


def expected_seconds(order: Order) -> float:
    """How long the steps of an order will take here, roughly."""
    return order.training.steps * seconds_a_step(order.config, order.training, order.task)


def too_large(order: Order) -> str:
    """Why this cannot be trained here, or nothing."""
    # What is shown and kept of the model here is a few copies more.
    here = 4 * 4 * order.config.n_weights
    need = here + required_memory(order.config, order.training, order.task)
    free = free_memory(order.device) + kept_memory()
    if order.device == "cpu":  # where others train at the moment, it waits until they have ended
        free += memory_set_aside() - WORKER_MEMORY
    if need < 0.9 * free:
        return ""
    return (
        f"Training this model takes about {need / MIB:,.0f} MB, and {max(0, free) / MIB:,.0f} MB "
        f"are free. Lower d_model ({order.config.d_model}), the layers "
        f"({order.config.n_encoder_layers} + {order.config.n_decoder_layers}) or the sentences a "
        f"step ({order.training.batch_size})."
    )


def spoken(seconds: float) -> str:
    """A duration as one says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def forget(order: Order) -> None:
    """As if it had never been trained."""
    training = st.session_state.trainings.pop(_identity(order), None)
    st.session_state.pop("training_now", None)
    if training is not None:
        trainings().drop(training)
    let_go(order.task, order.config)


def leave_training(*, show: bool = True) -> None:
    """Nobody trains while looking at something else; what was learnt can be looked at.

    With `show` it is what all pages show from the next run on.
    """
    left = st.session_state.pop("training_now", None)
    if left is not None:
        trainings().pause(left)
        adopt(left, show=show)


def stop() -> None:
    """End it: what was learnt stays, the optimizer's moments go."""
    left = st.session_state.get("training_now")
    if left is not None:
        left.to_end = True
        leave_training()


def adopt(training: Training, *, show: bool = True) -> bool:
    """Make what it has learnt the weights trained here; whether that was anything new."""
    if training.adopted == training.latest:
        return False
    with turn():  # its accuracy may have to be measured
        checkpoint = trainings().checkpoint(training)
    if checkpoint is None:
        return False
    training.adopted = checkpoint.steps
    keep(checkpoint)
    if show:
        st.session_state.choices_next = {"weights": HERE}
    return True


def _identity(order: Order) -> tuple[object, ...]:
    return order.task, order.config, order.seed, order.device


@st.cache_resource(show_spinner=False)
def trainings() -> Trainings:
    """The trainings of this server: as many at once as cores and memory bear."""
    memory = max(1, (memory_limit() - 450 * MIB) // WORKER_MEMORY)
    return Trainings(min(max(1, cores() // 2), memory, 4), _is_here, _room_for)


def _room_for(order: Order) -> AbstractContextManager[bool]:
    """Whether there is memory for a process that carries out this order."""
    on_gpu = order.device != "cpu"
    need = 0 if on_gpu else required_memory(order.config, order.training, order.task)
    return room_for(WORKER_MEMORY + need)


def _is_here(session: str) -> bool:
    return not runtime.exists() or runtime.get_instance().is_active_session(session)
