"""What is to be learnt and how: the training page's controls, each explained where it is set."""

from dataclasses import replace

import streamlit as st

from explorer.config import TrainConfig
from explorer.tasks.tasks import TASKS, Memorise, Pair, Rearrange, Task
from explorer.text import MAX_PAIRS, MAX_TOKENS, tokenize
from explorer.ui.controls.choices import choose, number, segments, select, value
from explorer.ui.controls.examples import ANY_WORDS
from explorer.ui.controls.sentences import exchange_sentences, typed_pairs
from explorer.ui.controls.weights import leave_trained, show_weights
from explorer.ui.parameters import (
    BATCH,
    CLIP,
    LONE,
    LONGEST,
    LR,
    OWN_PAIRS,
    SCHEDULE,
    SMOOTHING,
    STEPS,
    TASK,
    TRAIN_SEED,
    UNTRAINED_NAME,
    WARMUP,
    WEIGHTS,
)
from explorer.ui.settings import Settings
from explorer.ui.training.session import leave_training

TRAINABLE = ("reverse", "copy", "sort", "numbers", "german", OWN_PAIRS)
TASK_NAMES = {OWN_PAIRS: "your own pairs"}
SCHEDULES = {
    "linear": "warm-up, then to 0",
    "paper": "the paper's",
    "constant": "constant",
}


def choose_task(settings: Settings) -> Task | None:
    """What is to be learnt; None where there is nothing to learn from."""
    learnt = settings.learnt
    name = segments(
        TASK,
        "Task",
        usual=learnt.task.name if learnt is not None and learnt.task.name in TRAINABLE else None,
        names=lambda task: TASK_NAMES.get(task, task),
        on_change=_task_chosen,
    )
    if name != OWN_PAIRS:
        return TASKS[name]
    given = [
        Pair(tuple(tokenize(source)[:MAX_TOKENS]), tuple(tokenize(target)[:MAX_TOKENS]))
        for source, target in typed_pairs()
    ]
    whole = tuple(pair for pair in given if pair.source and pair.target)[:MAX_PAIRS]
    return Memorise(whole) if whole else None


def choose_training(task: Task) -> tuple[Task, TrainConfig]:
    """The options, each explained where it is set; how long sentences get is the task's."""
    with st.popover("Options", icon=":material/tune:", key="train_options"):
        left, right = st.columns(2)
        with left:
            if isinstance(task, Rearrange):
                longest = select(LONGEST, "Words, at most", range(4, 25))
                task = replace(task, longest=longest)
            steps = number(STEPS, "Steps", step=50)
            lr = number(
                LR,
                "Highest learning rate",
                step=0.0005,
                format="%.5f",
                help="May be changed while it trains. It is meant for d_model 64: a wider model "
                "gets 64/d_model of it, because every step changes more in it.",
            )
            schedule = select(
                SCHEDULE,
                "Schedule",
                names=SCHEDULES.__getitem__,
                help="“warm-up, then to 0” rises to the highest rate and falls in a straight line "
                "towards 0 at the last step. “the paper's” (section 5.3) follows d_model^−½ · "
                "min(step^−½, step · warm-up^−3/2), whatever the highest rate.",
            )
            warmup = number(
                WARMUP,
                "Warm-up steps",
                step=50,
                help="The rate grows in a straight line over these steps, unless it is constant: "
                "Adam's first estimates are poor, and large steps on them do harm.",
            )
            batch_size = number(BATCH, "Sentences a step", step=4)
        with right:
            smoothing = number(
                SMOOTHING,
                "Label smoothing",
                step=0.05,
                help="The share of the probability that the loss spreads over all words, away from "
                "the right one; the paper takes 0.1. The loss then cannot reach 0.",
            )
            clip = number(
                CLIP,
                "Largest gradient norm",
                step=0.5,
                help="A longer gradient is shortened to this length, so that one odd batch cannot "
                "throw the model far off. 0 switches it off.",
            )
            lone = number(
                LONE,
                "Lone heads",
                step=0.05,
                help="In this share of the sentences only one cross-attention head, drawn by lot, "
                "has a say. Each head then learns to do the whole work, and its picture can be "
                "read; at 0 the heads share the work, and no one of them tells it all.",
            )
            seed = number(TRAIN_SEED, "Seed of the sentences")
            st.caption("In the sidebar: dropout, size of the model, seed of its first weights.")
    return task, TrainConfig(
        steps=steps,
        batch_size=batch_size,
        lr=lr,
        schedule=schedule,
        warmup=warmup,
        label_smoothing=smoothing,
        clip=clip,
        lone_heads=lone,
        seed=seed,
    )


def _task_chosen() -> None:
    """Sentences that this task can read are put up, and the weights that came along for it."""
    leave_training(show=False)
    name = value(TASK)
    if name in TASKS:
        show_weights(name)
        choose(TASK, name)
    else:
        if value(WEIGHTS) != UNTRAINED_NAME:
            leave_trained(value(WEIGHTS))
        exchange_sentences(ANY_WORDS)
