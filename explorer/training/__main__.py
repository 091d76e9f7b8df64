"""Trains the checkpoints in assets/weights again.

`python -m explorer.training [NAME ...]` trains those for the small tasks, in minutes; the
translator has a training of its own, in `training/`.
`python -m explorer.training needed [NAME ...]` measures which heads the shipped models need.
"""

import argparse
import sys

from explorer.training.recipes import RECIPES, train_shipped
from explorer.weights.checkpoints import SHIPPED, save

_PROGRAM = "python -m explorer.training"


def main() -> None:
    """Train what the command line names, and write it to assets/weights."""
    SHIPPED.mkdir(exist_ok=True)
    if sys.argv[1:2] == ["needed"]:
        needed(sys.argv[2:])
    else:
        train_tasks(sys.argv[1:])


def train_tasks(given: list[str]) -> None:
    """Train the named checkpoints, or all of them."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(RECIPES)}; needed")
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the sentences")
    chosen = parser.parse_args(given)
    if unknown := sorted(set(chosen.names) - RECIPES.keys()):
        parser.error(f"names must be among {', '.join(RECIPES)}, got {', '.join(unknown)}")
    for name in chosen.names or RECIPES:
        checkpoint = train_shipped(name, chosen.seed)
        (SHIPPED / f"{name}.safetensors").write_bytes(save(checkpoint))
        print(f"{name}: {checkpoint.accuracy:.1%} of held-out sentences right")


def needed(given: list[str]) -> None:
    """Measure which heads the shipped models need, and write that down."""
    import json

    from explorer.training.needed import measured
    from explorer.weights.catalogue import SHIPPED_NAMES
    from explorer.weights.needed import FILE, written

    parser = argparse.ArgumentParser(prog=f"{_PROGRAM} needed")
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(SHIPPED_NAMES))
    names = parser.parse_args(given).names or SHIPPED_NAMES
    if unknown := sorted(set(names) - set(SHIPPED_NAMES)):
        parser.error(f"names must be among {', '.join(SHIPPED_NAMES)}, got {', '.join(unknown)}")
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in names:
        known[name] = written(name, measured(name))
        FILE.write_text(json.dumps(known, separators=(",", ":")) + "\n")
        print(f"{name}: measured")


if __name__ == "__main__":
    main()
