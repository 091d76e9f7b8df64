"""A model's answers, word by word: ids for many sources, or one answer in full detail."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from explorer.beam import Hypothesis, beam, best, path_to, root
from explorer.decoding import DecodingStep, Written, greedy, sample, to_end, writing
from explorer.names import LIMIT, SpecialIds
from explorer.runtime.engine import SMALL_TRACE, Engine, LoadedModel, Tell
from explorer.runtime.memory import estimate
from explorer.runtime.turns import give_way, giving_way
from explorer.runtime.writer import Wanted, Writer
from explorer.text import Sentences
from explorer.transformer import Transformer
from explorer.weights.catalogue import ModelRequest

Method = Literal["greedy", "beam", "sampling"]
_writer: Final = Writer()


@dataclass(frozen=True, slots=True)
class DecodingOptions:
    """The options with which the next word is chosen."""

    method: Method = "greedy"
    width: int = 4
    alpha: float = 0.6
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int = 0
    instead: tuple[tuple[int, int], ...] = ()  # see `greedy`
    limit: int = LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedWord:
    """One word of the answer, and everything that led to it."""

    read: tuple[int, ...]
    chosen: int
    probabilities: Float[np.ndarray, " vocab"]
    candidates: Float[np.ndarray, " vocab"]  # the distribution it was chosen from
    decoder: Float[np.ndarray, "layers heads read"]  # masked self-attention, newest position
    cross: Float[np.ndarray, "crossed heads src"]  # no layers in a decoder without encoder


@dataclass(frozen=True, slots=True)
class Generation:
    """A whole answer; for a beam search also its tree, the nodes of each step."""

    words: tuple[GeneratedWord, ...]
    ended: bool
    tree: tuple[tuple[Hypothesis, ...], ...] = ()
    best: tuple[int, ...] = ()  # numbers of the nodes on the path to the answer

    @property
    def log_probability(self) -> float:
        """The log-probability of the whole answer, in nats."""
        for grown in reversed(self.tree):
            for node in grown:
                if node.number == self.best[-1]:
                    return node.log_probability
        return sum(math.log(float(word.probabilities[word.chosen])) for word in self.words)


@dataclass(frozen=True, slots=True)
class Altered:
    """Another model on the same weights, by a name that no other one has."""

    name: Hashable
    make: Callable[[Transformer], Transformer]


def answer_to(
    engine: Engine,
    request: ModelRequest,
    sources: Sentences,
    *,
    specials: SpecialIds,
    limit: int,
    row: int = 0,
    draft: Sequence[int] = (),
    prompt: Sequence[int] = (),
    altered: Altered | None = None,
    tell: Tell | None = None,
) -> Written:
    """The greedy answer to one source of a batch.

    `draft` is a guess, as in `write`, for a source by itself. A decoder alone goes on from its
    `prompt` in place of a source. An `altered` model writes in place of the requested one.
    """
    limit = max(0, min(limit, request.config.max_len - len(prompt)))
    batch, n_src = sources.ids.shape
    need = estimate(request.config, batch, n_src, len(prompt) + limit)
    begin = tuple(prompt)

    def answer(loaded: LoadedModel) -> Written:
        model = loaded.model
        if altered is None and len(sources.ids) == 1:
            encode = partial(engine.encoding, request, model, sources)
            wanted = Wanted(model, sources, encode, specials, limit, draft, begin)
            return _writer.write(wanted, alone=need.trace > SMALL_TRACE)
        with torch.inference_mode():
            writes = model if altered is None else altered.make(model)
            read = sources.to(model.device)
            encoded = writes.encode(read.ids, words=read.words)
        steps = writing(
            writes,
            encoded,
            specials=specials,
            limit=limit,
            draft=draft,
            begin=begin,
        )
        return to_end(steps, give_way)[row]

    name = None if altered is None else altered.name
    key = (name, sources.key, row, begin, specials, limit)
    return engine.result(request, need, key, 32 * limit, answer, tell=tell)


def generate(
    engine: Engine,
    request: ModelRequest,
    source: Sentences,
    options: DecodingOptions,
    *,
    specials: SpecialIds,
    prompt: Sequence[int] = (),
    tell: Tell | None = None,
) -> Generation:
    """The answer to one source, and everything that led to each word.

    The decoder begins with BOS, or with `prompt`.
    """
    config = request.config
    options = replace(options, limit=max(1, min(options.limit, config.max_len - len(prompt))))
    length = len(prompt) + options.limit
    n_src = source.ids.shape[1]
    need = estimate(config, options.width, n_src, length)
    looks = config.n_heads * config.n_decoder_layers * (n_src + length)
    begin = tuple(prompt)
    return engine.result(
        request,
        need,
        (source.key, begin, specials, options),
        4 * options.limit * (2 * config.tgt_vocab_size + looks),
        lambda loaded: _generate(loaded.model, source, options, specials, begin),
        tell=tell,
    )


def _generate(
    model: Transformer,
    source: Sentences,
    options: DecodingOptions,
    specials: SpecialIds,
    begin: tuple[int, ...],
) -> Generation:
    read = source.to(model.device)
    src = read.ids
    given: dict[str, Any] = {"src_words": read.words, "specials": specials, "begin": begin}
    if options.method == "beam":
        return _search(model, src, options, given)
    if options.method == "greedy":
        steps = greedy(model, src, limit=options.limit, instead=options.instead, **given)
    else:
        steps = sample(
            model,
            src,
            torch.Generator(src.device).manual_seed(options.seed),
            temperature=options.temperature,
            top_k=options.top_k,
            top_p=options.top_p,
            limit=options.limit,
            **given,
        )
    words = tuple(map(_word, giving_way(steps)))  # one at a time: each step holds a whole trace
    return Generation(words, words[-1].chosen in specials.ends)


def _search(
    model: Transformer, src: Tensor, options: DecodingOptions, given: dict[str, Any]
) -> Generation:
    search = beam(
        model, src, width=options.width, alpha=options.alpha, limit=options.limit, **given
    )
    tree = tuple(tuple(grown) for grown in giving_way(search))
    nodes = [root(given["specials"]), *(node for grown in tree for node in grown)]
    path = path_to(nodes, best(nodes))
    written = tuple(enumerate(node.token for node in path[1:]))
    steps = greedy(model, src, limit=len(written), instead=written, **given)
    numbers = tuple(node.number for node in path)
    return Generation(tuple(map(_word, giving_way(steps))), path[-1].ended, tree, numbers)


def _word(step: DecodingStep) -> GeneratedWord:
    def newest(weights: Sequence[Tensor]) -> np.ndarray:
        rows: np.ndarray = torch.stack([layer[0, :, -1] for layer in weights]).cpu().numpy()
        return rows

    own = newest([layer.attention.weights for layer in step.trace.layers])
    crossed = [layer.cross.weights for layer in step.trace.layers if layer.cross]
    return GeneratedWord(
        read=step.read,
        chosen=step.chosen,
        probabilities=step.probabilities.cpu().numpy(),
        candidates=step.candidates.cpu().numpy(),
        decoder=own,
        cross=newest(crossed) if crossed else np.zeros((0, own.shape[1], 0), np.float32),
    )
