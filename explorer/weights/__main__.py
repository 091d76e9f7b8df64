"""The pretrained models of this explorer: which there are, and one more.

`python -m explorer.weights add NAME` adds one from Hugging Face, or from a folder.
`python -m explorer.weights list` says which there are.
"""

import argparse
import os
import sys
from pathlib import Path

from explorer.weights.huggingface.add import AddError, add, summary
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.shelf import (
    ENVIRONMENT,
    folder_of,
    model_names,
    models_folder,
    shown_name,
)


def main() -> None:
    """Run the command on the command line."""
    chosen = _parser().parse_args()
    if chosen.folder is not None:
        os.environ[ENVIRONMENT] = str(chosen.folder)
    if chosen.command == "list":
        print_models()
        return
    try:
        folder = add(chosen.model, name=chosen.name, replace=chosen.replace)
        print(f"{shown_name(folder.name)}: {summary(folder)}")
    except (AddError, PretrainedError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted: no model was added.")
    print("It is in the menu “Weights” under your models, at the next start or reload.")


def print_models() -> None:
    """Print a line for each model."""
    names = model_names()
    for name in names:
        try:
            line = summary(folder_of(name))
        except PretrainedError as error:
            line = f"cannot be read: {error}"
        print(f"{shown_name(name)}: {line}")
    if not names:
        print(f"There is no model in {models_folder()}: python -m explorer.weights add NAME")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m explorer.weights", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add", help="add a model of Hugging Face, or of a folder")
    adding.add_argument("model", metavar="NAME", help="owner/model, or an existing folder")
    adding.add_argument("--as", dest="name", metavar="NAME", help="its name here")
    adding.add_argument("--replace", action="store_true", help="the model of this name")
    listing = commands.add_parser("list", help="the models that there are")
    for command in (adding, listing):
        command.add_argument(
            "--folder",
            type=Path,
            metavar="MODELS",
            help=f"of the models; usually ${ENVIRONMENT}, or models beside app.py",
        )
    return parser


if __name__ == "__main__":
    main()
