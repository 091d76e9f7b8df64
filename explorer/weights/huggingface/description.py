"""The config of a pretrained model, from config.json: checked before anything is built."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import Family, TensorSource, sources
from explorer.weights.huggingface.families.registry import ALIASES, FAMILIES
from explorer.weights.huggingface.files import (
    CONFIG,
    GENERATION,
    PretrainedError,
    file_of,
    read_json,
    short,
)
from explorer.weights.huggingface.manner import WRITING

_LARGEST_SIZE: Final = 2**24  # of any dimension
_MAX_LAYERS: Final = 512
_MAX_WEIGHTS: Final = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A model as config.json describes it."""

    family: Family
    config: ModelConfig
    hf_config: Mapping[str, Any]
    left_out: str = ""  # heads in the files that stand beside the stacks, some of them by name

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """The names of each tensor of the files that may have several."""
        return self.family.tied.get(self.config.tying, ())

    def start_of(self, stack: str) -> str:
        """The beginning of the names of a stack's layers, up to their numbers."""
        ours = f"{stack}.0.attention.w_o.weight"
        return self.tensors((ours,))[ours].names[0].partition("0.")[0]

    def tensors(self, ours: Iterable[str]) -> dict[str, TensorSource]:
        """Where each of the engine's tensors is in the files."""
        found = sources(self.family.names(self.config), ours)
        for tensor, word in self.family.words.items():
            name = (self.hf_config.get("names") or {}).get(word)
            if name is not None and tensor in found:
                found[tensor] = replace(found[tensor], names=(name,), or_zeros=False)
        return found


def describe(folder: Path) -> Description:
    """Read config.json; no weight is touched.

    Raises:
        PretrainedError: if it describes no model that the engine can compute.
    """
    hf_config = _read_config(folder)
    family = FAMILIES[hf_config["model_type"]]
    given = {name: value for name, value in hf_config.items() if value is not None}
    for setting in _SETTINGS:
        setting.require(given)
    try:
        config = family.config(given)
    except KeyError as missing:
        raise PretrainedError(f"{CONFIG} must give {missing.args[0]}, and does not.") from None
    except ValueError as error:
        raise PretrainedError(f"{CONFIG} cannot be used: {str(error)[:300]}.") from None
    layers = config.n_encoder_layers + config.n_decoder_layers
    if layers > _MAX_LAYERS or config.n_weights > _MAX_WEIGHTS:
        raise PretrainedError(
            f"{CONFIG} describes {layers:,} layers and {config.n_weights:,} weights: that cannot "
            "be right."
        )
    return Description(family=family, config=config, hf_config=hf_config)


def _read_config(folder: Path) -> dict[str, Any]:
    """config.json with a known `model_type`, and apart from it how the model writes."""
    hf_config = read_json(folder, CONFIG)
    hf_config.pop(WRITING, None)  # a name of the explorer's own
    if file_of(folder, GENERATION) is not None:
        hf_config[WRITING] = read_json(folder, GENERATION)
    kind = hf_config.get("model_type")
    if isinstance(kind, str):
        kind = hf_config["model_type"] = ALIASES.get(kind, kind)
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise PretrainedError(
            f"model_type in {CONFIG} must be one of {', '.join((*FAMILIES, *ALIASES))}; it is "
            f"{short(kind)}."
        )
    return hf_config


@dataclass(frozen=True, slots=True)
class _Setting:
    """Settings of one kind, from whichever family; one that is null counts as left out."""

    kind: str  # in words
    fits: Callable[[Any], bool]
    names: tuple[str, ...]

    def require(self, given: Mapping[str, Any]) -> None:
        for name in self.names:
            if name in given and not self.fits(given[name]):
                raise PretrainedError(
                    f"{name} in {CONFIG} must be {self.kind}; it is {short(given[name])}."
                )


_SETTINGS: Final = (
    _Setting(
        f"a whole number from 1 to {_LARGEST_SIZE:,}",
        lambda value: type(value) is int and 1 <= value <= _LARGEST_SIZE,
        (
            "vocab_size", "decoder_vocab_size", "max_position_embeddings", "n_positions",
            "d_model", "hidden_size", "dim", "n_embd", "d_kv",
            "encoder_attention_heads", "decoder_attention_heads", "num_attention_heads",
            "num_heads", "n_heads", "n_head", "nhead",
            "encoder_layers", "decoder_layers", "num_layers", "num_decoder_layers",
            "num_hidden_layers", "n_layers", "n_layer", "num_encoder_layers",
            "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "intermediate_size", "hidden_dim",
            "n_inner", "dim_feedforward",
            "relative_attention_num_buckets", "relative_attention_max_distance",
        ),
    ),
    _Setting(
        "the id of a token",
        lambda value: type(value) is int and 0 <= value <= _LARGEST_SIZE,
        ("pad_token_id", "decoder_start_token_id"),
    ),
    _Setting(
        "the id of a token, or a list of some",
        lambda value: (
            isinstance(value, int | list)
            and value != []
            and all(
                type(i) is int and 0 <= i <= _LARGEST_SIZE
                for i in (value if isinstance(value, list) else [value])
            )
        ),
        ("eos_token_id",),
    ),
    _Setting(
        "true or false",
        lambda value: isinstance(value, bool),
        (
            "tie_word_embeddings", "share_encoder_decoder_embeddings", "scale_embedding",
            "scale_decoder_outputs", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
            "is_decoder", "add_cross_attention", "norm_first", "final_norm",
        ),
    ),
    _Setting(
        "a number above 0 and below 1",
        lambda value: type(value) in (int, float) and 0 < value < 1,
        ("layer_norm_eps", "layer_norm_epsilon"),
    ),
    _Setting(
        "a name",
        lambda value: isinstance(value, str),
        (
            "activation_function", "activation", "hidden_act", "feed_forward_proj",
            "position_embedding_type", "positions",
        ),
    ),
    _Setting(
        "a list of names",
        lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
        ("architectures",),
    ),
)  # fmt: skip
