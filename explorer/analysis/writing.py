"""How an answer is written, piece by piece: the attention and the likeliest rivals at each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.attention import Attention

LONG_WORD: Final = 6  # letters of a word that is probably a content word
RIVALS: Final = 5  # likeliest pieces to show at each step
MASKS: Final = ("[MASK]", "<mask>")  # words that an encoder alone is asked to guess


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingStep:
    """One step of a decoder: it has read `reads`, and `writes` comes next.

    For an encoder alone, a step is one word that it reads; it writes nothing.
    """

    reads: str
    writes: str
    position: int  # of what was read, in the padded sentence
    row: int  # the same, without counting PAD
    probability: float  # of what was written; NaN if nothing was
    looks: Float[np.ndarray, " key"]  # the weights of its attention
    # Ids and probabilities, the likeliest first; what was written is there in any case, maybe last.
    rivals: tuple[tuple[int, float], ...]
    rest: float = 0.0  # the probability of all other pieces together


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """An answer and where its pieces came from; `keys` are the words looked at."""

    keys: tuple[str, ...]
    key_positions: tuple[int, ...]  # in the padded sentence
    steps: tuple[WritingStep, ...]

    @property
    def end(self) -> int:
        """The step to end with: that of the first masked word, or the last one."""
        masked = (at for at, step in enumerate(self.steps) if step.reads in MASKS)
        return next(masked, len(self.steps) - 1)

    @property
    def telling(self) -> int:
        """The step whose piece is farthest from the key with the largest weight.

        Long words go first; the last step is left out, unless it is the only one: it writes EOS.
        """

        def tells(number: int) -> float:
            step = self.steps[number]
            if step.reads in MASKS:
                return np.inf
            if not len(step.looks):
                return 0.0
            far = abs(step.looks.argmax() / len(self.keys) - number / len(self.steps))
            long = min(len(step.writes or step.reads), LONG_WORD) / LONG_WORD
            return float(step.looks.max() ** 2 * far * long)  # small if spread over many words

        return max(range(max(1, len(self.steps) - 1)), key=tells)


def writing(
    attention: Attention,
    logits: Float[Tensor, "query vocab"],
    written: Mapping[int, int | None],
    head: int | None,
) -> Writing:
    """The steps of the answer in a trace.

    `attention` is the one to draw; of all its heads, `head` or their mean. `logits` are those of
    the same sentence, and `written` the id that follows each position that writes. An encoder
    alone writes None; it may have logits of no words.
    """
    weights = attention.weights.mean(axis=0) if head is None else attention.weights[head]
    shown = np.flatnonzero(attention.key_is_word)
    rows = np.cumsum(attention.query_is_word) - 1
    total = logits.logsumexp(dim=-1)
    likeliest = logits.topk(min(RIVALS, logits.shape[1]))

    def share(query: int, id_: int) -> float:
        return float((logits[query, id_] - total[query]).exp())

    def step(query: int, chosen: int | None) -> WritingStep:
        ids = likeliest.indices[query].tolist()
        if chosen is not None and chosen not in ids:
            ids[-1] = chosen
        others = logits[query].index_fill(0, likeliest.indices.new_tensor(ids), -np.inf)
        return WritingStep(
            reads=attention.query_labels[query],
            position=attention.query_positions[query],
            row=int(rows[query]),
            writes=attention.writes[query],
            probability=np.nan if chosen is None else share(query, chosen),
            looks=weights[query, shown],
            rivals=tuple((id_, share(query, id_)) for id_ in ids),
            rest=float((others.logsumexp(0) - total[query]).exp()) if ids else 0.0,
        )

    return Writing(
        keys=tuple(attention.key_labels[key] for key in shown),
        key_positions=tuple(attention.key_positions[key] for key in shown),
        steps=tuple(step(query, chosen) for query, chosen in written.items()),
    )
