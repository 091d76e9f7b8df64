"""The parts that other models have in place of the paper's: their names and their controls."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from explorer.config import Activation, ModelConfig, Norm, Positions, Tying
from explorer.ui.controls.weights import shape_changed
from explorer.ui.controls.widgets import number, segments, select, toggle
from explorer.ui.parameters import NORM, PARTS, Parameter

ACTIVATION_NAMES: Final[dict[Activation, str]] = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU (tanh)",
    "silu": "SiLU",
}
POSITION_NAMES: Final[dict[Positions, str]] = {
    "sinusoidal": "waves, as in the paper",
    "halves": "waves, all sines before all cosines",
    "learned": "learned",
    "t5": "learned bias of the scores (T5)",
    "alibi": "bias of the scores (ALiBi)",
    "rotary": "rotary",
    "none": "none",
}
NORM_NAMES: Final[dict[Norm, str]] = {"layer": "LayerNorm", "rms": "RMSNorm"}
_TYING_NAMES: Final[dict[Tying, str]] = {
    "nothing": "three matrices",
    "all": "one matrix (the paper's section 3.4)",
    "embeddings": "both embeddings are one",
    "logits": "target embedding and output are one",
}


def other_parts(config: ModelConfig) -> list[str]:
    """The parts of a model that are not the paper's, in words.

    Tying is not among them: it says which matrices are the same one, not what the model computes.
    """
    found = {
        "pre-norm": config.norm_first,
        NORM_NAMES[config.norm]: config.norm != "layer",
        f"positions: {POSITION_NAMES[config.positions]}": config.positions != "sinusoidal",
        ACTIVATION_NAMES[config.activation]: config.activation != "relu",
        "gated feed-forward": config.gated,
        "no biases": not config.bias,
        "no ÷ √d_k": not config.scale_scores,
        "no × √d_model": not config.scale_embedding,
        f"d_k {config.d_k}": config.d_k * config.n_heads != config.d_model,
    }
    return [words for words, differs in found.items() if differs]


def draw_parts(shape: Mapping[str, Any]) -> None:
    """The controls for these parts; `shape` is that of trained weights."""
    _draw_norm(shape)
    select(
        PARTS["positions"],
        "Positions",
        names=POSITION_NAMES.__getitem__,
        help="Waves and learned positions are added to the embedding. A bias is added to the "
        "scores, one for each distance. Rotary positions turn q and k.",
        **_shown(PARTS["positions"], shape),
    )
    _draw_feed_forward(shape)
    _draw_matrices(shape)


def _draw_norm(shape: Mapping[str, Any]) -> None:
    segments(
        NORM,
        "Place of the norm",
        label_visibility="visible",
        help="post: Norm(x + Sublayer(x)), as in the paper. pre: x + Sublayer(Norm(x)).",
        **_shown(NORM, shape),
    )
    segments(
        PARTS["norm"],
        "Norm",
        names=NORM_NAMES.__getitem__,
        label_visibility="visible",
        help="RMSNorm subtracts no mean and adds no bias (Zhang and Sennrich 2019).",
        **_shown(PARTS["norm"], shape),
    )


def _draw_feed_forward(shape: Mapping[str, Any]) -> None:
    select(
        PARTS["activation"],
        "Activation of the feed-forward",
        names=ACTIVATION_NAMES.__getitem__,
        **_shown(PARTS["activation"], shape),
    )
    toggle(PARTS["gated"], "Gated feed-forward", **_shown(PARTS["gated"], shape))


def _draw_matrices(shape: Mapping[str, Any]) -> None:
    """Biases, scaling, tying, and the width of a head."""
    for part, label in (
        ("bias", "Biases"),
        ("scale_scores", "Scores ÷ √d_k"),
        ("scale_embedding", "Embedding × √d_model"),
    ):
        toggle(PARTS[part], label, **_shown(PARTS[part], shape))
    select(
        PARTS["tying"],
        "Embeddings and output matrix",
        names=_TYING_NAMES.__getitem__,
        help="The paper's section 3.4 uses one matrix for both embeddings and the output.",
        **_shown(PARTS["tying"], shape),
    )
    number(
        PARTS["d_kv"],
        "d_k",
        placeholder="d_model ÷ heads",
        help="Width of a head's queries, keys and values.",
        **_shown(PARTS["d_kv"], shape),
    )


def _shown(parameter: Parameter, shape: Mapping[str, Any]) -> dict[str, Any]:
    """What every control here takes: the value on show, and what happens when it changes."""
    return {"on_change": partial(shape_changed, parameter), "shown": shape.get(parameter.key)}
