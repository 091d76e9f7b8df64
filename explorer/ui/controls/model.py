"""The controls of the model, padding and device in the sidebar, and all settings read together."""

from typing import get_args

import streamlit as st

from explorer.config import ModelConfig, head_choices
from explorer.runtime.device import available_devices, device_name
from explorer.tasks.tasks import TASKS, judged_on
from explorer.text import MAX_TOKENS, Side
from explorer.ui.controls.choices import IN_URL, as_number
from explorer.ui.controls.sentences import exchange_sentences, typed_text
from explorer.ui.controls.weights import controls_of, draw_weights, weights_for
from explorer.ui.settings import DROPOUTS, HERE, Settings, Weights, default_heads


def draw_model() -> Weights:
    """The model, padding and device, in the sidebar, and which weights all pictures show."""
    st.subheader("Model")
    draw_weights(weights_chosen)
    about_weights = st.container()
    d_model = st.number_input("d_model", 8, 1024, 64, 8, key="d_model", **IN_URL)
    _draw_heads(d_model)
    left, right = st.columns(2)
    left.slider("Encoder layers", 1, 6, 2, key="enc", **IN_URL)
    right.slider("Decoder layers", 1, 6, 2, key="dec", **IN_URL)
    st.number_input(
        "d_ff", 1, 8192, None, key="d_ff", placeholder=f"4 × d_model = {4 * d_model}", **IN_URL
    )
    st.segmented_control(
        "LayerNorm",
        ["post", "pre"],
        default="post",
        required=True,
        key="norm",
        help="post: LayerNorm(x + Sublayer(x)), as in the paper. pre: x + Sublayer(LayerNorm(x)).",
        **IN_URL,
    )
    st.number_input(
        "Seed of the weights",
        0,
        999_999,
        0,
        key="seed",
        **IN_URL,
        help="The same settings give the same weights everywhere.",
    )
    dropout = st.select_slider(
        "Dropout",
        DROPOUTS,
        0.0,
        key="dropout",
        format_func=str,
        help="0.0 switches dropout off. Attention weights are shown as they are before dropout, so "
        "that rows sum to 1; what comes after them has been through it. Answers are written "
        "without it.",
        **IN_URL,
    )
    if dropout:
        st.number_input("Seed of the dropout", 0, 999_999, 0, key="dropout_seed", **IN_URL)

    st.subheader("Padding")
    st.segmented_control(
        "PAD goes on the", get_args(Side), default="right", required=True, key="side", **IN_URL
    )
    st.number_input(
        "Pad to length",
        1,
        MAX_TOKENS,
        None,
        key="length",
        placeholder="longest sentence",
        help="At least this many tokens a sentence. A longer sentence is never cut.",
        **IN_URL,
    )

    st.subheader("Device")
    devices = available_devices()
    device = st.selectbox("Runs on", devices, key="device", disabled=len(devices) == 1, **IN_URL)
    if device != "cpu":
        st.caption(device_name(device))

    weights = weights_on_show()
    with about_weights:
        _say_about(weights)
    return weights


def weights_on_show() -> Weights:
    """The weights that the controls choose, or why there are none."""
    state = st.session_state
    return weights_for(state.weights, state.get("tokens", "words"), state.side, _config())


def weights_chosen() -> None:
    """Other weights: the model takes their shape, and sentences that they can read are put up."""
    state = st.session_state
    if state.weights in TASKS or (state.weights == HERE and "last_trained" in state):
        exchange_sentences(state.weights)
        state.update(controls_of(state.weights))


def in_training() -> bool:
    """Whether a model is learning in this session."""
    training = st.session_state.get("training_now")
    return training is not None and training.is_live


def _say_about(weights: Weights) -> None:
    if in_training():
        st.caption("In training now: the pictures of this page show how far it is.")
    elif weights.missing:
        st.caption(weights.missing)
        if st.session_state.weights in TASKS or "last_trained" in st.session_state:
            st.button("Back to the trained model", on_click=weights_chosen, type="tertiary")
    elif weights.task is not None:
        st.caption(
            f"{weights.task.title}: {weights.steps:,} steps, {weights.accuracy:.1%} of "
            f"{judged_on(weights.task)} right"
        )


def _config() -> ModelConfig:
    """The model's shape as the controls hold it."""
    state = st.session_state
    return ModelConfig(
        d_model=state.d_model,
        n_heads=state.heads,
        n_encoder_layers=state.enc,
        n_decoder_layers=state.dec,
        d_ff=state.d_ff or 4 * state.d_model,
        norm_first=state.norm == "pre",
    )


def read_settings(weights: Weights) -> Settings:
    """The settings as the controls hold them."""
    state = st.session_state
    typed = [(typed_text("src", row), typed_text("tgt", row)) for row in range(state.pairs)]
    while len(typed) > 1 and not "".join(typed[-1]).strip():  # rows still to be filled
        typed.pop()
    sources, targets = zip(*typed, strict=True)
    return Settings(
        sources=sources,
        targets=targets,
        level=state.tokens,
        pad_id=state.get("pad_id", 0),
        side=state.side,
        length=state.length,
        row=min(as_number(state.get("pair"), 1), len(typed)) - 1,
        d_model=state.d_model,
        n_heads=state.heads,
        n_encoder_layers=state.enc,
        n_decoder_layers=state.dec,
        d_ff=state.d_ff,
        norm_first=state.norm == "pre",
        dropout=state.dropout,
        dropout_seed=state.get("dropout_seed", 0),
        seed=state.seed,
        device=state.device,
        theme="dark" if st.context.theme.type == "dark" else "light",
        weights=weights,
    )


def _draw_heads(d_model: int) -> None:
    """Divisors of d_model; a number that does not divide it waits until it does again."""
    state = st.session_state
    if "heads" in state:
        state.heads = default_heads(d_model, state.setdefault("wanted_heads", state.heads))

    def remember() -> None:
        state.wanted_heads = state.heads

    st.select_slider(
        "Heads",
        head_choices(d_model),
        default_heads(d_model),
        key="heads",
        on_change=remember,
        help=f"Only divisors of d_model = {d_model} are offered, up to 32.",
        **IN_URL,
    )
