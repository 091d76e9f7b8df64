"""The model that the choices describe: its weights, and its shape."""

from typing import Any, Final

from explorer.choices.domains import Whole
from explorer.choices.parameters import HERE, LOADED, UNTRAINED_NAME, Chosen, Frame, Parameter
from explorer.config import ModelConfig, head_choices
from explorer.languages import tr
from explorer.weights import loaded_here, trained_here
from explorer.weights.catalogue import (
    SHIPPED_NAMES,
    UNTRAINED,
    Pretrained,
    Shipped,
    Source,
    TrainedHere,
    WeightsGoneError,
    pretrained_source,
    trained_config,
)

# The parts that other models have in place of the paper's, by the field of their config.
PARTS: Final[dict[str, Parameter[Any]]] = {
    "norm": Frame.norm_kind,
    "activation": Frame.activation,
    "gated": Frame.gated,
    "positions": Frame.position_kind,
    "bias": Frame.bias,
    "d_kv": Frame.d_k,
    "scale_scores": Frame.divide,
    "scale_embedding": Frame.multiply,
    "tying": Frame.tying,
}
_SIZES: Final[dict[str, Parameter[Any]]] = {
    "d_model": Frame.d_model,
    "n_heads": Frame.heads,
    "n_encoder_layers": Frame.enc,
    "n_decoder_layers": Frame.dec,
}
SHAPE: Final[tuple[Parameter[Any], ...]] = (
    *_SIZES.values(),
    Frame.d_ff,
    Frame.norm,
    *PARTS.values(),
)


def source_of(chosen: Chosen) -> Source:
    """The source that the choices name.

    Raises:
        WeightsGoneError: if it was trained or loaded here and is gone.
    """
    name = Frame.weights.of(chosen)
    if name == UNTRAINED_NAME:
        return UNTRAINED
    if name == LOADED:
        token = Frame.model.of(chosen) or ""
        if loaded_here.find(token) is None:
            why = tr(
                "the model that was loaded here is gone: the server kept its files only for a "
                "while."
            )
            raise WeightsGoneError(why)
        return Pretrained(token=token)
    if name != HERE:
        return Shipped(name) if name in SHIPPED_NAMES else pretrained_source(name)
    token = Frame.run.of(chosen) or ""
    found = trained_here.find(token)
    if found is None:
        raise WeightsGoneError(tr("these weights were removed from memory: train again"))
    return TrainedHere(token, found.steps)


def shape_of_weights(chosen: Chosen) -> dict[str, Any] | None:
    """The shape of the weights that the choices name; None if they have none of their own."""
    try:
        found = trained_config(source_of(chosen))
    except WeightsGoneError:
        return None
    return None if found is None else shape_of(found)


def shape_of(config: ModelConfig) -> dict[str, Any]:
    """The choices that describe a model's shape."""
    return {
        **{parameter.key: getattr(config, name) for name, parameter in (_SIZES | PARTS).items()},
        Frame.d_ff.key: None if config.d_ff == 4 * config.d_model else config.d_ff,
        Frame.norm.key: "pre" if config.norm_first else "post",
    }


def unsupported_shape(config: ModelConfig) -> str:
    """Why the controls cannot show a model of this shape, in English; empty if they can."""
    for name, parameter, value in (
        ("d_model", Frame.d_model, config.d_model),
        ("encoder layers", Frame.enc, config.n_encoder_layers),
        ("decoder layers", Frame.dec, config.n_decoder_layers),
        ("d_ff", Frame.d_ff, config.d_ff),
        ("d_k", Frame.d_k, config.d_kv),
    ):
        domain = parameter.domain
        assert isinstance(domain, Whole)
        if value is not None and not domain.low <= value <= domain.high:
            return f"{name}: {domain.low} to {domain.high:,} can be shown, got {value:,}."
    if config.n_heads not in (heads := head_choices(config.d_model)):
        return f"heads: 1 to {heads[-1]} can be shown, got {config.n_heads}."
    return ""
