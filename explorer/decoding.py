"""Decoding: the model writes its answer word by word, each time reading the words so far.

There are three ways to choose the next word: greedy, sampling, and `explorer.beam`. Each is a
generator: the caller decides how long it runs. `src_words` says which tokens of a source are not
padding, as in `Transformer.forward`.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Generator as Steps
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor

from explorer.beam import Hypothesis as Hypothesis
from explorer.beam import beam as beam
from explorer.beam import best as best
from explorer.beam import root as root
from explorer.beam import words as words
from explorer.intervention import NO_INTERVENTION
from explorer.names import LIMIT, USUAL_IDS, SpecialIds
from explorer.rules import Reading, by_rules, of_words
from explorer.transformer import DecoderTrace, EncoderTrace, Transformer, keys_and_values

Words = Bool[Tensor, "batch src"] | None  # the tokens of a source that are not padding
Choose = Callable[[Tensor, Reading], tuple[Tensor, int]]  # logits → (candidates, chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingStep:
    """One chosen word, and everything that led to it."""

    read: tuple[int, ...]  # the decoder's input so far, starting with BOS
    trace: DecoderTrace  # of that input; the last position is the newest
    probabilities: Float[Tensor, " vocab"]  # softmax of the newest position's logits
    candidates: Float[Tensor, " vocab"]  # the distribution it was chosen from: see `narrow`
    chosen: int
    ended: bool  # whether the answer is complete


@dataclass(frozen=True, slots=True)
class Written:
    """A greedy answer."""

    ids: tuple[int, ...]  # with EOS if the model wrote it in time
    probabilities: tuple[float, ...]  # of each id, when it was chosen


def greedy(
    model: Transformer,
    src: Int[Tensor, "1 src"],
    *,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    begin: Sequence[int] = (),
    instead: Sequence[tuple[int, int]] = (),
    src_words: Words = None,
) -> Iterator[DecodingStep]:
    """Always choose the most probable word, until EOS or `limit` words.

    The decoder begins with BOS, or with the ids in `begin`, which it goes on from. Each (place, id)
    in `instead` is written at this place of the answer, from 0, whatever the model would choose.
    """
    given = dict(instead)

    def choose(logits: Tensor, reading: Reading) -> tuple[Tensor, int]:
        scores = of_words(logits, specials, reading)
        best = int(scores.argmax())  # shares are rounded, and may be equal
        return scores.softmax(dim=-1), given.get(reading.length - reading.given, best)

    return _one_by_one(model, src, src_words, specials, limit, choose, begin)


def answers(
    model: Transformer,
    src: Int[Tensor, "batch src"],
    *,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    begin: Sequence[int] = (),
    src_words: Words = None,
) -> list[tuple[int, ...]]:
    """The greedy answer to every source of a batch, with EOS if the model wrote it in time."""
    written = write(model, src, specials=specials, limit=limit, begin=begin, src_words=src_words)
    return [answer.ids for answer in written]


def write(
    model: Transformer,
    src: Int[Tensor, "batch src"],
    *,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    draft: Sequence[int] = (),
    begin: Sequence[int] = (),
    cached: bool = False,
    src_words: Words = None,
) -> list[Written]:
    """The greedy answer to every source of a batch, and how sure the model was of each word.

    The decoder begins with BOS, or with the ids in `begin`, which it goes on from.

    `draft` and `cached` change nothing but the time. A draft is a guess of the answer to a single
    source, such as the answer to what somebody typed before: one run of the decoder checks many
    words at once, and what is right need not be written word by word (Leviathan et al. 2023).
    `cached` keeps the keys and values of the words that have been read (a "KV cache"). That is
    right only if no word sees a later one, so not for every mistaken model.

    Raises:
        ValueError: for a draft and more than one source.
    """
    with torch.inference_mode():
        encoded = model.encode(src, words=src_words)
    steps = writing(
        model,
        encoded,
        specials=specials,
        limit=limit,
        draft=draft,
        begin=begin,
        cached=cached,
    )
    return to_end(steps)


def to_end(
    steps: Steps[None, None, list[Written]], between: Callable[[], object] = lambda: None
) -> list[Written]:
    """What `writing` returns; `between` is called between its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            written: list[Written] = end.value
            return written
        between()


def writing(
    model: Transformer,
    encoded: EncoderTrace,
    *,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    draft: Sequence[int] = (),
    begin: Sequence[int] = (),
    cached: bool = False,
) -> Steps[None, None, list[Written]]:
    """As `write`, from what the encoder has read, in steps that each run the decoder once."""
    memory = encoded.memory
    if draft and len(memory) > 1:
        raise ValueError(f"a draft is for one source, got {len(memory)} sources; leave it out")
    tgt = torch.tensor([begin or (specials.bos,)] * len(memory), device=memory.device)
    given, past = tgt.shape[1], NO_INTERVENTION
    limit, ends = specials.manner.limit(limit, given), tgt.new_tensor(specials.ends)
    probabilities: list[Tensor] = []
    while (step := tgt.shape[1] - given) < limit:
        if (tgt[:, given:, None] == ends).flatten(1).any(dim=1).all():
            break
        ahead = _rest_of_draft(draft, tgt[0, given:].tolist())[: limit - step - 1] if draft else ()
        with torch.inference_mode():  # not across a step: it would hold outside, too
            guess = tgt.new_tensor([ahead] * len(tgt)).long().reshape(len(tgt), -1)
            reading = Reading(ids=torch.cat([tgt, guess], dim=1), given=given)
            trace = model.decode(
                reading.ids,
                memory,
                encoded.mask,
                given=past,
                at=slice(-1 - guess.shape[1], None),
            )
            best, shares = _likeliest(trace.logits, specials, reading)
            right = 1 + int((best[:, :-1] == guess).int().cumprod(dim=1).sum(dim=1).min())
            probabilities.append(shares[:, :right])
            tgt = torch.cat([tgt, best[:, :right]], dim=1)
            past = keys_and_values(trace, tgt.shape[1] - 1) if cached else past
        yield
    rows = torch.cat(probabilities, dim=1).tolist() if probabilities else [[]] * len(memory)
    written = []
    for ids, sure in zip(tgt[:, given:].tolist(), rows, strict=True):
        end = next((n for n, word in enumerate(ids, start=1) if word in specials.ends), len(ids))
        written.append(Written(tuple(ids[:end]), tuple(sure[:end])))
    return written


