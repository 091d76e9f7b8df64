"""Questions about decoding: how does the model write?"""

import math
from typing import Final

import numpy as np

from explorer.decoding import LIMIT, of_words
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    as_array,
    bars,
    clear_best,
    counted_tokens,
    in_quotes,
    mixed,
    pick,
    softmax,
)
from explorer.languages import mark, side_by_side, tr, tr_n
from explorer.names import PAD
from explorer.runtime.engine import Run
from explorer.runtime.generation import DecodingOptions, generate

_MOST: Final = 40  # words of an answer that a question waits for
_NAMED: Final = 40  # ids that are named at once


def _steps(run: Run) -> list[int]:
    """The positions of the target at which a word is written; none for typed ids."""
    if not run.request.config.has_decoder or run.batch.tgt_out is None:
        return []
    labels = run.batch.tgt_out_labels[run.row]
    return [at for at, label in enumerate(labels) if label != PAD]


def _read_so_far(run: Run, at: int) -> str:
    """The words that the decoder has read at a position, the last six at most."""
    read = [label for label in run.tgt_labels[: at + 1] if label != PAD]
    return in_quotes(" ".join(["…", *read[-6:]] if len(read) > 6 else read))


def _likeliest(run: Run, at: int, most: int) -> tuple[list[str], np.ndarray]:
    """The likeliest words at a position, and their probabilities, the likeliest first.

    Ids without a word are left out: an untrained model has many of them.
    """
    logits = run.trace.logits[0, at]
    probabilities = as_array(logits.softmax(dim=-1))
    order = of_words(logits, run.batch.specials).argsort(descending=True, stable=True)
    best = order[:-2].tolist()
    kept: list[tuple[int, str]] = []
    for begin in range(0, len(best), _NAMED):  # most often the first few are enough
        some = best[begin : begin + _NAMED]
        named = zip(some, run.batch.tgt_names(some), strict=True)
        kept += [(i, name) for i, name in named if name != f"#{i}"]
        if len(kept) >= most:
            break
    kept = kept[:most]
    return [name for _, name in kept], probabilities[[i for i, _ in kept]]


