"""The config of a pretrained model, from config.json: checked before anything is built."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import Family, Settings, TensorSource, sources
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
    given = Settings(hf_config)
    given.names("architectures")
    # Settings that the tokenizer reads, whatever the family's config takes of them.
    given.size("decoder_vocab_size", 1)
    given.id("decoder_start_token_id", 0)
    if "eos_token_id" in given.given:
        given.ids("eos_token_id")
    try:
        config = family.config(given)
    except PretrainedError:
        raise
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
