"""The model in one line, its controls below it, and the settings of all controls."""

from functools import partial
from typing import Final

import streamlit as st

from explorer.choices.domains import default_heads
from explorer.choices.parameters import UNTRAINED_NAME, USUAL, Frame, devices
from explorer.choices.settings import Settings
from explorer.choices.sources import PARTS
from explorer.config import ModelConfig, head_choices
from explorer.languages import between, mark, numeral, tr, tr_n
from explorer.markdown import literal
from explorer.names import PaddingSide
from explorer.runtime.device import device_name
from explorer.tokenizer import IdTokenizer
from explorer.ui.controls.batch import tokenizer_on_show
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import value
from explorer.ui.controls.loading import draw_loading_folded
from explorer.ui.controls.parts import (
    ACTIVATION_NAMES,
    NORM_NAMES,
    POSITION_NAMES,
    draw_parts,
    other_parts,
)
from explorer.ui.controls.sentences import READ_PAD, typed_pairs
from explorer.ui.controls.weights import (
    can_be_chosen,
    config_on_show,
    entry_in_menu,
    is_too_large_to_watch,
    left_weights,
    shape_changed,
    show_weights,
    source_on_show,
    trains_another,
    weights_chosen,
    weights_in_words,
)
from explorer.ui.controls.widgets import number, segments, select, select_slider, slider
from explorer.ui.frame.page import fold, folded
from explorer.ui.frame.session import memory, session
from explorer.ui.training.watched import NOW
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import Learnt, Pretrained, learnt, request
from explorer.weights.pieces import SubwordTokenizer

SIDE_NAMES: Final[dict[PaddingSide, str]] = {
    "right": mark("right side"),
    "left": mark("left side"),
}


def draw_model() -> None:
    """Say which model the page shows; unfolded, the controls for model, padding and device.

    They show the shape of the model on show. Trained weights have their own shape; changing it
    makes an untrained model of the new shape.
    """
    with st.container(key="model", width="content"):
        # Its label stays the same, or it would close with each change: the model is said over it.
        name, is_open = folded("model_settings")
        panel = st.popover(tr("Model"), key=name, on_change="rerun", width="stretch")
        st.markdown(_model_in_words())
    if not is_open:
        return
    config = config_on_show()
    with panel.container(key="model_controls"):
        left, right = st.columns(2, gap="large")
        with left:
            st.subheader(tr("Model"), anchor=False)
            select(
                Frame.weights,
                tr("Weights"),
                can_be_chosen(),
                names=entry_in_menu,
                on_change=weights_chosen,
            )
            _say_about()
            draw_loading_folded()
            _draw_padding_and_device()
        with right:
            st.subheader(tr("Shape"), anchor=False)
            if config is not None and isinstance(source_on_show(), Pretrained):
                _say_shape(config)
            else:
                _draw_shape()
                if config is not None:
                    st.caption(
                        tr(
                            "These weights were trained in this shape. In another one, the model "
                            "starts untrained and its attention means nothing; a button then "
                            "brings the weights back."
                        )
                    )


def _model_in_words() -> str:
    """The model that the page shows: its name, and its shape."""
    name, config = weights_in_words(value(Frame.weights)), config_on_show() or _config()
    if trains_another():
        name = tr("in training") if in_training() else weights_in_words(UNTRAINED_NAME)
        config = USUAL if is_too_large_to_watch() else config
    layers = [str(n) for n in (config.n_encoder_layers, config.n_decoder_layers) if n]
    shape = [
        f"d_model {numeral(config.d_model, ',')}",
        tr_n("{n} head", "{n} heads", config.n_heads),
        tr_n("{layers} layer", "{layers} layers", int(layers[-1]), layers=" + ".join(layers)),
        value(Frame.device).upper(),
    ]
    return f"**{literal(name)}**  \n{' · '.join(shape)}"


def _draw_shape() -> None:
    """The controls for the shape, the seed and dropout."""
    d_model = number(Frame.d_model, "d_model", on_change=partial(shape_changed, Frame.d_model))
    heads = select_slider(
        Frame.heads,
        tr("Heads"),
        head_choices(d_model),
        on_change=partial(shape_changed, Frame.heads),
    )
    if value(Frame.d_k) is None:  # why there may be other heads with another d_model
        st.caption(
            tr(
                "Heads share d_model evenly: d_k = {d_model} ÷ {heads} = {d_k}.",
                d_model=d_model,
                heads=heads,
                d_k=d_model // heads,
            )
        )
    left, right = st.columns(2)
    stacks = ((left, Frame.enc, tr("Encoder layers")), (right, Frame.dec, tr("Decoder layers")))
    for column, parameter, label in stacks:
        with column:
            slider(parameter, label, on_change=partial(shape_changed, parameter))
    fold(tr("Other parts"), "parts", draw_parts, icon=":material/build:")
    if others := other_parts(config_on_show() or _config()):
        st.caption(tr("Not as in the paper: {parts}.", parts=between(", ").join(others)))
    fold(tr("More"), "more_of_model", _draw_more, d_model, icon=":material/tune:")


