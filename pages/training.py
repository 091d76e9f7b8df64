"""How does it learn? A model is trained while one watches."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.config import TrainConfig
from explorer.tasks.tasks import Task
from explorer.training import trainer as engine
from explorer.training.worker import Order
from explorer.ui.controls.weights import checkpoint_of, controls_of, keep, unfit
from explorer.ui.frame import show
from explorer.ui.markdown import literal
from explorer.ui.page import heading, show_code
from explorer.ui.settings import HERE, Settings
from explorer.ui.training.options import choose_task, choose_training
from explorer.ui.training.progress import pace, show_learning
from explorer.ui.training.session import (
    Training,
    begin,
    change_rate,
    current,
    forget,
    leave_training,
    stop,
    too_large,
)
from explorer.weights.checkpoints import LARGEST, CheckpointError, load, save


def order_for(settings: Settings, task: Task, config: TrainConfig) -> Order:
    """What a worker would be told."""
    src_vocab, tgt_vocab = task.vocabularies
    model = replace(
        settings.config,
        src_vocab_size=src_vocab.size,
        tgt_vocab_size=tgt_vocab.size,
        src_pad_id=0,
        tgt_pad_id=0,
    )
    return Order(
        task=task, config=model, training=config, seed=settings.seed, device=settings.device
    )


def show_buttons(order: Order, training: Training | None) -> None:
    """Train, pause, resume, stop, reset; what can be pressed depends on how far it is."""
    steps = order.training.steps
    if training is not None and training.is_live:
        st.button("Pause", icon=":material/pause:", type="primary", on_click=leave_training)
        st.button(
            "Stop",
            icon=":material/stop:",
            on_click=stop,
            help="What was learnt stays. Adam's memory of the gradients goes: it begins anew.",
        )
    elif training is None or training.step < steps:
        begun = training is not None and training.step > 0
        st.button(
            ("Resume" if training.phase == "paused" else "Train on") if begun else "Train",
            icon=":material/play_arrow:",
            type="primary",
            disabled=bool(too_large(order)),
            on_click=partial(begin, order),
        )
    else:
        st.button("Trained", icon=":material/check:", disabled=True)
    st.button(
        "Reset",
        icon=":material/restart_alt:",
        help="Forgets what was learnt here, on all pages.",
        disabled=training is None,
        on_click=partial(forget, order),
    )


def show_file(settings: Settings) -> None:
    """Weights to take away, and to bring along."""
    folded = st.expander("Take these weights with you, or load some", key="file", on_change="rerun")
    if not folded.open:
        return
    with folded:
        checkpoint = checkpoint_of(settings.weights)
        if checkpoint is not None:
            st.download_button(
                f"Download these weights ({checkpoint.task.title})",
                save(checkpoint),
                f"{checkpoint.task.name}-d{settings.d_model}.safetensors".replace(" ", "-"),
                "application/octet-stream",
                icon=":material/download:",
                on_click="ignore",
            )
        given = st.file_uploader(
            "Load weights from a file", "safetensors", max_upload_size=LARGEST // 2**20
        )
        if given is not None and st.session_state.get("loaded_file") != given.file_id:
            st.session_state.loaded_file = given.file_id
            st.session_state.file_problem = ""
            load_weights(given.getvalue())
        if given is not None and st.session_state.get("file_problem"):
            st.error(literal(st.session_state.file_problem), icon=":material/error:")


def load_weights(content: bytes) -> None:
    """Make a file's weights those trained here, and the model's controls fit them."""
    try:
        checkpoint = load(content)
        if problem := unfit(checkpoint.model.config):
            raise CheckpointError(problem)
    except CheckpointError as error:
        st.session_state.file_problem = str(error)
        return
    leave_training(show=False)
    keep(checkpoint)
    st.session_state.choices_next = controls_of(HERE)
    st.rerun()


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does it learn?",
        "It guesses every next word, is told the right one, and moves its weights a little: "
        "press *Train* and watch attention take shape.",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        task = choose_task(settings)
        if task is None:
            st.info("Type at least one pair, source and target, above.", icon=":material/keyboard:")
            return
        task, config = choose_training(task)
        order = order_for(settings, task, config)
        training = current(order)
        show_buttons(order, training)
    if problem := too_large(order):
        st.error(problem, icon=":material/memory:")
    if training is not None and training.is_live:
        change_rate(training, config.lr)
    every = pace(training)
    st.fragment(show_learning, run_every=every)(settings, order, training, every)
    if settings.answers is not None and settings.weights.kind == "shipped":
        st.caption("The answers on top are those of the trained weights in the sidebar.")
    show_file(settings)
    show_code("The code that runs", engine.Trainer.step, engine.accuracy)


show(show_page)
