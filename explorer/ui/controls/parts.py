"""The parts that other models have in place of the paper's: their names and their controls."""

from functools import partial
from typing import Final

from explorer.choices.parameters import Frame
from explorer.config import Activation, ModelConfig, Norm, Positions, Tying
from explorer.languages import mark, tr
from explorer.ui.controls.weights import shape_changed
from explorer.ui.controls.widgets import number, segments, select, toggle

ACTIVATION_NAMES: Final[dict[Activation, str]] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU (tanh)",
    "silu": "SiLU",
}
POSITION_NAMES: Final[dict[Positions, str]] = {
    "sinusoidal": mark("waves, as in the paper"),
    "halves": mark("waves, all sines before all cosines"),
    "learned": mark("learned"),
    "t5": mark("learned bias of the scores (T5)"),
    "alibi": mark("bias of the scores (ALiBi)"),
    "rotary": mark("rotary"),
    # Translators: no positions at all.
    "none": mark("none"),
}
NORM_NAMES: Final[dict[Norm, str]] = {"layer": "LayerNorm", "rms": "RMSNorm"}
_TYING_NAMES: Final[dict[Tying, str]] = {
    "nothing": mark("three matrices"),
    "all": mark("one matrix (the paper's section 3.4)"),
    "embeddings": mark("both embeddings are one"),
    "logits": mark("target embedding and output are one"),
}
_PLACE_NAMES: Final = {"post": mark("post"), "pre": mark("pre")}


def other_parts(config: ModelConfig) -> list[str]:
    """The parts of a model that are not the paper's, in words.

    Tying is not among them: it says which matrices are the same one, not what the model computes.
    """
    positions = tr("positions: {kind}", kind=tr(POSITION_NAMES[config.positions]))
    found = {
        tr("pre-norm"): config.norm_first,
        tr("a norm of the embedding"): config.norm_embedding,
        tr("a norm at the end"): config.ends_with_norm and not config.norm_first,
        NORM_NAMES[config.norm]: config.norm != "layer",
        positions: config.positions != "sinusoidal",
        ACTIVATION_NAMES[config.activation]: config.activation != "relu",
        tr("gated feed-forward"): config.gated,
        tr("no biases"): not config.bias,
        tr("no ÷ √d_k"): not config.scale_scores,
        tr("no × √d_model"): not config.scale_embedding,
        f"d_k {config.d_k}": config.d_k * config.n_heads != config.d_model,
    }
    return [words for words, differs in found.items() if differs]


def draw_parts() -> None:
    """The controls for these parts."""
    _draw_norm()
    select(
        Frame.position_kind,
        tr("Positions"),
        names=POSITION_NAMES,
        help=tr(
            "Waves and learned positions are added to the embedding. A bias is added to the "
            "scores, one for each distance. Rotary positions turn q and k."
        ),
        on_change=partial(shape_changed, Frame.position_kind),
    )
    _draw_feed_forward()
    _draw_matrices()


def _draw_norm() -> None:
    segments(
        Frame.norm,
        tr("Place of the norm"),
        names=_PLACE_NAMES,
        label_visibility="visible",
        help=tr("post: Norm(x + Sublayer(x)), as in the paper. pre: x + Sublayer(Norm(x))."),
        on_change=partial(shape_changed, Frame.norm),
    )
    segments(
        Frame.norm_kind,
        tr("Norm"),
        names=NORM_NAMES,
        label_visibility="visible",
        on_change=partial(shape_changed, Frame.norm_kind),
    )


def _draw_feed_forward() -> None:
    select(
        Frame.activation,
        tr("Activation of the feed-forward"),
        names=ACTIVATION_NAMES,
        on_change=partial(shape_changed, Frame.activation),
    )
    toggle(Frame.gated, tr("Gated feed-forward"), on_change=partial(shape_changed, Frame.gated))


def _draw_matrices() -> None:
    """Biases, scaling, tying, and the width of a head."""
    for switch, label in (
        (Frame.bias, tr("Biases")),
        (Frame.divide, tr("Scores ÷ √d_k")),
        (Frame.multiply, tr("Embedding × √d_model")),
    ):
        toggle(switch, label, on_change=partial(shape_changed, switch))
    select(
        Frame.tying,
        tr("Embeddings and output matrix"),
        names=_TYING_NAMES,
        help=tr("The paper's section 3.4 uses one matrix for both embeddings and the output."),
        on_change=partial(shape_changed, Frame.tying),
    )
    number(
        Frame.d_k,
        "d_k",
        placeholder=tr("d_model ÷ heads"),
        on_change=partial(shape_changed, Frame.d_k),
    )
