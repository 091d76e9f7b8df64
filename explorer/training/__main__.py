"""Trains the checkpoints in assets/weights again.

`python -m explorer.training [NAME ...]` trains those for the small tasks, in minutes.
`python -m explorer.training translate --corpus PATH` trains the translator, for hours on
a GPU, for days without.
`python -m explorer.training judge` lets it answer the sentences that it is judged by.
`python -m explorer.training needed [NAME ...]` measures which heads the shipped models need.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.training.recipes import RECIPES, train_shipped
from explorer.weights.checkpoints import SHIPPED, save

if TYPE_CHECKING:
    from explorer.training.translator.corpus import Corpus

_PROGRAM = "python -m explorer.training"
_CORPUS = "text or gzip: a sentence, a tab, a translation"


def main() -> None:
    """Train what the command line names, and write it to assets/weights."""
    SHIPPED.mkdir(exist_ok=True)
    if sys.argv[1:2] == ["translate"]:
        translate(sys.argv[2:])
    elif sys.argv[1:2] == ["judge"]:
        judge(sys.argv[2:])
    elif sys.argv[1:2] == ["needed"]:
        needed(sys.argv[2:])
    else:
        train_tasks(sys.argv[1:])


def train_tasks(given: list[str]) -> None:
    """Train the named checkpoints, or all of them."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"{', '.join(RECIPES)}; translate; judge; needed"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the sentences")
    chosen = parser.parse_args(given)
    if unknown := sorted(set(chosen.names) - RECIPES.keys()):
        parser.error(f"names must be among {', '.join(RECIPES)}, got {', '.join(unknown)}")
    for name in chosen.names or RECIPES:
        checkpoint = train_shipped(name, chosen.seed)
        (SHIPPED / f"{name}.safetensors").write_bytes(save(checkpoint))
        print(f"{name}: {checkpoint.accuracy:.1%} of held-out sentences right")


def translate(given: list[str]) -> None:
    """Train the translator."""
    # Not above: the small tasks need neither tokenizers nor a corpus.
    from explorer.paths import PAIRS
    from explorer.training.translator.recipe import Recipe
    from explorer.training.translator.training import train_translator
    from explorer.weights.translator import FILE, load
    from explorer.weights.translator import save as in_a_file

    parser = argparse.ArgumentParser(prog=f"{_PROGRAM} translate")
    parser.add_argument("--corpus", type=Path, required=True, help=_CORPUS)
    parser.add_argument(
        "--written", type=Path, default=PAIRS, help="a folder with further pairs, as .tsv files"
    )
    parser.add_argument(
        "--start", type=Path, help="a translator's file whose weights are those to begin with"
    )
    parser.add_argument("--out", type=Path, default=FILE, help="the file that is written")
    parser.add_argument("--passes", type=float, default=Recipe().passes, help="over the corpus")
    parser.add_argument("--lr", type=float, default=Recipe().lr, help="the highest learning rate")
    parser.add_argument(
        "--agreeing",
        type=float,
        default=Recipe().agreeing,
        help="what it costs if two readings of a pair differ (R-Drop); 0 saves over half the time",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the weights and the batches")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("translator.state"),
        help="the file that keeps an interrupted training, which goes on from there",
    )
    chosen = parser.parse_args(given)
    corpus = _read(chosen.corpus, chosen.written, parser)
    recipe = Recipe(passes=chosen.passes, lr=chosen.lr, agreeing=chosen.agreeing, seed=chosen.seed)
    try:
        start = load(chosen.start) if chosen.start else None
        translator = train_translator(corpus, recipe, chosen.state, start)
    except ValueError as error:
        parser.error(str(error))
    chosen.out.write_bytes(in_a_file(translator))
    chosen.state.unlink()
    for way, found in translator.about["quality"].items():
        print(f"{way}: BLEU {found['bleu']:.1f}, chrF {found['chrf']:.1f}")


def _read(path: Path, written: Path, parser: argparse.ArgumentParser) -> "Corpus":
    from explorer.training.translator.corpus import read_corpus, read_folder
    from explorer.training.translator.judge import judged_sentences

    try:
        return read_corpus(path, read_folder(written), judged_sentences())
    except (OSError, EOFError, ValueError) as error:
        parser.error(f"the corpus cannot be read: {error}")


def judge(given: list[str]) -> None:
    """Write the table of docs/translator.md anew; with a corpus, print its other numbers."""
    from explorer.paths import PAIRS
    from explorer.training.translator.judge import HUNDRED_FILE
    from explorer.training.translator.judge import judge as answered
    from explorer.training.translator.measures import further_figures
    from explorer.weights.translator import FILE, load

    parser = argparse.ArgumentParser(prog=f"{_PROGRAM} judge")
    parser.add_argument("--weights", type=Path, default=FILE, help="the translator's file")
    parser.add_argument("--corpus", type=Path, help=_CORPUS)
    chosen = parser.parse_args(given)
    corpus = _read(chosen.corpus, PAIRS, parser) if chosen.corpus else None
    try:
        translator = load(chosen.weights)
        found = answered(translator)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if corpus is not None:
        for line in further_figures(translator, corpus):
            print(line)
    for kind in ("right", "nearly", "wrong", ""):
        count = sum(one.judgement == kind for one in found)
        print(f"{kind or 'not judged yet'}: {count}")
    print(f"Judge the others in the last column of {HUNDRED_FILE}, and run this again.")


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