def _draw_more(d_model: int) -> None:
    number(
        Frame.d_ff,
        "d_ff",
        placeholder=f"4 × d_model = {4 * d_model}",
        on_change=partial(shape_changed, Frame.d_ff),
    )
    number(
        Frame.seed,
        tr("Seed of untrained weights"),
    )
    dropout = select_slider(
        Frame.dropout,
        tr("Dropout"),
        help=tr(
            "0.0 switches dropout off. Attention weights are shown before dropout, so that rows "
            "sum to 1. Answers are written without dropout."
        ),
    )
    if dropout:
        number(Frame.dropout_seed, tr("Seed of the dropout"))


def _say_shape(config: ModelConfig) -> None:
    """The shape of a pretrained model, which nobody can change."""
    feed_forward = f"d_ff **{numeral(config.d_ff, ',')}**, {ACTIVATION_NAMES[config.activation]}"
    norm = NORM_NAMES[config.norm]
    lines = [
        f"d_model **{numeral(config.d_model, ',')}**",
        tr("Heads: **{n}**, d_k {d_k}", n=config.n_heads, d_k=config.d_k),
        tr("Encoder layers") + f": **{config.n_encoder_layers}**",
        tr("Decoder layers") + f": **{config.n_decoder_layers}**",
        tr("{feed_forward}, gated", feed_forward=feed_forward) if config.gated else feed_forward,
        tr("pre-norm, {norm}", norm=norm)
        if config.norm_first
        else tr("post-norm, {norm}", norm=norm),
        tr("positions: {kind}", kind=tr(POSITION_NAMES[config.positions])),
    ]
    st.markdown("\n".join(f"- {line}" for line in lines))


def _draw_padding_and_device() -> None:
    st.subheader(tr("Padding"))
    segments(
        Frame.side,
        # Translators: followed by “right side” or “left side”.
        tr("PAD goes on the"),
        names=SIDE_NAMES,
        label_visibility="visible",
    )
    number(
        Frame.length,
        tr("Pad to length"),
        placeholder=tr("longest sentence"),
    )

    st.subheader(tr("Device"))
    device = select(Frame.device, tr("Runs on"), devices(), disabled=len(devices()) == 1)
    if device != "cpu":
        st.caption(device_name(device))


def in_training() -> bool:
    """Whether this session is training a model."""
    training = memory().get(NOW)
    return training is not None and training.is_live


def read_settings() -> Settings:
    """The settings that the controls hold."""
    pairs = typed_pairs()
    sources, targets = zip(*pairs, strict=True)
    source, reads, config = source_on_show(), tokenizer_on_show(), config_on_show()
    if config is not None and not config.has_decoder:
        targets = ("",) * len(sources)
    # A pretrained model is shown as it is used.
    dropout = 0.0 if isinstance(source, Pretrained) else value(Frame.dropout)
    return Settings(
        sources=sources,
        targets=targets,
        tokenizer=reads,
        side=value(Frame.side),
        length=value(Frame.length),
        row=min(value(Frame.pair), len(pairs)) - 1,
        hide_pad=value(Frame.hide_pad) and session().page not in READ_PAD,
        request=request(
            source,
            _config() if config is None else None,
            seed=value(Frame.seed),
            device=value(Frame.device),
            dropout=dropout,
        ),
        learnt=learnt(source),
        dropout_seed=value(Frame.dropout_seed) if dropout else None,
    )


def _say_about() -> None:
    found, left = learnt(source_on_show()), left_weights()
    if in_training():
        st.caption(tr("In training now: the pictures on this page show how far it is."))
    elif found is not None:
        st.caption(_about(found))
        if value(Frame.side) == "left":
            st.caption(
                tr(
                    "PAD on the left moves words to later positions. The models trained here, and "
                    "most others, learnt with PAD on the right."
                )
            )
    elif left is not None:
        st.warning(
            tr("Untrained weights: the mechanics are real, the pattern means nothing."),
            icon=":material/warning:",
        )
        button(
            tr("Back to “{name}”", name=weights_in_words(left)),
            key="back_to_trained",
            icon=":material/undo:",
            on_click=show_weights,
            args=(left,),
        )


def _about(found: Learnt) -> str:
    """A model's task, the time of its training, and its quality."""
    if not found.steps:
        return tr("{title}: {quality}", title=found.title, quality=literal(found.quality))
    return tr(
        "{title}: {n:,} steps, {quality}",
        n=found.steps,
        title=found.title,
        quality=found.quality,
    )


def _config() -> ModelConfig:
    """The configuration of an untrained model with the chosen shape."""
    d_model = value(Frame.d_model)
    pad_id = value(Frame.pad_id) if value(Frame.tokens) == "ids" else 0
    reads = tokenizer_on_show()
    size = VOCAB_SIZE
    if isinstance(reads, IdTokenizer):
        size = reads.vocab_size
    elif isinstance(reads, SubwordTokenizer):
        size = reads.vocabulary.size
    return ModelConfig(
        d_model=d_model,
        n_heads=default_heads(d_model, value(Frame.heads)),
        n_encoder_layers=value(Frame.enc),
        n_decoder_layers=value(Frame.dec),
        d_ff=value(Frame.d_ff) or 4 * d_model,
        norm_first=value(Frame.norm) == "pre",
        **{part: value(parameter) for part, parameter in PARTS.items()},
        src_vocab_size=size,
        tgt_vocab_size=size,
        src_pad_id=pad_id,
        tgt_pad_id=pad_id,
    )
