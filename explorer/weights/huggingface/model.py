"""A pretrained model in a folder, in the layout of Hugging Face: config.json and safetensors.

Everything in such a folder may come from anybody: it is checked before it is opened or allocated,
and nothing in it is ever executed.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import torch
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.config import ModelConfig
from explorer.transformer import Transformer
from explorer.weights.huggingface.families.family import Family, Taken
from explorer.weights.huggingface.families.registry import FAMILIES

CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
GENERATION: Final = "generation_config.json"
_HOW_TO_WRITE: Final = ("bad_words_ids", "decoder_start_token_id", "forced_bos_token_id")
_LARGEST_JSON: Final = 8 * 2**20  # bytes
_LARGEST_SIZE: Final = 2**24  # of any dimension
_MOST_LAYERS: Final = 512
_MOST_WEIGHTS: Final = 2**40
_SHOWN: Final = 5  # names in a message
_NUMBERS: Final = ("F32", "F16", "BF16", "F64")
Shape = tuple[int, ...]


class PretrainedError(ValueError):
    """A folder without a usable model; the message says what is wrong and what is supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What config.json says about a model."""

    family: Family
    config: ModelConfig
    said: Mapping[str, Any]


def describe(folder: Path) -> Description:
    """Read config.json; no weight is touched.

    Raises:
        PretrainedError: if it describes no model that the engine can compute.
    """
    said = read_json(folder, CONFIG)
    if _file(folder, GENERATION) is not None:  # newer files keep there how to write
        how = read_json(folder, GENERATION)
        said |= {name: how[name] for name in _HOW_TO_WRITE if how.get(name) is not None}
    kind = said.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise PretrainedError(
            f"model_type in {CONFIG} must be one of {known}; it is {_short(kind)}."
        )
    given = {name: value for name, value in said.items() if value is not None}
    for setting in _SETTINGS:
        setting.require(given)
    try:
        config = FAMILIES[kind].config(given)
    except KeyError as missing:
        raise PretrainedError(f"{CONFIG} must give {missing.args[0]}, and does not.") from None
    except ValueError as error:
        raise PretrainedError(f"{CONFIG} cannot be used: {str(error)[:300]}.") from None
    layers = config.n_encoder_layers + config.n_decoder_layers
    if layers > _MOST_LAYERS or config.n_weights > _MOST_WEIGHTS:
        raise PretrainedError(
            f"{CONFIG} describes {layers:,} layers and {config.n_weights:,} weights: that cannot "
            "be right."
        )
    return Description(family=FAMILIES[kind], config=config, said=said)


def check(folder: Path) -> Description:
    """What config.json says, once the files hold such a model; no weight is read.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    with ExitStack() as opened:
        return _open(folder, opened).described


def read_model(folder: Path) -> tuple[Transformer, Description]:
    """The model in a folder, in single precision.

    Raises:
        PretrainedError: if its files are no model that the engine can compute.
    """
    with ExitStack() as opened:
        model = _open(folder, opened)
        weights = {name: model.take(name) for name in model.wanted}
    engine = Transformer(model.described.config, weights=weights)
    return engine.requires_grad_(False), model.described


def shards(folder: Path, index: str) -> list[str]:
    """The names of the files that an index names; whether they exist is another question.

    Raises:
        PretrainedError: if one could lie elsewhere than beside the index.
    """
    named = read_json(folder, index).get("weight_map")
    if not isinstance(named, dict) or not named:
        raise PretrainedError(f"{index} must have a weight_map, from tensors to files.")
    ending = Path(index.removesuffix(".index.json")).suffix  # .safetensors or .bin
    for name in named.values():
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(ending):
            raise PretrainedError(
                f"A shard must be a {ending} file beside {index}, which names {_short(name)}."
            )
    return list(dict.fromkeys(named.values()))


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """A file of settings.

    Raises:
        PretrainedError: if it is none.
    """
    path = _file(folder, name)
    if path is None:
        raise PretrainedError(f"The folder must hold {name}, and it does not.")
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_JSON + 1)
    except OSError:
        raise PretrainedError(f"{name} cannot be read.") from None
    if len(content) > _LARGEST_JSON:
        raise PretrainedError(f"{name} is larger than any that describes a model.")
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        raise PretrainedError(f"{name} is not JSON.") from None
    if not isinstance(said, dict):
        raise PretrainedError(f"{name} must hold settings by their names.")
    return said


