"""Adds a pretrained model to those of this explorer.

`python -m explorer.weights add NAME` takes it from Hugging Face, or from a folder.
"""

import argparse
import os
import sys
from pathlib import Path

from explorer.weights.huggingface.add import AddError, add, summary
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.shelf import ENVIRONMENT, shown_name


def main() -> None:
    """Run the command on the command line."""
    chosen = _parser().parse_args()
    if chosen.folder is not None:
        os.environ[ENVIRONMENT] = str(chosen.folder)
    try:
        folder = add(chosen.model, name=chosen.name, replace=chosen.replace)
        print(f"{shown_name(folder.name)}: {summary(folder)}")
    except (AddError, PretrainedError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted: no model was added.")
    print("It is in the menu “Weights” under your models, at the next start or reload.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m explorer.weights", description=__doc__)
    adding = parser.add_subparsers(required=True).add_parser("add", help="add a model")
    adding.add_argument("model", metavar="NAME", help="owner/model, or an existing folder")
    adding.add_argument("--as", dest="name", metavar="NAME", help="its name here")
    adding.add_argument("--replace", action="store_true", help="the model of this name")
    adding.add_argument(
        "--folder",
        type=Path,
        metavar="MODELS",
        help=f"of the models; usually ${ENVIRONMENT}, or models beside app.py",
    )
    return parser


if __name__ == "__main__":
    main()
