"""Trains the translator of assets/weights again, and judges it.

`python -m training train --corpus PATH` trains it, for hours on a GPU, for days without.
`python -m training judge` lets it answer the sentences that it is judged by.
"""

import argparse
from pathlib import Path
from typing import Final

from explorer.training.needed import HUNDRED
from explorer.weights import translator as file
from training import judge as judging
from training import trainer
from training.corpus import PAIRS, Corpus, read_corpus, read_folder
from training.measures import further_figures
from training.recipe import Recipe

_CORPUS: Final = "text or gzip: a sentence, a tab, a translation"


def main(given: list[str] | None = None) -> None:
    """Train or judge, as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="train or judge")
    of_train = commands.add_parser("train", help="train the translator")
    of_train.set_defaults(run=train)
    of_train.add_argument("--corpus", type=Path, required=True, help=_CORPUS)
    of_train.add_argument(
        "--written", type=Path, default=PAIRS, help="a folder with further pairs, as .tsv files"
    )
    of_train.add_argument(
        "--start", type=Path, help="a translator's file whose weights are those to begin with"
    )
    of_train.add_argument("--out", type=Path, default=file.FILE, help="the file that is written")
    of_train.add_argument("--passes", type=float, default=Recipe().passes, help="over the corpus")
    of_train.add_argument("--lr", type=float, default=Recipe().lr, help="the highest learning rate")
    of_train.add_argument(
        "--agreeing",
        type=float,
        default=Recipe().agreeing,
        help="what it costs if two readings of a pair differ (R-Drop); 0 saves over half the time",
    )
    of_train.add_argument("--seed", type=int, default=0, help="of the weights and the batches")
    of_train.add_argument(
        "--state",
        type=Path,
        default=Path("translator.state"),
        help="the file that keeps an interrupted training, which goes on from there",
    )
    of_judge = commands.add_parser("judge", help="write the table of docs/translator.md anew")
    of_judge.set_defaults(run=judge)
    of_judge.add_argument("--weights", type=Path, default=file.FILE, help="the translator's file")
    of_judge.add_argument("--corpus", type=Path, help=_CORPUS + "; prints more figures")
    chosen = parser.parse_args(given)
    try:
        chosen.run(chosen)
    except (OSError, EOFError, ValueError) as error:
        parser.error(str(error))


def train(chosen: argparse.Namespace) -> None:
    """Train the translator."""
    corpus = _read(chosen.corpus, chosen.written)
    recipe = Recipe(passes=chosen.passes, lr=chosen.lr, agreeing=chosen.agreeing, seed=chosen.seed)
    start = file.load(chosen.start) if chosen.start else None
    made = trainer.train_translator(corpus, recipe, chosen.state, start)
    chosen.out.write_bytes(file.save(made))
    chosen.state.unlink()
    for way, found in made.about["quality"].items():
        print(f"{way}: BLEU {found['bleu']:.1f}, chrF {found['chrf']:.1f}")


def judge(chosen: argparse.Namespace) -> None:
    """Write the table of docs/translator.md anew; with a corpus, print its other numbers."""
    corpus = _read(chosen.corpus, PAIRS) if chosen.corpus else None
    translator = file.load(chosen.weights)
    found = judging.judge(translator)
    if corpus is not None:
        for line in further_figures(translator, corpus):
            print(line)
    for kind in ("right", "nearly", "wrong", ""):
        count = sum(one.judgement == kind for one in found)
        print(f"{kind or 'not judged yet'}: {count}")
    print(f"Judge the others in the last column of {HUNDRED}, and run this again.")


def _read(path: Path, written: Path) -> Corpus:
    return read_corpus(path, read_folder(written), judging.judged_sentences())


if __name__ == "__main__":
    main()
