"""The files of a model's folder, opened with care: the folder may come from anybody."""

import json
import os
from pathlib import Path
from typing import Any, Final

CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"
GENERATION: Final = "generation_config.json"
TOKENIZER: Final = "tokenizer.json"
TARGET_TOKENIZER: Final = "target_tokenizer.json"  # of targets, where they have other pieces
OPTIONAL_FILES: Final = (  # files that are copied besides the config and the weights
    GENERATION, TOKENIZER, TARGET_TOKENIZER, "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json", "vocab.txt", "vocab.json", "target_vocab.json", "merges.txt",
    "source.spm", "target.spm", "spiece.model", "sentencepiece.bpe.model", "README.md",
)  # fmt: skip
_LARGEST_JSON: Final = 8 * 2**20  # bytes
COMMAND: Final = "python -m explorer.weights add FOLDER"  # what whoever runs the explorer types


class PretrainedError(ValueError):
    """A folder without a usable model; the message says what is wrong and what is supported."""


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model: one, or the shards that an index names.

    Raises:
        PretrainedError: if there are none.
    """
    whole = file_of(folder, WEIGHTS)
    if whole is not None:
        return [whole]
    if not os.path.isfile(folder / INDEX):
        raise PretrainedError(
            f"The folder must hold {WEIGHTS}, or {INDEX} with its shards. Other formats are "
            f"converted by: {COMMAND}"
        )
    files = []
    for name in shards(folder, INDEX):
        path = file_of(folder, name)
        if path is None:
            raise PretrainedError(f"{INDEX} names {short(name)}, and there is no such file.")
        files.append(path)
    return files


def shards(folder: Path, index: str) -> list[str]:
    """The file names in an index, whether or not the files exist.

    Raises:
        PretrainedError: if a name could lead outside the folder of the index.
    """
    named = read_json(folder, index).get("weight_map")
    if not isinstance(named, dict) or not named:
        raise PretrainedError(f"{index} must have a weight_map, from tensors to files.")
    ending = Path(index.removesuffix(".index.json")).suffix  # .safetensors or .bin
    for name in named.values():
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(ending):
            raise PretrainedError(
                f"A shard must be a {ending} file beside {index}, which names {short(name)}."
            )
    return list(dict.fromkeys(named.values()))


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """The settings in a JSON file.

    Raises:
        PretrainedError: if the file is missing, too large, or not a JSON object.
    """
    path = file_of(folder, name)
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
        settings = json.loads(content)
    except (ValueError, RecursionError):
        raise PretrainedError(f"{name} is not JSON.") from None
    if not isinstance(settings, dict):
        raise PretrainedError(f"{name} must be a JSON object.")
    return settings


def file_of(folder: Path, name: str) -> Path | None:
    """A file of the folder; None if there is none, or if it is not a regular file.

    Raises:
        PretrainedError: if it is a link to a file elsewhere.
    """
    path = folder / name
    if not os.path.isfile(path):  # unlike Path.is_file, it accepts any name
        return None
    if path.resolve().parent != folder.resolve():
        raise PretrainedError(
            f"{name[:100]} is a link to a file outside the model's folder. To copy the model: "
            f"{COMMAND}"
        )
    return path


def short(value: Any) -> str:
    """A value of a JSON file as JSON, cut to 60 characters."""
    return json.dumps(value)[:60]
