"""Questions about decoding: how does the model write?"""

from random import Random
from typing import Final

import numpy as np

from explorer.analysis.attention import word_positions
from explorer.exercises.facts import Facts, Kind, Text, known, mixed, require, shuffled, told
from explorer.exercises.sources import NextWord, as_array, clear_best
from explorer.languages import mark, numbered
from explorer.rules import of_words

_LEAST: Final = 0.02  # a smaller probability is not written with three digits
_SURE: Final = 0.5  # of the next word, where it is asked for
_WORDS: Final = 8  # to choose from


@Kind(
    "decoding",
    NextWord.of,
    title=mark("The next word"),
    text=mark("The decoder has read {read}. Which of these words is the most probable next?"),
    hint=mark(
        "What to write next follows from the words so far and, if there is one, from the source."
    ),
    why=mark("{word} has probability {largest}; the second likeliest, {next}, has {smaller}."),
    measure=mark("probability"),
)
def next_word(step: NextWord, rng: Random) -> Facts:
    batch, logits = step.run.batch, step.logits[step.number]
    require(not batch.specials.manner.rules)  # which may forbid the likeliest
    require(logits.softmax(dim=-1).max() >= _SURE)
    best = of_words(logits, batch.specials).argsort(descending=True, stable=True)[:_WORDS].tolist()
    chances, words = as_array(logits.softmax(dim=-1))[best], batch.tgt_names(best)
    require(len(best) >= 4, clear_best(chances) == 0)
    require(len(set(words)) == len(words), not any(word.startswith("#") for word in words))
    drawn, right = mixed(rng, 0, range(len(words)))
    labels = step.run.tgt_labels[: step.steps[step.number] + 1]
    read = [labels[at] for at in word_positions(labels)]
    return Facts(
        right,
        {
            "read": " ".join(["…", *read[-6:]] if len(read) > 6 else read),
            **{"word": words[0], "largest": told(chances[0])},
            **{"next": words[1], "smaller": told(chances[1])},
        },
        options=tuple(words[at] for at in drawn),
        bars=tuple(chances[list(drawn)].tolist()),
        look=step.look(step.number),
    )


@Kind(
    "decoding",
    NextWord.of,
    title=mark("The largest loss"),
    text=mark(
        "In training, the target counts as the right answer. The model gives these of its "
        "words these probabilities: {words}. Which of them has the largest loss?"
    ),
    hint=mark("The loss says how surprised the model is by the right word."),
    why=mark(
        "{word} had the smallest probability. Its loss is −ln {smallest} = {loss}; the next "
        "largest of these is {next}."
    ),
    measure=mark("loss"),
)
def least_sure(step: NextWord, rng: Random) -> Facts:
    drawn = sorted(shuffled(rng, range(len(step.steps)))[:4])
    require(len(drawn) >= 3)
    written = [step.written[n] for n in drawn]
    chances = as_array(step.logits[drawn].softmax(dim=-1))[range(len(drawn)), written].round(3)
    losses = -np.log(chances.clip(_LEAST))
    right = known(clear_best(losses))
    require(_LEAST <= chances[right] <= 1 - _LEAST)
    labels = step.run.batch.tgt_out_labels[step.run.row]
    options = tuple(numbered(step.steps[n] + 1, labels[step.steps[n]]) for n in drawn)
    listed = tuple(
        Text("{word} {chance}", {"word": word, "chance": told(chance)})
        for word, chance in zip(options, chances, strict=True)
    )
    loss, other = (told(loss, 2) for loss in sorted(losses, reverse=True)[:2])
    return Facts(
        right,
        {
            "words": listed,
            "word": labels[step.steps[drawn[right]]],
            **{"smallest": told(chances[right]), "loss": loss, "next": other},
        },
        options=options,
        bars=tuple(losses.tolist()),
        look=step.look(drawn[right]),
    )


@Kind(
    "decoding",
    NextWord.of,
    title=mark("How often the decoder runs"),
    text=mark(
        "The model writes {words}. These are {tokens} tokens. How often does its decoder run, if "
        "it chooses the most probable token each time?"
    ),
    hint=mark("Each run writes one token. How does the model say that it has finished?"),
    why=mark(
        "It runs {times} times: once for each token, and once more to write EOS. An encoder runs "
        "only once."
    ),
)
def passes(step: NextWord, rng: Random) -> Facts:
    batch, written = step.run.batch, step.written
    require(len(written) >= 3, written[-1] == batch.specials.eos)
    require(of_words(step.logits, batch.specials).argmax(dim=-1).tolist() == written)
    words = " ".join(batch.tgt_names(written[:-1]))
    counts = {"tokens": len(written) - 1, "times": len(written)}
    return Facts(len(written), {"words": words, **counts}, look=step.look(len(written) - 1))
