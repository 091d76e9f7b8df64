"""What is to be learnt and how: the training page's controls, each explained where it is set."""

from dataclasses import replace
from typing import get_args

import streamlit as st

from explorer.config import Schedule, TrainConfig
from explorer.tasks.tasks import TASKS, Memorise, Pair, Rearrange, Task
from explorer.text import MAX_PAIRS, MAX_TOKENS, tokenize
from explorer.ui.controls.choices import IN_URL, choice
from explorer.ui.controls.sentences import exchange_sentences
from explorer.ui.settings import OWN_PAIRS, TRAINED, Settings


def task_chosen() -> None:
    """Sentences that this task can read are put up, and the weights that came along for it."""
    state = st.session_state
    state.weights = state.task if state.task in TASKS else "untrained"
    exchange_sentences(state.task)


def choose_task(settings: Settings) -> Task | None:
    """What is to be learnt; None where there is nothing to learn from."""
    name = st.segmented_control(
        "Task", TRAINED, default=TRAINED[0], required=True, key="task", on_change=task_chosen,
        label_visibility="collapsed", **IN_URL,
    )  # fmt: skip
    if name != OWN_PAIRS:
        return TASKS[name]
    given = [
        Pair(tuple(tokenize(source)[:MAX_TOKENS]), tuple(tokenize(target)[:MAX_TOKENS]))
        for source, target in zip(settings.sources, settings.targets, strict=True)
    ]
    whole = tuple(pair for pair in given if pair.source and pair.target)[:MAX_PAIRS]
    return Memorise(whole) if whole else None


def choose_training(task: Task) -> tuple[Task, TrainConfig]:
    """The options, each explained where it is set; how long sentences get is the task's."""
    with st.popover("Options", icon=":material/tune:", key="train_options"):
        left, right = st.columns(2)
        with left:
            if isinstance(task, Rearrange):
                longest = choice("Words, at most", range(4, 25), key="longest", usual=12)
                task = replace(task, longest=longest)
            steps = st.number_input("Steps", 50, 20_000, 600, 50, key="steps", **IN_URL)
            lr = st.number_input(
                "Highest learning rate", 0.00001, 0.1, 0.005, 0.0005, format="%.5f", key="lr",
                help="May be changed while it trains. It is meant for d_model 64: a wider model "
                "gets 64/d_model of it, because every step changes more in it.", **IN_URL,
            )  # fmt: skip
            schedule = st.selectbox(
                "Schedule", get_args(Schedule), key="schedule",
                help="“warm-up, then to 0” rises to the highest rate and falls in a straight line "
                "towards 0 at the last step. “the paper's” (section 5.3) follows d_model^−½ · "
                "min(step^−½, step · warm-up^−3/2), whatever the highest rate.", **IN_URL,
            )  # fmt: skip
            warmup = st.number_input(
                "Warm-up steps", 0, 10_000, 150, 50, key="warmup",
                help="The rate grows in a straight line over these steps, unless it is constant: "
                "Adam's first estimates are poor, and large steps on them do harm.", **IN_URL,
            )  # fmt: skip
            batch_size = st.number_input("Sentences a step", 4, 256, 64, 4, key="batch", **IN_URL)
        with right:
            smoothing = st.number_input(
                "Label smoothing", 0.0, 0.5, 0.0, 0.05, key="smoothing",
                help="Share of the probability that the loss wants spread over all words instead "
                "of the right one; the paper takes 0.1. The loss then cannot reach 0.", **IN_URL,
            )  # fmt: skip
            clip = st.number_input(
                "Largest gradient norm", 0.0, 100.0, 1.0, 0.5, key="clip",
                help="A longer gradient is shortened to this length, so that one odd batch cannot "
                "throw the model far off. 0 switches it off.", **IN_URL,
            )  # fmt: skip
            lone = st.number_input(
                "Lone heads", 0.0, 0.9, 0.25, 0.05, key="lone",
                help="In this share of the sentences only one cross-attention head, drawn by lot, "
                "has a say. Each head then learns to do the whole work, and its picture can be "
                "read; at 0 the heads share the work, and no one of them tells it all.", **IN_URL,
            )  # fmt: skip
            seed = st.number_input(
                "Seed of the sentences", 0, 999_999, 0, key="train_seed", **IN_URL
            )
            st.caption("In the sidebar: dropout, size of the model, seed of its first weights.")
    return task, TrainConfig(
        steps=steps, batch_size=batch_size, lr=lr, schedule=schedule, warmup=warmup,
        label_smoothing=smoothing, clip=clip, lone_heads=lone, seed=seed,
    )  # fmt: skip
