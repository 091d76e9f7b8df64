"""The controls of the model, padding and device in the sidebar, and all settings read together."""

from typing import get_args

import streamlit as st

from explorer.config import head_choices
from explorer.device import available_devices, device_name
from explorer.text import MAX_TOKENS, Side
from explorer.ui.choices import IN_URL
from explorer.ui.sentences import text_key
from explorer.ui.settings import DROPOUTS, Settings, default_heads


def draw_model() -> None:
    """The model, padding and device, in the sidebar."""
    st.subheader("Model")
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
        "that rows sum to 1; everything after them has been through it.",
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


def read_settings() -> Settings:
    """The settings as the controls hold them."""
    state = st.session_state
    typed = [
        (state[text_key("src", row)] or "", state[text_key("tgt", row)] or "")
        for row in range(state.pairs)
    ]
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
        row=min(state.get("pair", 1), len(typed)) - 1,
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
