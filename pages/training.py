"""How does it learn? A model is trained while you watch."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.choices.parameters import USUAL, Frame
from explorer.choices.settings import Settings
from explorer.config import ModelConfig, TrainConfig
from explorer.languages import tr
from explorer.tasks.tasks import Task
from explorer.training import trainer
from explorer.training.pool import Training
from explorer.training.worker import Order
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import value
from explorer.ui.controls.weights import is_too_large_to_watch, offer_translator
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code
from explorer.ui.frame.stage import drawer
from explorer.ui.frame.ticking import ticking
from explorer.ui.training.file import show_file
from explorer.ui.training.options import (
    OF_OWN_PAIRS,
    choose_task,
    show_options,
    show_own_pairs,
    training_on_show,
)
from explorer.ui.training.progress import choose_learning, pace, show_learning
from explorer.ui.training.watched import (
    begin,
    change_rate,
    continued_by,
    current,
    forget,
    is_of_same_model,
    leave_training,
    runs_elsewhere,
    too_large,
)
from explorer.weights.catalogue import TrainedHere


def _ties_too_much(config: ModelConfig, task: Task) -> bool:
    """Whether a source and a target with words of their own would have to share embeddings."""
    src_vocab, tgt_vocab = task.vocabularies
    return src_vocab != tgt_vocab and config.tying in ("all", "embeddings")


def order_for(settings: Settings, task: Task, config: TrainConfig) -> Order:
    """The order that a worker would get."""
    src_vocab, tgt_vocab = task.vocabularies
    shape = settings.config
    if is_too_large_to_watch():
        shape = replace(USUAL, dropout=shape.dropout)
    if _ties_too_much(shape, task):
        shape = replace(shape, tying="logits" if shape.tying == "all" else "nothing")
    model = replace(
        shape,
        src_vocab_size=src_vocab.size,
        tgt_vocab_size=tgt_vocab.size,
        src_pad_id=src_vocab.specials.pad,
        tgt_pad_id=tgt_vocab.specials.pad,
    )
    return Order(
        task=task,
        config=model,
        training=config,
        seed=value(Frame.seed),
        device=settings.request.device,
    )


def show_buttons(order: Order, training: Training | None, *, loaded: bool) -> None:
    """Draw the buttons Train, Pause, Resume, the way back and Reset, as far as they apply now."""
    if runs_elsewhere(training):
        return
    if training is not None and training.is_live:
        button(tr("Pause"), icon=":material/pause:", type="primary", on_click=leave_training)
        return
    going_on = continued_by(order, training)
    begun = going_on is not None and going_on.step > 0
    finished = going_on is not None and going_on.step >= order.training.steps
    resumed = going_on is not None and going_on.phase == "paused"
    if not finished:
        # Translators: “Train on” goes on with a training that was finished
        again = tr("Resume") if resumed else tr("Train on")
        button(
            again if begun else tr("Train"),
            icon=":material/play_arrow:",
            type="primary",
            disabled=bool(too_large(order)),
            on_click=partial(begin, order, going_on),
        )
    if loaded:
        offer_translator()
    if training is not None or loaded:  # not where *Pause* stood: a late press would lose all
        button(
            tr("Reset"),
            icon=":material/restart_alt:",
            help=tr("Forgets the weights trained here, on all pages."),
            on_click=partial(forget, training),
        )


def say_what_is_on_show(settings: Settings, order: Order, training: Training | None) -> None:
    """If the pictures do not show the choices of the page, say so below them."""
    source = settings.request.source
    is_idle = training is not None and not training.is_live
    starts_again = is_idle and continued_by(order, training) is None
    if runs_elsewhere(training):
        st.caption(tr("This model is being trained in another window."))
    elif (training is None and isinstance(source, TrainedHere)) or starts_again:
        st.caption(tr("The pictures show the trained model. *Train* starts again."))
    elif training is None and is_too_large_to_watch():
        st.caption(
            tr(
                "The pictures show a small model (d_model {d_model}) before its first step: it "
                "learns while you watch.",
                d_model=order.config.d_model,
            )
        )
    if order.config.tying != settings.config.tying and not is_too_large_to_watch():
        st.caption(
            tr(
                "Source and target have different words in this task, so each has an embedding of "
                "its own here."
            )
        )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("How does it learn?"),
        tr(
            "It guesses every next word, is told the right one, and moves its weights a little. "
            "Watch attention take shape."
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        task = choose_task(settings)
        if task is None:
            st.info(tr(OF_OWN_PAIRS), icon=":material/keyboard:")
            return
        config = training_on_show()
        order = order_for(settings, task, config)
        training = current()
        if training is not None and not is_of_same_model(training, order):
            leave_training(show=False)  # another model was chosen in the meantime
            training = current() if training.was_kept else None
        loaded = isinstance(settings.request.source, TrainedHere)
        show_buttons(order, training, loaded=loaded)
    if problem := too_large(order):
        st.error(problem, icon=":material/memory:")
    if training is not None and training.is_live and not runs_elsewhere(training):
        change_rate(training, config.lr)
    every = pace(training)
    shown = order if training is None else training.order
    pictures = st.container(key="learning_pictures")
    chosen = choose_learning(shown, training)
    with pictures:
        ticking(show_learning, settings, shown, training, chosen, every, every=every)
    say_what_is_on_show(settings, order, training)
    drawer(tr("Options"), "options", show_options, task)
    drawer(tr("Your own pairs"), "own", show_own_pairs, task)
    show_file(settings)
    show_code(trainer.Trainer.step, trainer.accuracy)


show(show_page)
