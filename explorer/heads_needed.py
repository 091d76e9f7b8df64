"""One call from sentences to the heads that a model needs for them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from explorer.analysis.causes.need import HeadNeed, How, heads_needed
from explorer.text import MAX_PAIRS, require_all_read
from explorer.weights.loaded import Loaded, answered, load

ANSWERING: Final = 0.1  # the share of the work, roughly, until all sentences are answered


def need(
    model: Loaded | str | Path,
    sentences: Sequence[str | tuple[str, str]],
    how: How = "zero",
) -> HeadNeed:
    """For each attention, the mean change of log-probability without each of its heads.

    A sentence alone is measured by what the model itself answers to it, a pair by its target. A
    head is switched off by giving 0 as its output, or its "mean" over all words.

    >>> need("reverse", ["one two three"])["cross"].shape  # (layers, heads)
    (2, 4)

    Raises:
        ValueError: if there is no sentence or no such model, or it predicts no words.
    """
    loaded = model if isinstance(model, Loaded) else load(model)
    *_, (_, found) = needing(loaded, sentences, how)
    assert found is not None
    return found


def needing(
    loaded: Loaded, sentences: Sequence[str | tuple[str, str]], how: How = "zero"
) -> Iterator[tuple[float, HeadNeed | None]]:
    """`need` step by step: the share of the work that is done; with the result at last.

    Raises:
        ValueError: as `need`.
    """
    pairs = [(said, None) if isinstance(said, str) else said for said in sentences]
    # Sentences of about the same length together: little of a batch is PAD.
    pairs.sort(key=lambda pair: len(loaded.tokenizer.split(pair[0])))
    batches = []
    for first in range(0, len(pairs), MAX_PAIRS):
        some = pairs[first : first + MAX_PAIRS]
        sources, targets = [pair[0] for pair in some], [pair[1] for pair in some]
        batches.append(loaded.tokenizer.batch(sources, answered(loaded, sources, targets)))
        require_all_read(batches[-1])
        yield ANSWERING * (first + len(some)) / len(pairs), None
    for share, found in heads_needed(loaded.model, batches, how):
        yield ANSWERING + (1 - ANSWERING) * share, found
