"""Trains the checkpoints in assets/weights again.

`python -m explorer.training [NAME ...]` trains those for the small tasks, in minutes; the
translator has a training of its own, in `training/`.
"""

import argparse

from explorer.training.recipes import RECIPES, train_shipped
from explorer.weights.checkpoints import SHIPPED, save


def main() -> None:
    """Train the named checkpoints, or all of them, and write them to assets/weights."""
    parser = argparse.ArgumentParser(prog="python -m explorer.training", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(RECIPES))
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the sentences")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.names) - RECIPES.keys()):
        parser.error(f"names must be among {', '.join(RECIPES)}, got {', '.join(unknown)}")
    SHIPPED.mkdir(exist_ok=True)
    for name in chosen.names or RECIPES:
        checkpoint = train_shipped(name, chosen.seed)
        (SHIPPED / f"{name}.safetensors").write_bytes(save(checkpoint))
        print(f"{name}: {checkpoint.accuracy:.1%} of held-out sentences right")


if __name__ == "__main__":
    main()
