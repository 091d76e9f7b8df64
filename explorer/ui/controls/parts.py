"""The parts that other models have in place of the paper's: their names and their controls."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from explorer.config import Activation, ModelConfig, Norm, Positions, Tying
from explorer.languages import mark, tr
from explorer.ui.controls.weights import shape_changed
from explorer.ui.controls.widgets import number, segments, select, toggle
from explorer.ui.parameters import Frame, Parameter
from explorer.ui.sources import PARTS

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


def draw_parts(shape: Mapping[str, Any]) -> None:
    """The controls for these parts; `shape` is that of trained weights."""
    _draw_norm(shape)
    select(
        PARTS["positions"],
        tr("Positions"),
        names=lambda kind: tr(POSITION_NAMES[kind]),
        help=tr(
            "Waves and learned positions are added to the embedding. A bias is added to the "
            "scores, one for each distance. Rotary positions turn q and k."
        ),
        **_shown(PARTS["positions"], shape),
    )
    _draw_feed_forward(shape)
    _draw_matrices(shape)


def _draw_norm(shape: Mapping[str, Any]) -> None:
    segments(
        Frame.norm,
        tr("Place of the norm"),
        names=lambda place: tr(_PLACE_NAMES[place]),
        label_visibility="visible",
        help=tr("post: Norm(x + Sublayer(x)), as in the paper. pre: x + Sublayer(Norm(x))."),
        **_shown(Frame.norm, shape),
    )
    segments(
        PARTS["norm"],
        tr("Norm"),
        names=NORM_NAMES.__getitem__,
        label_visibility="visible",
        help=tr("RMSNorm subtracts no mean and adds no bias (Zhang and Sennrich 2019)."),
        **_shown(PARTS["norm"], shape),
    )


def _draw_feed_forward(shape: Mapping[str, Any]) -> None:
    select(
        PARTS["activation"],
        tr("Activation of the feed-forward"),
        names=ACTIVATION_NAMES.__getitem__,
        **_shown(PARTS["activation"], shape),
    )
    toggle(PARTS["gated"], tr("Gated feed-forward"), **_shown(PARTS["gated"], shape))


def _draw_matrices(shape: Mapping[str, Any]) -> None:
    """Biases, scaling, tying, and the width of a head."""
    for part, label in (
        ("bias", tr("Biases")),
        ("scale_scores", tr("Scores ÷ √d_k")),
        ("scale_embedding", tr("Embedding × √d_model")),
    ):
        toggle(PARTS[part], label, **_shown(PARTS[part], shape))
    select(
        PARTS["tying"],
        tr("Embeddings and output matrix"),
        names=lambda tying: tr(_TYING_NAMES[tying]),
        help=tr("The paper's section 3.4 uses one matrix for both embeddings and the output."),
        **_shown(PARTS["tying"], shape),
    )
    number(
        PARTS["d_kv"],
        "d_k",
        placeholder=tr("d_model ÷ heads"),
        help=tr("Width of a head's queries, keys and values."),
        **_shown(PARTS["d_kv"], shape),
    )


def _shown(parameter: Parameter[Any], shape: Mapping[str, Any]) -> dict[str, Any]:
    """What every control here takes: the value on show, and what happens when it changes."""
    return {"on_change": partial(shape_changed, parameter), "shown": shape.get(parameter.key)}
