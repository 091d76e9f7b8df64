"""Which weights the pictures show: untrained ones, those that came along, or those trained here."""

from collections.abc import Callable, Hashable
from itertools import count
from typing import Final, Literal

import streamlit as st

from explorer.config import ModelConfig
from explorer.runtime.cache import Shelves
from explorer.tasks.tasks import TASKS, Task
from explorer.ui.controls.choices import IN_URL
from explorer.ui.settings import HERE, UNTRAINED, WEIGHTS, Weights
from explorer.weights.checkpoints import Checkpoint, load, shipped

ROOM: Final = 64 * 2**20  # bytes for the weights trained by all visitors
_numbers: Final = count(1)


@st.cache_resource(show_spinner=False)
def _trained_here() -> Shelves[Checkpoint]:
    return Shelves(ROOM)


@st.cache_resource(show_spinner=False)
def shipped_checkpoint(name: str) -> Checkpoint:
    """The weights that came along for a task."""
    return load(shipped(name))


def draw_weights(on_change: Callable[[], None]) -> None:
    """The one control for the weights."""
    st.selectbox("Weights trained on", WEIGHTS, key="weights", on_change=on_change, **IN_URL)


def keep(checkpoint: Checkpoint) -> None:
    """Make these the weights trained here, for the shape that they have."""
    state = st.session_state
    token = next(_numbers)
    size = 4 * checkpoint.model.config.n_weights
    own = state.setdefault("trained_here", {})
    key = _key(checkpoint.task, checkpoint.model.config)
    _trained_here().drop(own.get(key))
    _trained_here().put(token, size, checkpoint)
    own[key] = token
    state.last_trained = checkpoint.task, checkpoint.model.config


def let_go(task: Task, config: ModelConfig) -> None:
    """As if these weights had never been trained here."""
    state = st.session_state
    key = _key(task, config)
    _trained_here().drop(state.get("trained_here", {}).pop(key, None))
    if "last_trained" in state and _key(*state.last_trained) == key:
        del state.last_trained
        if state.get("weights") == HERE:
            state.choices_next = {"weights": task.name if task.name in TASKS else "untrained"}


def kept(token: Hashable) -> Checkpoint | None:
    """Weights trained here, unless they had to make room for others."""
    return _trained_here().find(token)


def checkpoint_of(weights: Weights) -> Checkpoint | None:
    """The checkpoint behind what is shown, if there is one."""
    if weights.kind == "shipped" and weights.task is not None:
        return shipped_checkpoint(weights.task.name)
    return kept(weights.token) if weights.kind == "here" else None


def _key(task: Task, config: ModelConfig) -> Hashable:
    """What a session's own weights are found by."""
    return task.name, shape(config)


def shape(config: ModelConfig) -> tuple[object, ...]:
    """What must agree for weights to fit a model."""
    return (
        config.d_model,
        config.n_heads,
        config.n_encoder_layers,
        config.n_decoder_layers,
        config.d_ff,
        config.norm_first,
    )


def weights_for(choice: str, level: str, side: str, config: ModelConfig) -> Weights:
    """What can be shown of the choice with a model of this shape."""
    if choice == "untrained":
        return UNTRAINED
    if level != "words" or side != "right":
        return Weights(
            missing="Trained weights read words, with PAD on the right: these are untrained."
        )
    own = st.session_state.get("trained_here", {})
    last = st.session_state.get("last_trained")
    if choice in TASKS:
        task = TASKS[choice]
    elif last is None:
        return Weights(
            missing="Nothing has been trained here yet, or a reload has forgotten it: the weights "
            "are untrained."
        )
    else:
        task = last[0]
    token = own.get(_key(task, config))
    mine = None if token is None else kept(token)
    theirs = None if choice == HERE else shipped_checkpoint(task.name)
    if theirs is not None and shape(theirs.model.config) == shape(config):
        return _weights("shipped", theirs, None)
    if mine is not None:
        return _weights("here", mine, token)
    gone = " any more: memory was needed" if token is not None else ""
    return Weights(
        missing=f"No weights of this shape are trained on “{task.title}”{gone}: these are "
        "untrained."
    )


def shape_choices(config: ModelConfig) -> dict[str, object]:
    """The model's controls, by their keys, as this model has them."""
    return {
        "d_model": config.d_model,
        "heads": config.n_heads,
        "wanted_heads": config.n_heads,
        "enc": config.n_encoder_layers,
        "dec": config.n_decoder_layers,
        "d_ff": None if config.d_ff == 4 * config.d_model else config.d_ff,
        "norm": "pre" if config.norm_first else "post",
    }


def controls_of(choice: str) -> dict[str, object]:
    """The controls that these weights need to be shown, as they need them."""
    config = (
        shipped_checkpoint(choice).model.config
        if choice in TASKS
        else st.session_state.last_trained[1]
    )
    return {"weights": choice, "tokens": "words", "side": "right", **shape_choices(config)}


def unfit(config: ModelConfig) -> str:
    """Why the controls cannot hold such a model, or nothing."""
    limits = (
        ("d_model", config.d_model, 8, 1024),
        ("heads", config.n_heads, 1, 32),
        ("encoder layers", config.n_encoder_layers, 1, 6),
        ("decoder layers", config.n_decoder_layers, 1, 6),
        ("d_ff", config.d_ff, 1, 8192),
    )
    for name, value, low, high in limits:
        if not low <= value <= high:
            return f"The explorer shows models with {name} from {low} to {high:,}, not {value:,}."
    return ""


def _weights(kind: Literal["shipped", "here"], found: Checkpoint, token: Hashable) -> Weights:
    return Weights(
        kind=kind,
        task=found.task,
        accuracy=found.accuracy,
        steps=found.steps,
        token=token,
    )
