"""A model with one part exchanged: its config, and whether trained weights fit it."""

from dataclasses import asdict, replace
from typing import Any, Final

from explorer.config import ModelConfig

VARIANTS: Final = (
    "norm", "activation", "sinusoidal", "learned", "rotary", "no_positions", "divide", "multiply",
)  # fmt: skip
_POSITIONS: Final = {"no_positions": "none"}
# Fields that change what is computed, but no tensor: `same_tensors` looks at what is left of them.
_WITHOUT_TENSORS: Final = (
    "norm_first", "norm_eps", "final_norm", "activation", "positions", "scale_scores",
    "scale_embedding", "scale_logits", "dropout", "pad_by_id", "src_pad_id", "tgt_pad_id",
)  # fmt: skip


def varied(config: ModelConfig, variant: str) -> ModelConfig:
    """The same model with one part exchanged; the config itself if it has that part already.

    Raises:
        ValueError: for an unknown variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {VARIANTS}, got {variant!r}")
    changes: dict[str, Any] = {"positions": _POSITIONS.get(variant, variant)}
    if variant == "norm":
        changes = {"norm_first": not config.norm_first, "final_norm": None}
    elif variant == "activation":
        changes = {"activation": "relu" if config.activation != "relu" else "gelu"}
    elif variant == "divide":
        changes = {"scale_scores": not config.scale_scores}
    elif variant == "multiply":
        changes = {"scale_embedding": not config.scale_embedding}
    return replace(config, **changes)


def same_tensors(one: ModelConfig, other: ModelConfig) -> bool:
    """Whether weights of one model fit the other."""
    return _tensors(one) == _tensors(other)


def _tensors(config: ModelConfig) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(config).items() if name not in _WITHOUT_TENSORS}
    own = config.positions if config.positions in ("learned", "t5") else "none"
    if own == "none":
        kept.pop("max_len")  # only learned positions have a row for each place
    return kept | {"positions": own, "ends_with_norm": config.ends_with_norm}