def _likeliest(
    logits: Float[Tensor, "batch words vocab"], specials: SpecialIds, reading: Reading
) -> tuple[Int[Tensor, "batch words"], Float[Tensor, "batch words"]]:
    """The likeliest words after the last of those read, and their probabilities."""
    best = of_words(logits, specials).argmax(dim=-1)
    n_words = logits.shape[1] if specials.manner.rules or specials.first is not None else 0
    for n in range(n_words):
        length = reading.length - logits.shape[1] + 1 + n
        row = logits[:, n]
        ruled = by_rules(row, specials, replace(reading, ids=reading.ids[:, :length]))
        if ruled is not row:  # most rules act on few words
            best[:, n] = ruled.argmax(dim=-1)
    return best, logits.softmax(dim=-1).gather(-1, best[..., None])[..., 0]


def _rest_of_draft(draft: Sequence[int], written: Sequence[int]) -> Sequence[int]:
    """The rest of a draft after the words that have been written.

    The draft continues after the last word written, at the occurrence nearest to its place in the
    answer. If the draft lacks the word, the word replaces one word of the draft.
    """
    places = [n for n, word in enumerate(draft, start=1) if written and word == written[-1]]
    return draft[min(places, key=lambda n: abs(n - len(written)), default=len(written)) :]


def sample(
    model: Transformer,
    src: Int[Tensor, "1 src"],
    generator: Generator,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    specials: SpecialIds = USUAL_IDS,
    limit: int = LIMIT,
    begin: Sequence[int] = (),
    src_words: Words = None,
) -> Iterator[DecodingStep]:
    """Draw each word from the probabilities that `narrow` leaves.

    Raises:
        ValueError: for settings that leave nothing to draw from.
    """

    def choose(logits: Tensor, reading: Reading) -> tuple[Tensor, int]:
        candidates = narrow(
            logits,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            specials=specials,
            reading=reading,
        )
        return candidates, int(candidates.multinomial(1, generator=generator))

    return _one_by_one(model, src, src_words, specials, limit, choose, begin)


def narrow(
    logits: Float[Tensor, " vocab"],
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    specials: SpecialIds = USUAL_IDS,
    reading: Reading | None = None,
) -> Float[Tensor, " vocab"]:
    """softmax(logits / temperature), restricted to the likeliest words and normalised again.

    `top_k` keeps that many words (Fan et al. 2018), `top_p` the fewest words that together have at
    least that probability (Holtzman et al. 2020); of equally likely words, those of the lowest ids.
    PAD and BOS do not count as words; `reading` is that of `of_words`.

    Raises:
        ValueError: for settings that leave nothing to draw from.
    """
    if temperature <= 0.0 or (top_k is not None and top_k < 1) or not 0.0 < top_p <= 1.0:
        raise ValueError(
            "temperature must be above 0, top_k at least 1 and top_p in (0, 1], "
            f"got temperature={temperature}, top_k={top_k}, top_p={top_p}"
        )
    scores = of_words(logits, specials, reading)
    probabilities = ((scores - scores.max()) / temperature).softmax(dim=-1)
    order = scores.argsort(descending=True, stable=True)  # shares are rounded, and may be equal
    ordered = probabilities[order]
    before = ordered.cumsum(dim=-1) - ordered  # total probability of the likelier words
    keep = (before < top_p) | (top_p == 1.0)  # rounding may take `before` to 1
    if top_k is not None:
        keep &= torch.arange(len(ordered), device=keep.device) < top_k
    kept = torch.zeros_like(probabilities).scatter(0, order, ordered * keep)
    return kept / kept.sum()


def _one_by_one(
    model: Transformer,
    src: Int[Tensor, "1 src"],
    src_words: Words,
    specials: SpecialIds,
    limit: int,
    choose: Choose,
    begin: Sequence[int],
) -> Iterator[DecodingStep]:
    with torch.inference_mode():
        encoded = model.encode(src, words=src_words)
    read = [*(begin or (specials.bos,))]
    given = len(read)
    for _ in range(specials.manner.limit(limit, given)):
        with torch.inference_mode():
            ids = torch.tensor([read], device=src.device)
            trace = model.decode(ids, encoded.memory, encoded.mask)
            logits = trace.logits[0, -1]
            candidates, chosen = choose(logits, Reading(ids=ids, given=given))
            step = DecodingStep(
                read=tuple(read),
                trace=trace,
                probabilities=logits.softmax(dim=-1),
                candidates=candidates,
                chosen=chosen,
                ended=chosen in specials.ends,
            )
        yield step
        if step.ended:
            return
        read.append(chosen)
