"""Questions about decoding: how does the model write?"""

import math
from typing import Final

import numpy as np

from explorer.decoding import of_words
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kind,
    as_array,
    as_read,
    bars,
    clear_best,
    counted_tokens,
    in_quotes,
    leads,
    mixed,
    pick,
    softmax,
)
from explorer.languages import mark, side_by_side, tr, tr_n
from explorer.names import PAD
from explorer.runtime.engine import Run

_LEAST: Final = 0.02  # a smaller probability is not told with three digits
_SOME_DOUBT: Final = -0.1  # a log-probability nearer to 0 is no question
_SURE: Final = 0.5  # of the next word, where it is asked for
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


def _likeliest(run: Run, at: int, most: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The likeliest words at a position, their probabilities and logits, the likeliest first.

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
    ids = [i for i, _ in kept]
    return [name for _, name in kept], probabilities[ids], as_array(logits)[ids]


def next_word(run: Run, rng: np.random.Generator) -> Question | None:
    """Find the word that the model would write next."""
    steps = _steps(run)
    if not steps:
        return None
    at = pick(rng, steps)
    words, probabilities, _ = _likeliest(run, at, 8)
    if len(words) < 4 or probabilities[0] < _SURE or clear_best(probabilities.tolist()) is None:
        return None
    drawn, right = mixed(rng, 0, range(len(words)))
    if len({words[n] for n in drawn}) < len(drawn):
        return None
    why = tr(
        "“{word}” has probability {largest}; the second likeliest, “{next}”, has {smaller}.",
        word=words[0],
        largest=number(float(probabilities[0])),
        next=words[1],
        smaller=number(float(probabilities[1])),
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
        form="choice",
        right=right,
        options=tuple(words[n] for n in drawn),
        bars=bars(tr("probability"), [words[n] for n in drawn], probabilities[drawn]),
        focus=_at(run, at),
    )


def from_logits(run: Run, rng: np.random.Generator) -> Question | None:
    """From one word's probability, and two logits, to another word's probability."""
    steps = _steps(run)
    if not steps:
        return None
    at = pick(rng, steps)
    words, probabilities, logits = _likeliest(run, at, 8)
    others = [n for n in range(1, len(words)) if probabilities[n] >= _LEAST]
    if not others or len(set(words)) < len(words):
        return None
    other = pick(rng, others)
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
        form="number",
        right=right,
        tolerance=max(0.01, 0.1 * right),
        bars=bars(tr("probability"), (words[0], words[other]), probabilities[[0, other]]),
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
    chances = chances.round(3)
    logarithms = np.log(chances.clip(_LEAST)).round(3)
    right = float(logarithms.sum())
    if chances.min() < _LEAST or right > _SOME_DOUBT:
        return None
    said = side_by_side(
        f"{in_quotes(word)} {number(float(chance))}"
        for word, chance in zip(words, chances, strict=True)
    )
    logs = " ".join(
        f"{'+' if n else ''} ({number(float(log))})" for n, log in enumerate(logarithms)
    )
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
    """Find the word of the target that surprises the model most."""
    steps = _steps(run)
    if run.batch.tgt_out is None or len(steps) < 3:
        return None
    written = run.batch.tgt_out[run.row, steps].tolist()
    chances = as_array(run.trace.logits[0, steps].softmax(dim=-1))[range(len(steps)), written]
    drawn = sorted(rng.permutation(len(steps))[:4].tolist())
    values = chances[drawn].round(3)
    losses = -np.log(values.clip(_LEAST))
    right = clear_best(losses.tolist())
    if right is None or not _LEAST <= values[right] <= 1 - _LEAST:
        return None
    labels = run.batch.tgt_out_labels[run.row]
    options = [f"{steps[n] + 1} · {labels[steps[n]]}" for n in drawn]
    return Question(
        text=tr(
            "In training, the target counts as the right answer. The model gives these of its "
            "words these probabilities: {words}. Which of them has the largest loss?",
            words=side_by_side(
                f"{in_quotes(option)} {number(float(value))}"
                for option, value in zip(options, values, strict=True)
            ),
        ),
        hint=tr("The loss says how surprised the model is by the right word."),
        explanation=tr(
            "“{word}” had the smallest probability. Its loss is −ln {smallest} = {loss}; the next "
            "largest of these is {next}.",
            word=labels[steps[drawn[right]]],
            smallest=number(float(values[right])),
            loss=number(float(losses[right]), 2),
            next=number(float(np.sort(losses)[-2]), 2),
        ),
        form="choice",
        right=right,
        options=tuple(options),
        bars=bars(tr("loss"), options, losses),
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
    if not leads(max(now, then), min(now, then)):
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
    "next_word": Kind("decoding", "tour", mark("The next word"), next_word),
    "from_logits": Kind("decoding", "paper", mark("From logits to a probability"), from_logits),
    "log_probability": Kind(
        "decoding", "paper", mark("Log-probability of a beginning"), log_probability
    ),
    "least_sure": Kind("decoding", "tour", mark("The largest loss"), least_sure),
    "hotter": Kind("decoding", "tour", mark("Temperature"), hotter),
    "logits_shape": Kind("decoding", "builders", mark("The shape of the logits"), logits_shape),
    "passes": Kind("decoding", "tour", mark("How often the decoder runs"), passes),
}