def next_word(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the word that the model would write next."""
    steps = _steps(run)
    if not steps:
        return None
    at = pick(rng, steps)
    words, probabilities = _likeliest(run, at, 8)
    if len(words) < 4 or clear_best(probabilities.tolist(), 0.0005) is None:
        return None
    drawn, right = mixed(rng, 0, range(len(words)))
    if len({words[n] for n in drawn}) < len(drawn):
        return None
    why = tr(
        "“{word}” has probability {largest}, the next word, “{next}”, {smaller}.",
        word=words[0],
        largest=number(float(probabilities[0])),
        next=words[1],
        smaller=number(float(probabilities[1])),
    )
    if probabilities[0] <= 0.1:
        why = " ".join([why, tr("No word stands out: nothing was learnt here.")])
    return Question(
        text=tr(
            "The decoder has read {words}. Which of these words is the most probable next?",
            words=_read_so_far(run, at),
        ),
        hint=tr("The source says what to write, the words so far say where it has got to."),
        explanation=why,
        form="choice",
        right=right,
        options=tuple(words[n] for n in drawn),
        bars=bars(tr("probability"), [words[n] for n in drawn], probabilities[drawn]),
        focus=_at(run, at),
    )


def among_the_unlikely(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the likeliest of three words that the model does not write."""
    steps = _steps(run)
    if not steps:
        return None
    at = pick(rng, steps)
    words, probabilities = _likeliest(run, at, 24)
    if len(words) < 6 or probabilities[0] < 0.1:
        return None
    drawn = sorted((1 + rng.permutation(len(words) - 1)[:3]).tolist())
    if (
        probabilities[drawn[0]] < 1.2 * probabilities[drawn[1]]
        or len({words[n] for n in drawn}) < 3
    ):
        return None
    drawn = [drawn[n] for n in rng.permutation(3).tolist()]
    right = int(np.argmin(drawn))
    best = drawn[right]
    return Question(
        text=tr(
            "The decoder has read {words}, and writes “{word}”. Which of these other words is the "
            "most probable?",
            words=_read_so_far(run, at),
            word=words[0],
        ),
        hint=tr("A model that knows a language also knows which mistakes are small."),
        explanation=tr(
            "“{word}” is number {rank} of all words, with probability {probability}. “{written}” "
            "has {largest}.",
            word=words[best],
            rank=best + 1,
            probability=number(float(probabilities[best]), 5),
            written=words[0],
            largest=number(float(probabilities[0])),
        ),
        form="choice",
        right=right,
        options=tuple(words[n] for n in drawn),
        bars=bars(tr("probability"), [words[n] for n in drawn], probabilities[drawn]),
        focus=_at(run, at),
    )


def log_probability(run: Run, rng: np.random.Generator) -> Question | None:
    """The log-probability of the beginning of the target."""
    steps = _steps(run)[:3]
    if run.batch.tgt_out is None or len(steps) < 2:
        return None
    written = run.batch.tgt_out[run.row, steps].tolist()
    chances = as_array(run.trace.logits[0, steps].softmax(dim=-1))[range(len(steps)), written]
    words = [run.batch.tgt_out_labels[run.row][at] for at in steps]
    if chances.min() < 0.0005:
        return None
    right = float(np.log(chances).sum())
    said = side_by_side(
        f"{in_quotes(word)} {number(float(chance))}"
        for word, chance in zip(words, chances, strict=True)
    )
    logs = " ".join(f"{'+' if n else ''} ({number(math.log(c))})" for n, c in enumerate(chances))
    return Question(
        text=tr(
            "The target begins with these words and probabilities: {words}. What is the natural "
            "logarithm of the probability of all of them, one after the other?",
            words=said,
        ),
        hint=tr(
            "Probabilities are multiplied, so their logarithms are added. ln 1 is 0, ln 0.5 is "
            "−0.69, ln 0.1 is −2.30."
        ),
        explanation=tr(
            "{sum} = {total}. The product itself is {product}.",
            sum=logs.strip(),
            total=number(right),
            product=number(math.exp(right), 4),
        ),
        form="number",
        right=right,
        tolerance=max(0.05, 0.03 * abs(right)),
        bars=bars(tr("probability"), words, chances),
        focus=_at(run, steps[-1]),
    )


def least_sure(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the word of the target that the model is least sure of."""
    steps = _steps(run)
    if run.batch.tgt_out is None or len(steps) < 3:
        return None
    written = run.batch.tgt_out[run.row, steps].tolist()
    chances = as_array(run.trace.logits[0, steps].softmax(dim=-1))[range(len(steps)), written]
    drawn = sorted(rng.permutation(len(steps))[:4].tolist())
    values = chances[drawn]
    if clear_best((-values).tolist(), 0.1 * float(values.min())) is None:
        return None
    right = int(values.argmin())
    labels = run.batch.tgt_out_labels[run.row]
    options = [f"{steps[n] + 1} · {labels[steps[n]]}" for n in drawn]
    return Question(
        text=tr(
            "The model gives every word of the target a probability, given the words before it. "
            "To which of these does it give the smallest?"
        ),
        hint=tr("Where a sentence can go on in many ways, each of them gets little."),
        explanation=tr(
            "“{word}” gets {smallest}; the mean over all {words:,} words is {mean}.",
            word=labels[steps[drawn[right]]],
            smallest=number(float(values[right])),
            words=len(steps),
            mean=number(float(chances.mean())),
        ),
        form="choice",
        right=right,
        options=tuple(options),
        bars=bars(tr("probability"), options, values),
        focus=_at(run, steps[drawn[right]]),
    )


def hotter(run: Run, rng: np.random.Generator) -> Question | None:
    """The largest probability at another temperature."""
    steps = _steps(run)
    if not steps:
        return None
    at = pick(rng, steps)
    temperature = pick(rng, (0.5, 2.0))
    logits = as_array(of_words(run.trace.logits[0, at], run.batch.specials))
    before, after = softmax(logits), softmax(logits / temperature)
    best = int(before.argmax())
    now, then = float(before[best]), float(after[best])
    if abs(now - then) < 0.05:
        return None
    other = now / 2 if then > now else now + (1 - now) / 2
    values = sorted({number(x, 2) for x in (now, other, then)})
    if len(values) < 3:
        return None
    (word,) = run.batch.tgt_names([best])
    return Question(
        text=tr(
            "After {words}, “{word}” has probability {now}. How large is it at temperature "
            "{temperature:g}?",
            words=_read_so_far(run, at),
            word=word,
            now=number(now, 2),
            temperature=temperature,
        ),
        hint=tr("The logits are divided by the temperature before the softmax."),
        explanation=_why_hotter(temperature, now, then),
        form="choice",
        right=values.index(number(then, 2)),
        options=tuple(values),
        bars=bars(
            tr("probability"),
            [tr("temperature {temperature:g}", temperature=t) for t in (1.0, temperature)],
            (now, then),
        ),
        focus=_at(run, at),
    )


def _why_hotter(temperature: float, now: float, then: float) -> str:
    """What a temperature does to the largest probability.

    A temperature above 1 cannot make it larger, nor one below 1 smaller.
    """
    if temperature > 1:
        text = mark(
            "Dividing the logits by {temperature:g} makes their differences smaller, so the "
            "largest probability gets smaller: from {now} to {then}."
        )
    else:
        text = mark(
            "Dividing the logits by {temperature:g} makes their differences larger, so the "
            "largest probability gets larger: from {now} to {then}."
        )
    return tr(text, temperature=temperature, now=number(now, 2), then=number(then, 2))


def logits_shape(run: Run, rng: np.random.Generator) -> Question | None:
    """The shape of the logits."""
    shape = tuple(run.trace.logits.shape)
    if not run.request.config.n_logits:
        return None
    if run.request.config.has_decoder:
        read = tr_n(
            "The decoder reads one sentence of {n:,} token.",
            "The decoder reads one sentence of {n:,} tokens.",
            shape[1],
        )
    else:
        read = tr_n(
            "The encoder reads one sentence of {n:,} token.",
            "The encoder reads one sentence of {n:,} tokens.",
            shape[1],
        )
    asked = tr("Its vocabulary has {ids:,} ids. What is the shape of the logits?", ids=shape[2])
    return Question(
        text=f"{read} {asked}",
        hint=tr(
            "The axes are: sentences, tokens, vocabulary. There is a prediction at each position."
        ),
        explanation=tr(
            "{shape}: at each of the {positions} positions there is a number for every one of the "
            "{ids:,} ids. Only when writing is the last position enough.",
            shape=shape,
            positions=shape[1],
            ids=shape[2],
        ),
        form="shape",
        right=shape,
        axes=(tr("sentences"), tr("tokens"), tr("vocabulary")),
    )


def passes(run: Run, rng: np.random.Generator) -> Question | None:
    """How often the decoder runs to write the answer."""
    chosen = _greedy(run)
    if chosen is None:
        return None
    words = run.batch.tgt_names(chosen[:-1])
    why = tr(
        "{times}: once for each of {tokens}, and once more to write EOS.",
        times=tr_n("{n:,} time", "{n:,} times", len(chosen)),
        tokens=counted_tokens(len(words)),
    )
    if run.request.config.has_encoder:
        why = " ".join([why, tr("The encoder runs only once.")])
    return Question(
        text=tr(
            "The model writes “{words}”: {tokens}. How often does its decoder run, if it chooses "
            "the most probable token each time?",
            words=" ".join(words),
            tokens=counted_tokens(len(words)),
        ),
        hint=tr("Each run writes one token. How does the model say that it has finished?"),
        explanation=why,
        form="number",
        right=len(chosen),
        whole=True,
        focus=Focus(at=len(chosen) - 1, method="greedy"),
    )


def beam_or_greedy(run: Run, rng: np.random.Generator) -> Question | None:
    """Whether beam search finds another answer than greedy decoding."""
    chosen, config = _greedy(run), run.request.config
    if chosen is None or not config.has_encoder or len(chosen) > _MOST:
        return None
    src = run.batch.src[run.row : run.row + 1]
    options = DecodingOptions("beam", limit=min(LIMIT, _MOST, config.max_len))
    beam = generate(run.engine, run.request, src, options, specials=run.batch.specials)
    found = [word.chosen for word in beam.words]
    same = found == chosen
    chances = as_array(run.trace.logits[0, _steps(run)].softmax(dim=-1))[range(len(chosen)), chosen]
    totals = [number(float(np.log(chances).sum()), 2), number(beam.log_probability, 2)]
    said = " ".join(run.batch.tgt_names(found[:-1] if beam.ended else found))
    return Question(
        text=tr(
            "Greedy decoding takes the most probable word each time. Beam search keeps the 4 best "
            "beginnings. Do they write the same answer to this source?"
        ),
        hint=tr("If every word is nearly certain, there is nothing to search for."),
        explanation=tr("Both write the same, with a log-probability of {beam}.", beam=totals[1])
        if same
        else tr(
            "Beam search writes “{words}”, with a log-probability of {beam}; greedy decoding "
            "reaches {greedy}. Longer answers are judged more leniently.",
            words=said,
            beam=totals[1],
            greedy=totals[0],
        ),
        form="choice",
        right=0 if same else 1,
        options=(tr("The same answer."), tr("Another answer.")),
        focus=Focus(at=0, method="beam"),
    )


def _greedy(run: Run) -> list[int] | None:
    """The ids of the target, with EOS, if it is the model's own greedy answer; else None."""
    steps = _steps(run)
    if run.batch.tgt_out is None or len(steps) < 2:
        return None
    written: list[int] = run.batch.tgt_out[run.row, steps].tolist()
    words = of_words(run.trace.logits[0, steps], run.batch.specials).argmax(dim=-1)
    ended = written[-1] == run.batch.specials.eos
    return written if ended and words.tolist() == written else None


def _at(run: Run, position: int) -> Focus:
    """The step of decoding that writes after this position."""
    return Focus(at=_steps(run).index(position), method="greedy")


KINDS: Final = {
    "next_word": Kind("decoding", mark("The next word"), next_word),
    "among_the_unlikely": Kind("decoding", mark("Words that are not written"), among_the_unlikely),
    "log_probability": Kind("decoding", mark("Log-probability of a beginning"), log_probability),
    "least_sure": Kind("decoding", mark("Where the model is least sure"), least_sure),
    "hotter": Kind("decoding", mark("Temperature"), hotter),
    "logits_shape": Kind("decoding", mark("The shape of the logits"), logits_shape),
    "passes": Kind("decoding", mark("How often the decoder runs"), passes),
    "beam_or_greedy": Kind("decoding", mark("Beam search or greedy"), beam_or_greedy),
}
