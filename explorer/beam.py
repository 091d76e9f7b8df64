"""Beam search: several beginnings of an answer are kept, and the best whole answer wins."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explorer.names import LIMIT, USUAL_IDS, SpecialIds
from explorer.rules import Reading, of_words
from explorer.transformer import Transformer


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One node of the tree that beam search grows."""

    number: int  # in the order of growth; 0 is the root, BOS
    parent: int | None
    token: int
    log_probability: float  # of all words from BOS to here, in nats
    score: float  # ranks the hypotheses: see `beam`
    length: int  # words after BOS
    kept: bool  # among the best of its step
    ended: bool  # its word ends the answer


def root(specials: SpecialIds) -> Hypothesis:
    """The start of every search: BOS alone."""
    return Hypothesis(0, None, specials.bos, 0.0, 0.0, 0, True, False)


def beam(
    model: Transformer,
    src: Int[Tensor, "1 src"],
    *,
    width: int = 4,
    alpha: float = 0.6,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    begin: Sequence[int] = (),
    src_words: Bool[Tensor, "batch src"] | None = None,
) -> Iterator[list[Hypothesis]]:
    """Keep the `width` best beginnings; every step yields all that it tried, best first.

    The score is the log-probability divided by ((5 + length) / 6)^alpha, so that longer answers
    are not penalised (paper section 6.1; Wu et al. 2016). A hypothesis that has ended stays among
    the best; the search stops once no unfinished one is left there. Of equally likely words, those
    of the lowest ids come first.

    Raises:
        ValueError: for a width below 1.
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, got {width}")
    with torch.inference_mode():
        encoded = model.encode(src, words=src_words)
    nodes, start = [root(specials)], [*(begin or (specials.bos,))]
    alive, ended = nodes.copy(), list[Hypothesis]()
    given = len(start)

    for length in range(1, specials.manner.limit(limit, given) + 1):
        tgt = torch.tensor([[*start, *words(nodes, node)[1:]] for node in alive], device=src.device)
        with torch.inference_mode():
            logits = model.decode(
                tgt,
                encoded.memory.expand(len(tgt), -1, -1),
                encoded.mask.expand(len(tgt), -1, -1, -1),
            ).logits[:, -1]
            scores = of_words(logits, specials, Reading(ids=tgt, given=given))
            likeliest = _first(scores, min(width, logits.shape[-1] - 2))
            likely = scores.log_softmax(dim=-1).gather(-1, likeliest)
        penalty = ((5 + length) / 6) ** alpha
        tried = [
            (node, token, node.log_probability + log_probability)
            for node, tokens, log_probabilities in zip(
                alive, likeliest.tolist(), likely.tolist(), strict=True
            )
            for token, log_probability in zip(tokens, log_probabilities, strict=True)
            if log_probability > -math.inf
        ]
        tried.sort(key=lambda candidate: -candidate[2])
        rivals = sorted((node.score for node in ended), reverse=True)
        grown: list[Hypothesis] = []
        for node, token, total in tried:
            score = total / penalty
            better = sum(r > score for r in rivals) + sum(other.kept for other in grown)
            grown.append(
                Hypothesis(
                    len(nodes) + len(grown), node.number, token, total, score, length,
                    better < width, token in specials.ends,
                )
            )  # fmt: skip
        nodes += grown
        yield grown
        alive = [node for node in grown if node.kept and not node.ended]
        ended += [node for node in grown if node.kept and node.ended]
        if not alive:
            return


def _first(scores: Float[Tensor, "rows vocab"], n: int) -> Int[Tensor, "rows n"]:
    """The ids of the largest scores of each row; `topk` alone has no order among equal ones."""
    found = []
    for row, least in zip(scores, scores.topk(n).values[:, -1], strict=True):
        ids = (row >= least).nonzero()[:, 0]
        found.append(ids[row[ids].argsort(descending=True, stable=True)][:n])
    return torch.stack(found)


def words(nodes: Sequence[Hypothesis], node: Hypothesis) -> tuple[int, ...]:
    """The ids from BOS to a node of the tree; `nodes` must be ordered by number."""
    return tuple(step.token for step in path_to(nodes, node))


def path_to(nodes: Sequence[Hypothesis], node: Hypothesis) -> list[Hypothesis]:
    """The nodes from the root to one of them; `nodes` must be ordered by number."""
    path = [node]
    while path[-1].parent is not None:
        path.append(nodes[path[-1].parent])
    return path[::-1]


def best(nodes: Sequence[Hypothesis]) -> Hypothesis:
    """The result of a search: the best ended node, or the best of the longest if none has ended."""
    kept = [node for node in nodes if node.kept]
    longest = max(node.length for node in kept)
    ended = [node for node in kept if node.ended]
    return max(ended or [n for n in kept if n.length == longest], key=lambda node: node.score)
