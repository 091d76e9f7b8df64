"""The weights that the app opens on: the shipped translator, or the host's choice."""

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
    """The name of the host's model; the translator's if there is none, or it is not here.

    It stays the same until the server ends, so that no page changes while it is read.
    """
    name = _hosts_choice()
    return name if name in (*SHIPPED_NAMES, *model_names()) else TRANSLATOR


def fetch() -> None:
    """Fetch the host's model into the folder of models, unless it is there already.

    If that fails, the reason is printed, and visitors see the translator.
    """
    name = _hosts_choice()
    if not name or name in (*SHIPPED_NAMES, *model_names()):
        return
    given = os.environ[ENVIRONMENT]
    print(f"{ENVIRONMENT}: fetching {given} …", file=sys.stderr, flush=True)
    try:
        add(given)
    except (AddError, PretrainedError) as error:
        print(f"{ENVIRONMENT}: {error} The app opens on its own translator.", file=sys.stderr)


def _hosts_choice() -> str:
    """The name of the host's folder of a model, or of shipped weights; empty if it names none."""
    given = os.environ.get(ENVIRONMENT, "")
    if given in ("", *SHIPPED_NAMES):
        return given
    try:
        return name_for(given)
    except AddError as error:
        sys.exit(f"{ENVIRONMENT}: {error}")
