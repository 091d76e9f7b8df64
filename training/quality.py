"""The quality of translations: BLEU (Papineni et al. 2002) and chrF (Popović 2015)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from explorer.beam import beam, best, root, words
from explorer.names import USUAL_IDS
from explorer.text import padded
from explorer.weights.doubts.sureness import Sureness, mean_log
from explorer.weights.translator import LONGEST, Translator

_GOOD: Final = 70.0  # chrF of a sentence in which at most one word differs


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Both from 0 to 100, against all the translations that are known."""

    bleu: float
    chrf: float
    sentences: int


def quality(
    translator: Translator, known: Mapping[str, Sequence[str]], *, width: int = 1
) -> Quality:
    """Translate each sentence and compare the result with its known translations.

    With `width` 1 decoding is greedy, else it is a beam search. Before they are compared, the known
    translations are written as the model writes: one kind of quotation mark, no invisible letters.

    Raises:
        ModuleNotFoundError: without sacrebleu, which requirements-dev.txt installs.
    """
    import sacrebleu

    sources = list(known)
    if width == 1:
        answers = translator.answer(sources)
    else:
        answers = [_by_beam(translator, source, width) for source in sources]
    most = max(map(len, known.values()))
    # One list for every first translation, one for every second: None where there is none.
    references: Any = [
        [
            _written(translator, known[source][number]) if number < len(known[source]) else None
            for source in sources
        ]
        for number in range(most)
    ]
    return Quality(
        bleu=float(sacrebleu.corpus_bleu(answers, references).score),
        chrf=float(sacrebleu.corpus_chrf(answers, references).score),
        sentences=len(sources),
    )


def sureness(translator: Translator, known: Mapping[str, Sequence[str]]) -> Sureness | None:
    """The share of its answers that are close to a known translation (chrF), by their sureness.

    None unless some are, and some are not: a training that has just begun tells nothing.
    """
    import sacrebleu

    sources = list(known)
    means, right = [], []
    for source, written in zip(sources, translator.written(sources), strict=True):
        wanted = [_written(translator, text) for text in known[source]]
        close = sacrebleu.sentence_chrf(translator.text(written.ids), wanted).score
        right.append(close >= _GOOD)
        means.append(mean_log(written.probabilities))
    return Sureness.measured(means, right) if len({*right}) == 2 else None


def _by_beam(translator: Translator, source: str, width: int) -> str:
    ids = translator.ids(source)
    if not ids:
        return ""
    src = padded([ids])
    nodes = [root(USUAL_IDS)]
    for grown in beam(translator.model, src, width=width, limit=LONGEST):
        nodes += grown
    return translator.text(words(nodes, best(nodes)))


def _written(translator: Translator, sentence: str) -> str:
    return translator.text(translator.tokenizer.encode(sentence).ids)
