"""The training page's controls: the task, and the options with their explanations."""

from dataclasses import replace
from typing import Any

import streamlit as st

from explorer.choices.examples import ANY_WORDS
from explorer.choices.parameters import (
    OWN_PAIRS,
    TRAINABLE,
    UNTRAINED_NAME,
    Frame,
    Learning,
    Parameter,
)
from explorer.choices.settings import Settings
from explorer.config import TrainConfig
from explorer.languages import mark, tr
from explorer.tasks.tasks import TASKS, Memorise, Pair, Rearrange, Task
from explorer.text import MAX_PAIRS, MAX_TOKENS, tokenize
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose, drawn, value
from explorer.ui.controls.sentences import exchange_sentences, typed_pairs
from explorer.ui.controls.weights import leave_trained, show_weights
from explorer.ui.controls.widgets import number, segments, select
from explorer.ui.training.watched import leave_training

TASK_NAMES = {OWN_PAIRS: mark("your own pairs")}  # all others are shown by their own names
OF_OWN_PAIRS = mark(
    "It learns your pairs by heart. Type a source and its target in the line on top, and more "
    "pairs under ⋯."
)
SCHEDULES = {
    "linear": mark("warm-up, then to 0"),
    # Translators: the schedule of the paper “Attention Is All You Need”
    "paper": mark("the paper's"),
    "constant": mark("constant"),
}


def choose_task(settings: Settings) -> Task | None:
    """Let the visitor choose a task; None if there is nothing to learn from."""
    learnt = settings.learnt
    own = OWN_PAIRS in (value(Learning.task), learnt and learnt.name)
    tasks = [task for task in TRAINABLE if task != OWN_PAIRS or own]
    name = segments(
        Learning.task,
        tr("Task"),
        tasks,
        usual=learnt.name if learnt is not None and learnt.name in tasks else None,
        names=TASK_NAMES,
        on_change=_task_chosen,
    )
    if name != OWN_PAIRS:
        task = TASKS[name]
        longest = drawn(Learning.longest, value(Learning.longest))
        return replace(task, longest=longest) if isinstance(task, Rearrange) else task
    given = [
        Pair(tuple(tokenize(source)[:MAX_TOKENS]), tuple(tokenize(target)[:MAX_TOKENS]))
        for source, target in typed_pairs()
    ]
    whole = tuple(pair for pair in given if pair.source and pair.target)[:MAX_PAIRS]
    return Memorise(whole) if whole else None


def training_on_show() -> TrainConfig:
    """The options, as they were chosen in their drawer."""
    return TrainConfig(
        steps=_of(Learning.steps),
        lr=_of(Learning.lr),
        schedule=_of(Learning.schedule),
        warmup=_of(Learning.warmup),
        batch_size=_of(Learning.batch),
        label_smoothing=_of(Learning.smoothing),
        clip=_of(Learning.clip),
        lone_heads=_of(Learning.lone),
        seed=_of(Learning.train_seed),
    )


def _of(option: Parameter[Any]) -> Any:
    return drawn(option, value(option))


def show_own_pairs(task: Task) -> None:
    """What can be learnt by heart, and how."""
    st.markdown(tr(OF_OWN_PAIRS))
    if not isinstance(task, Memorise):
        button(
            tr("Learn my own pairs"),
            icon=":material/edit:",
            on_click=_choose_task,
            args=(OWN_PAIRS,),
        )


def show_options(task: Task) -> None:
    """The options of a training."""
    if isinstance(task, Rearrange):
        select(Learning.longest, tr("Words at most"), range(4, 25))
    number(Learning.steps, tr("Steps"))
    number(
        Learning.lr,
        tr("Highest learning rate"),
        help=tr(
            "You can change it during training. It is the rate for d_model 64; a wider model gets "
            "64/d_model of it, because each of its steps changes more."
        ),
    )
    select(
        Learning.schedule,
        tr("Schedule"),
        names=SCHEDULES,
        help=tr(
            "“warm-up, then to 0” rises to the highest rate and falls in a straight line towards 0 "
            "at the last step. “the paper's” (section 5.3) follows d_model^−½ · min(step^−½, step "
            "· warm-up^−3/2), whatever the highest rate."
        ),
    )
    number(
        Learning.warmup,
        tr("Warm-up steps"),
    )
    number(Learning.batch, tr("Sentences per step"))
    number(
        Learning.smoothing,
        tr("Label smoothing"),
    )
    number(
        Learning.clip,
        tr("Largest gradient norm"),
    )
    number(
        Learning.lone,
        tr("Lone heads"),
        help=tr(
            "In this share of the sentences only one cross-attention head of a layer, picked at "
            "random, takes part. So each head has to learn all of the work, and its picture is "
            "easier to read; at 0 the heads can share it among themselves."
        ),
    )
    number(Learning.train_seed, tr("Seed of the sentences"))
    st.caption(tr("In the model's settings above: its size, dropout, seed of its initial weights."))


def _choose_task(name: str) -> None:
    choose(Learning.task, name)
    _task_chosen()


def _task_chosen() -> None:
    """Show the shipped weights for this task, and sentences that it can read."""
    leave_training(show=False)
    name = value(Learning.task)
    if name in TASKS:
        show_weights(name)
        choose(Learning.task, name)
    else:
        if value(Frame.weights) != UNTRAINED_NAME:
            leave_trained(value(Frame.weights))
        exchange_sentences(ANY_WORDS)