@dataclass(frozen=True, slots=True)
class _Setting:
    """Settings of one kind, from whichever family; one that is null counts as left out."""

    kind: str
    fits: Callable[[Any], bool]
    names: tuple[str, ...]

    def require(self, given: Mapping[str, Any]) -> None:
        for name in self.names:
            if name in given and not self.fits(given[name]):
                raise PretrainedError(
                    f"{name} in {CONFIG} must be {self.kind}; it is {_short(given[name])}."
                )


_SETTINGS: Final = (
    _Setting(
        f"a whole number from 1 to {_LARGEST_SIZE:,}",
        lambda value: type(value) is int and 1 <= value <= _LARGEST_SIZE,
        (
            "vocab_size", "decoder_vocab_size", "max_position_embeddings", "n_positions",
            "d_model", "hidden_size", "dim", "n_embd", "d_kv",
            "encoder_attention_heads", "decoder_attention_heads", "num_attention_heads",
            "num_heads", "n_heads", "n_head",
            "encoder_layers", "decoder_layers", "num_layers", "num_decoder_layers",
            "num_hidden_layers", "n_layers", "n_layer",
            "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "intermediate_size", "hidden_dim",
            "n_inner", "relative_attention_num_buckets", "relative_attention_max_distance",
        ),
    ),
    _Setting(
        "the id of a token",
        lambda value: type(value) is int and 0 <= value <= _LARGEST_SIZE,
        ("pad_token_id", "eos_token_id", "decoder_start_token_id"),
    ),
    _Setting(
        "true or false",
        lambda value: isinstance(value, bool),
        (
            "tie_word_embeddings", "share_encoder_decoder_embeddings", "scale_embedding",
            "scale_decoder_outputs", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
            "is_decoder", "add_cross_attention",
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
            "position_embedding_type",
        ),
    ),
    _Setting(
        "a list of names",
        lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
        ("architectures",),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Stored:
    """One tensor in an opened file."""

    file: Any
    name: str
    shape: Shape
    kind: str

    def read(self) -> Tensor:
        tensor: Tensor = self.file.get_tensor(self.name)
        return tensor.float()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A model whose files fit its config."""

    described: Description
    wanted: Mapping[str, Taken]
    shapes: Mapping[str, Shape]  # of the engine's tensors
    found: Mapping[str, _Stored]

    def take(self, name: str) -> Float[Tensor, "..."]:
        """One tensor of the engine, from the files."""
        taken = self.wanted[name]
        if taken.names[0] not in self.found:
            return torch.zeros(self.shapes[name])
        parts = [self.found[name].read() for name in taken.names]
        whole = parts[0] if len(parts) == 1 else torch.cat(parts)
        if taken.flat:
            whole = whole[0]
        if taken.transposed:
            whole = whole.T
        whole = whole[taken.skip :]
        if taken.plus_first_of is not None:
            whole = whole + self.found[taken.plus_first_of].read()[0]
        if not whole.isfinite().all():
            raise PretrainedError(
                f"{' + '.join(taken.names)} holds numbers that are infinite or none at all (NaN)."
            )
        return whole.contiguous()


def _open(folder: Path, opened: ExitStack) -> _Opened:
    """The opened files of a folder, once every tensor has its place."""
    described = describe(folder)
    found = _tensors(folder, opened, described.family)
    if described.family.own_logits in found:
        described = replace(described, config=replace(described.config, tying="embeddings"))
    wanted = dict(described.family.tensors(described.config))
    _require_names(wanted, found, described.family)
    shapes = _shapes(described.config)
    _require_shapes(wanted, shapes, found)
    return _Opened(described=described, wanted=wanted, shapes=shapes, found=found)


def _tensors(folder: Path, opened: ExitStack, family: Family) -> dict[str, _Stored]:
    """All tensors of the files, by their names without the family's prefix."""
    found: dict[str, _Stored] = {}
    for path in _files(folder):
        try:
            file: Any = opened.enter_context(safe_open(path, framework="pt"))
        except (SafetensorError, OSError):
            raise PretrainedError(
                f"{path.name} is not a safetensors file, or it is damaged."
            ) from None
        for name in file.keys():  # noqa: SIM118 (no dict)
            stored = file.get_slice(name)
            short = name.removeprefix(family.prefix)
            # Files of 2018 call the weight and bias of a norm so.
            short = short.replace("LayerNorm.gamma", "LayerNorm.weight")
            short = short.replace("LayerNorm.beta", "LayerNorm.bias")
            if short in found:
                raise PretrainedError(f"The files hold {short[:100]} twice.")
            shape = tuple(stored.get_shape())
            found[short] = _Stored(file, name, shape, str(stored.get_dtype()))
    return found


def _files(folder: Path) -> list[Path]:
    """The safetensors files of a model: one, or the shards that an index names."""
    whole = _file(folder, WEIGHTS)
    if whole is not None:
        return [whole]
    if not os.path.isfile(folder / INDEX):
        raise PretrainedError(
            f"The folder must hold {WEIGHTS}, or {INDEX} with its shards. Other formats are "
            "converted by: python -m explorer.weights add FOLDER"
        )
    files = []
    for name in shards(folder, INDEX):
        path = _file(folder, name)
        if path is None:
            raise PretrainedError(f"{INDEX} names {_short(name)}, and there is no such file.")
        files.append(path)
    return files


def _file(folder: Path, name: str) -> Path | None:
    """A file of the folder; None if there is none, or something that is no file.

    Raises:
        PretrainedError: if it is a link to a file elsewhere.
    """
    path = folder / name
    if not os.path.isfile(path):  # unlike Path's, it takes any name
        return None
    if path.resolve().parent != folder.resolve():
        raise PretrainedError(
            f"{name[:100]} is a link to a file outside the model's folder. To copy the model: "
            "python -m explorer.weights add FOLDER"
        )
    return path


def _shapes(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor of a model, without allocating any."""
    with torch.device("meta"):
        model = Transformer(config, device="meta")
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _require_names(
    wanted: Mapping[str, Taken], found: Mapping[str, _Stored], family: Family
) -> None:
    """Every tensor must be there, of numbers, and none that has no place."""
    needed = [name for taken in wanted.values() if not taken.or_zeros for name in _read_by(taken)]
    if missing := [name for name in needed if name not in found]:
        raise PretrainedError(f"The files lack {_listed(missing)}.")
    read = {name for taken in wanted.values() for name in _read_by(taken)}
    surplus = [
        name
        for name, stored in found.items()
        if name not in read and stored.kind in _NUMBERS and not name.startswith(family.unused)
    ]
    if surplus:
        raise PretrainedError(
            f"The files hold {_listed(surplus)}, which {family.title} does not have."
        )
    others = [
        f"{name} as {stored.kind}"
        for name, stored in found.items()
        if name in read and stored.kind not in _NUMBERS
    ]
    if others:
        raise PretrainedError(
            f"Numbers must be {', '.join(_NUMBERS)}, and the files hold {_listed(others)}."
        )


def _require_shapes(
    wanted: Mapping[str, Taken], shapes: Mapping[str, Shape], found: Mapping[str, _Stored]
) -> None:
    """Every tensor of the files must have the shape that config.json says."""
    wrong = []
    for ours, taken in wanted.items():
        expected = {name: _shape_in_files(taken, shapes[ours]) for name in taken.names}
        if (added := taken.plus_first_of) is not None:
            rows = max((1, *found[added].shape[:1]))  # as many as it likes
            expected[added] = (rows, *shapes[ours][1:])
        wrong += [
            f"{name} is {found[name].shape} and must be {shape}"
            for name, shape in expected.items()
            if name in found and found[name].shape != shape
        ]
    if wrong:
        raise PretrainedError(f"The shapes do not fit {CONFIG}: {_listed(wrong)}.")


def _read_by(taken: Taken) -> tuple[str, ...]:
    """The names of all tensors of the files that are read for one of the engine's."""
    return taken.names if taken.plus_first_of is None else (*taken.names, taken.plus_first_of)


def _shape_in_files(taken: Taken, shape: Shape) -> Shape:
    """The shape of each tensor of the files that together make one of the engine's."""
    if taken.transposed:
        shape = shape[::-1]
    rows, *rest = shape
    if taken.flat:
        return (1, *shape)
    return (rows // len(taken.names) + taken.skip, *rest)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:160] for name in names[:_SHOWN])
    more = len(names) - _SHOWN
    return shown + (f" and {more:,} more" if more > 0 else "")


def _short(value: Any) -> str:
    """A value of a JSON file, as it is written there."""
    return json.dumps(value)[:60]
