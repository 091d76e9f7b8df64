"""Trains the translator of assets/weights again, and judges it.

`python -m training train --corpus PATH` trains it, for hours on a GPU, for days without.
`python -m training judge` lets it answer the sentences that it is judged by.
"""

import argparse
from pathlib import Path
from typing import Final

from explorer.weights import translator as file
from training import judge as judging
from training import trainer
from training.corpus import PAIRS, Corpus, read_corpus, read_folder
from training.measures import further_figures
from training.recipe import Recipe

_CORPUS: Final = "a text file: in each line a sentence, a tab, a translation"


def main(given: list[str] | None = None) -> None:
    """Train or judge, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="train or judge")

    of_train = commands.add_parser("train", help="train the translator")
    of_train.set_defaults(run=train)
    option = of_train.add_argument
    option("--corpus", type=Path, required=True, help=_CORPUS)
    option("--start", type=Path, help="a translator's file whose weights are those to begin with")
    option("--out", type=Path, default=file.FILE, help="the file that is written")
    option("--passes", type=float, default=Recipe().passes, help="over the corpus")
    option("--lr", type=float, default=Recipe().lr, help="the highest learning rate")
    option("--agreeing", type=float, default=Recipe().agreeing, help="what it costs if two "
           "readings of a pair differ (R-Drop); 0 saves over half the time")  # fmt: skip
    option("--state", type=Path, default=Path("translator.state"),
           help="keeps an interrupted training, which goes on from there")  # fmt: skip

    of_judge = commands.add_parser("judge", help="let it answer the judged sentences")
    of_judge.set_defaults(run=judge)
    option = of_judge.add_argument
    option("--weights", type=Path, default=file.FILE, help="the translator's file")
    option("--corpus", type=Path, help=f"{_CORPUS}; for more figures")

    chosen = parser.parse_args(given)
    try:
        chosen.run(chosen)
    except (OSError, ValueError) as error:
        parser.error(str(error))


def train(chosen: argparse.Namespace) -> None:
    """Train the translator."""
    corpus = _read(chosen.corpus)
    recipe = Recipe(passes=chosen.passes, lr=chosen.lr, agreeing=chosen.agreeing)
    start = file.load(chosen.start) if chosen.start else None
    made = trainer.train_translator(corpus, recipe, chosen.state, start)
    chosen.out.write_bytes(file.save(made))
    chosen.state.unlink()
    for way, found in made.about["quality"].items():
        print(f"{way}: BLEU {found['bleu']:.1f}, chrF {found['chrf']:.1f}")


def judge(chosen: argparse.Namespace) -> None:
    """Print the table of docs/translator.md; with a corpus, its other numbers, too."""
    translator = file.load(chosen.weights)
    print(judging.table(judging.judge(translator)))
    print(f"Judge the others in the last column of {judging.HUNDRED}, and run this again.")
    if chosen.corpus:
        for line in further_figures(translator, _read(chosen.corpus)):
            print(line)


def _read(path: Path) -> Corpus:
    return read_corpus(path, read_folder(PAIRS), judging.judged_sentences())


if __name__ == "__main__":
    main()
