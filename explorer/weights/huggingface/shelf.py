"""The folder of models that this explorer offers: whoever runs it puts them there."""

import os
import re
from pathlib import Path
from typing import Final

from explorer.paths import IS_INSTALLED, ROOT
from explorer.weights.huggingface.files import CONFIG

USUAL: Final = (Path.home() / ".transformer-explorer" if IS_INSTALLED else ROOT) / "models"
ENVIRONMENT: Final = "EXPLORER_MODELS"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_BETWEEN: Final = "--"  # in the name of a folder, between the owner and the model


def models_folder() -> Path:
    """The folder of models: $EXPLORER_MODELS, or `models` beside app.py.

    An installed explorer has its models in the home folder: ~/.transformer-explorer/models.
    """
    return Path(os.environ.get(ENVIRONMENT) or USUAL)


def model_names() -> list[str]:
    """The models in the folder, by the names of their folders: "Helsinki-NLP--opus-mt-en-de"."""
    try:
        inside = sorted(models_folder().iterdir())
    except OSError:
        return []
    return [
        path.name
        for path in inside
        if _NAME.fullmatch(path.name) and os.path.isfile(path / CONFIG)  # of a closed folder: no
    ]


def folder_of(name: str) -> Path:
    """The folder of a model; the name is one of `model_names`, never a path.

    Raises:
        LookupError: if there is no such model.
    """
    if not _NAME.fullmatch(name) or not os.path.isfile(models_folder() / name / CONFIG):
        raise LookupError(f"there is no model of the name {name!r}")
    return models_folder() / name


def folder_name(name: str) -> str:
    """The folder's name for a model's name: "owner/model" → "owner--model".

    Raises:
        ValueError: if this is no name of a model.
    """
    made = name.replace("/", _BETWEEN)
    if name.count("/") > 1 or name.endswith("/") or not _NAME.fullmatch(made) or ".." in made:
        raise ValueError(
            "a model's name has letters, digits and . _ - and perhaps an owner before a slash, "
            f"got {name[:100]!r}"
        )
    return made


def shown_name(name: str) -> str:
    """The model's name for its folder's name: "owner--model" → "owner/model"."""
    return name.replace(_BETWEEN, "/", 1)
