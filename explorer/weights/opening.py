"""The weights that the app opens on: the shipped translator, or those that its host names."""

import os
import sys
from functools import cache
from typing import Final

from explorer.weights.catalogue import SHIPPED_NAMES, TRANSLATOR
from explorer.weights.huggingface.add import AddError, add, name_for
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.shelf import model_names

ENVIRONMENT: Final = "EXPLORER_OPENS_ON"


@cache
def opening_weights() -> str:
    """The name of the host's model; of ours if the host names none, or one that is not here.

    It stays the same until the server ends: nobody's page changes while they read it.
    """
    name = _wanted()
    return name if name in (*SHIPPED_NAMES, *model_names()) else TRANSLATOR


def fetch() -> None:
    """Bring the host's model into the folder of models, unless it is there already.

    Whoever starts the server reads why that was not possible; visitors see our translator then.
    """
    name = _wanted()
    if not name or name in (*SHIPPED_NAMES, *model_names()):
        return
    given = os.environ[ENVIRONMENT]
    print(f"{ENVIRONMENT}: fetching {given} …", file=sys.stderr, flush=True)
    try:
        add(given)
    except (AddError, PretrainedError) as error:
        print(f"{ENVIRONMENT}: {error} The app opens on its own translator.", file=sys.stderr)


def _wanted() -> str:
    """The name of the model's folder, or of shipped weights; nothing if there cannot be one."""
    given = os.environ.get(ENVIRONMENT, "")
    if given in ("", *SHIPPED_NAMES):
        return given
    try:
        return name_for(given)
    except AddError as error:
        sys.exit(f"{ENVIRONMENT}: {error}")
