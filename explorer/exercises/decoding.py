"""Questions about decoding: how does the model write?"""

import math
from typing import Final

import numpy as np

from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kinds,
    as_array,
    as_read,
    bars,
    clear_best,
    counted_tokens,
    is_clearly_larger,
    known,
    mixed,
    pick,
    require,
    softmax,
)
from explorer.languages import in_quotes, mark, numbered, sentences, side_by_side, tr, tr_n
from explorer.names import PAD
from explorer.rules import of_words
from explorer.runtime.engine import Run

KINDS: Final = Kinds("decoding")

_LEAST: Final = 0.02  # a smaller probability is not written with three digits
_SOME_DOUBT: Final = -0.1  # a log-probability nearer to 0 is not asked for
_SURE: Final = 0.5  # of the next word, where it is asked for
_WORDS: Final = 8  # to choose from
_NAMED: Final = 40  # ids whose words are looked up at once


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


def _chances(run: Run, steps: list[int]) -> np.ndarray:
    """The probabilities of the target's words at these positions."""
    written = known(run.batch.tgt_out)[run.row, steps].tolist()
    probabilities = as_array(run.trace.logits[0, steps].softmax(dim=-1))
    found: np.ndarray = probabilities[range(len(steps)), written]
    return found


def _likeliest(run: Run, at: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The eight likeliest words at a position, their probabilities and logits, in that order.

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
        if len(kept) >= _WORDS:
            break
    kept = kept[:_WORDS]
    ids = [i for i, _ in kept]
    return [name for _, name in kept], probabilities[ids], as_array(logits)[ids]


@KINDS.add("tour", mark("The next word"))
def next_word(run: Run, rng: np.random.Generator) -> Question:
    """Find the word that the model would write next."""
    at = pick(rng, _steps(run))
    words, probabilities, _ = _likeliest(run, at)
    require(len(words) >= 4, not run.batch.specials.manner.rules)  # which may forbid the likeliest
    require(probabilities[0] >= _SURE, clear_best(probabilities.tolist()) is not None)
    drawn, right = mixed(rng, 0, range(len(words)))
    options = tuple(words[n] for n in drawn)
    require(len(set(options)) == len(options))
    why = tr(
        "“{word}” has probability {largest}; the second likeliest, “{next}”, has {smaller}.",
        word=words[0],
        largest=number(probabilities[0]),
        next=words[1],
        smaller=number(probabilities[1]),
    )
    return Question(
        text=tr(
            "The decoder has read {words}. Which of these words is the most probable next?",
            words=_read_so_far(run, at),
        ),
        hint=tr(
            "What to write next follows from the words so far and, if there is one, from the "
            "source."
        ),
        explanation=why,
        right=right,
        options=options,
        bars=bars(tr("probability"), options, probabilities[drawn]),
        focus=_at(run, at),
    )


@KINDS.add("paper", mark("From logits to a probability"))
def from_logits(run: Run, rng: np.random.Generator) -> Question:
    """The probability of a word, from that of another one and both logits."""
    at = pick(rng, _steps(run))
    words, probabilities, logits = _likeliest(run, at)
    require(len(set(words)) == len(words))
    other = pick(rng, [n for n in range(1, len(words)) if probabilities[n] >= _LEAST])
    first, second = logits[[0, other]].round(2).tolist()
    share = as_read(float(probabilities[0]))
    right = share * math.exp(second - first)
    return Question(
        text=tr(
            "After {words}, “{word}” has the logit {first} and the probability {share}; “{other}” "
            "has the logit {second}. What is the probability of “{other}”?",
            words=_read_so_far(run, at),
            word=words[0],
            first=number(first, 2),
            share=number(share),
            other=words[other],
            second=number(second, 2),
        ),
        hint=tr(
            "The softmax divides by the same sum for every word. So only the difference of the "
            "two logits counts: 1 less makes the probability e ≈ 2.72 times as small."
        ),
        explanation=tr(
            "The difference is {difference}, and {share} × exp({difference}) = {right}.",
            difference=number(second - first, 2),
            share=number(share),
            right=number(right),
        ),
        right=right,
        tolerance=max(0.01, 0.1 * right),
        bars=bars(tr("probability"), (words[0], words[other]), probabilities[[0, other]]),
        focus=_at(run, at),
    )


@KINDS.add("paper", mark("Log-probability of a beginning"))
def log_probability(run: Run, rng: np.random.Generator) -> Question:
    """The log-probability of the beginning of the target."""
    steps = _steps(run)[:3]
    require(len(steps) >= 2)
    chances = _chances(run, steps).round(3)
    words = [run.batch.tgt_out_labels[run.row][at] for at in steps]
    logarithms = np.log(chances.clip(_LEAST)).round(3)
    right = float(logarithms.sum())
    require(chances.min() >= _LEAST, right <= _SOME_DOUBT)
    listed = side_by_side(
        f"{in_quotes(word)} {number(chance)}" for word, chance in zip(words, chances, strict=True)
    )
    logs = " ".join(f"{'+' if n else ''} ({number(log)})" for n, log in enumerate(logarithms))
    return Question(
        text=tr(
            "The target begins with these words and probabilities: {words}. What is the natural "
            "logarithm of the probability of all of them, one after the other?",
            words=listed,
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
        right=right,
        tolerance=max(0.05, 0.03 * abs(right)),
        bars=bars(tr("probability"), words, chances),
        focus=_at(run, steps[-1]),
    )


@KINDS.add("tour", mark("The largest loss"))
def least_sure(run: Run, rng: np.random.Generator) -> Question:
    """Find the word of the target that surprises the model most."""
    steps = _steps(run)
    require(len(steps) >= 3)
    drawn = sorted(rng.permutation(len(steps))[:4].tolist())
    values = _chances(run, steps)[drawn].round(3)
    losses = -np.log(values.clip(_LEAST))
    right = known(clear_best(losses.tolist()))
    require(_LEAST <= values[right] <= 1 - _LEAST)
    labels = run.batch.tgt_out_labels[run.row]
    options = [numbered(steps[n] + 1, labels[steps[n]]) for n in drawn]
    return Question(
        text=tr(
            "In training, the target counts as the right answer. The model gives these of its "
            "words these probabilities: {words}. Which of them has the largest loss?",
            words=side_by_side(
                f"{in_quotes(option)} {number(value)}"
                for option, value in zip(options, values, strict=True)
            ),
        ),
        hint=tr("The loss says how surprised the model is by the right word."),
        explanation=tr(
            "“{word}” had the smallest probability. Its loss is −ln {smallest} = {loss}; the next "
            "largest of these is {next}.",
            word=labels[steps[drawn[right]]],
            smallest=number(values[right]),
            loss=number(losses[right], 2),
            next=number(np.sort(losses)[-2], 2),
        ),
        right=right,
        options=tuple(options),
        bars=bars(tr("loss"), options, losses),
        focus=_at(run, steps[drawn[right]]),
    )


@KINDS.add("tour", mark("Temperature"))
def hotter(run: Run, rng: np.random.Generator) -> Question:
    """The largest probability at another temperature."""
    at = pick(rng, _steps(run))
    temperature = pick(rng, (0.5, 2.0))
    logits = as_array(of_words(run.trace.logits[0, at], run.batch.specials))
    before, after = softmax(logits), softmax(logits / temperature)
    best = int(before.argmax())
    now, then = float(before[best]), float(after[best])
    require(is_clearly_larger(max(now, then), min(now, then)))
    other = now / 2 if then > now else now + (1 - now) / 2
    values = sorted({number(x, 2) for x in (now, other, then)})
    require(len(values) == 3)
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
    """The effect of a temperature on the largest probability.

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


@KINDS.add("builders", mark("The shape of the logits"))
def logits_shape(run: Run, rng: np.random.Generator) -> Question:
    """The shape of the logits."""
    require(run.request.config.n_logits > 0)
    shape = tuple(run.trace.logits.shape)
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
        text=sentences(read, asked),
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
        right=shape,
        axes=(tr("sentences"), tr("tokens"), tr("vocabulary")),
    )


@KINDS.add("tour", mark("How often the decoder runs"))
def passes(run: Run, rng: np.random.Generator) -> Question:
    """The number of runs of the decoder for the answer."""
    chosen = _greedy(run)
    words = run.batch.tgt_names(chosen[:-1])
    why = tr(
        "{times}: once for each of {tokens}, and once more to write EOS.",
        times=tr_n("{n:,} time", "{n:,} times", len(chosen)),
        tokens=counted_tokens(len(words)),
    )
    if run.request.config.has_encoder:
        why = sentences(why, tr("The encoder runs only once."))
    return Question(
        text=tr(
            "The model writes “{words}”: {tokens}. How often does its decoder run, if it chooses "
            "the most probable token each time?",
            words=" ".join(words),
            tokens=counted_tokens(len(words)),
        ),
        hint=tr("Each run writes one token. How does the model say that it has finished?"),
        explanation=why,
        right=len(chosen),
        focus=Focus(at=len(chosen) - 1, method="greedy"),
    )


def _greedy(run: Run) -> list[int]:
    """The ids of the target, with EOS, if it is the model's own greedy answer."""
    steps = _steps(run)
    require(len(steps) >= 2)
    written: list[int] = known(run.batch.tgt_out)[run.row, steps].tolist()
    words = of_words(run.trace.logits[0, steps], run.batch.specials).argmax(dim=-1)
    require(written[-1] == run.batch.specials.eos, words.tolist() == written)
    return written


def _at(run: Run, position: int) -> Focus:
    """The step of decoding that writes after this position."""
    return Focus(at=_steps(run).index(position), method="greedy")
