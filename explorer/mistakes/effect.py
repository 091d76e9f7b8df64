"""The effect of the mistakes on models that have learnt without them, counted in sentences.

`python -m benchmarks mistakes` counts and writes the file that the lab reads; a test counts a part
of it again.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import torch
from torch import Generator, Tensor

from explorer.decoding import answers
from explorer.mistakes.catalogue import ALL, Mistake
from explorer.names import USUAL_IDS
from explorer.paths import ASSETS
from explorer.rules import of_words
from explorer.training.trainer import Examples
from explorer.transformer import Transformer
from explorer.weights.needed import fingerprint
from explorer.weights.translator import Translator, padded

FILE: Final = ASSETS / "mistakes.json"
AT_ONCE: Final = 32  # sentences in a batch: some mistakes mix them
TRANSLATED: Final = 10  # the same, of the translator
DROPOUT: Final = 0.1
LONGEST: Final = 40  # words of a translation
SENTENCES: Final = (
    "I know that the dog has eaten the fish.", "She gets up at six every morning.",
    "The animal didn't cross the street because it was too tired.", "He turned off the light.",
    "The washing machine is broken.", "I lost my driver's license.",
    "Where did you buy this book?", "Do you know why she is crying?", "It is raining today.",
    "My brother lives in a small house near the sea.", "We have not seen him since Monday.",
    "Can you help me?", "The children are playing in the garden.", "I would like a cup of tea.",
    "She speaks three languages.", "The train was late again.", "They want to buy a new car.",
    "He reads the newspaper every day.", "This question is not easy to answer.",
    "Tom is older than his sister.", "I forgot to close the window.", "The door is open.",
    "What time does the film begin?", "Nobody knew what had happened.",
    "If I had more time, I would learn to swim.", "The old man sat on the bench and slept.",
    "Please wait here until I come back.", "She gave her mother a beautiful picture.",
    "We were too late to catch the bus.", "You should eat more fruit.",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One mistake in numbers; the right model's numbers stand beside them in `Measured`."""

    right: str  # of "reverse": a 1 for each held-out sentence that is still answered right, else 0
    same: str  # of the translator: a 1 for each sentence whose translation stays the same
    # Where the mistake shows only with PAD on the left or with dropout: how many next words are
    # right there without it and with it, and of how many (`next_words_there`).
    there: tuple[int, int, int] | None = None

    @property
    def n_right(self) -> int:
        """Held-out sentences that are still answered right."""
        return self.right.count("1")

    @property
    def n_changed(self) -> int:
        """Translations that change."""
        return self.same.count("0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All effects, and the weights that they were measured on."""

    reverse: str  # SHA-256 of the weights' file
    translator: str
    right: str  # of "reverse", without a mistake
    sentences: int  # of the translator
    effects: dict[str, Effect]  # by the identifier of the mistake


@cache
def measured() -> Measured:
    """The effects as they were counted."""
    content = json.loads(FILE.read_text())
    effects = {
        name: Effect(
            right=effect["right"],
            same=effect["same"],
            there=None if effect["there"] is None else tuple(effect["there"]),
        )
        for name, effect in content.pop("effects").items()
    }
    return Measured(**content, effects=effects)


def still_right(model: Transformer, examples: Examples) -> str:
    """A 1 for each sentence whose greedy answer is right, word by word, else a 0."""
    specials, bits = examples.specials, ""
    for first in range(0, len(examples.src), AT_ONCE):
        wanted = [
            tuple(i for i in ids if i != specials.pad)
            for ids in examples.tgt_out[first : first + AT_ONCE].tolist()
        ]
        written = answers(
            model,
            examples.src[first : first + AT_ONCE],
            specials=specials,
            limit=examples.tgt_out.shape[1] + 1,
        )
        bits += _bits(written, wanted)
    return bits


def translations(model: Transformer, translator: Translator) -> list[tuple[int, ...]]:
    """The greedy translation of each of `SENTENCES`."""
    ids, written = [translator.ids(sentence) for sentence in SENTENCES], []
    for first in range(0, len(ids), TRANSLATED):
        written += answers(model, padded(ids[first : first + TRANSLATED]), limit=LONGEST)
    return written


def next_words_there(
    translator: Translator, translated: Sequence[tuple[int, ...]], mistake: Mistake, *, wrong: bool
) -> tuple[int, int]:
    """The number of right next words where the mistake shows, and the number of all.

    That is with PAD on the left of the target, or with dropout. The translator reads its own usual
    translations, as in training, and should predict each next word of them.
    """
    model, dropout = translator.model, None
    src = padded([translator.ids(sentence) for sentence in SENTENCES])
    tgt = padded([[USUAL_IDS.bos, *ids] for ids in translated])
    tgt_in, tgt_out = tgt[:, :-1], tgt[:, 1:]
    if mistake.shows == "dropout":
        dropout = Generator().manual_seed(0)
        model = model.with_settings(dropout=DROPOUT)
    if mistake.shows == "pad_left":
        tgt_in, tgt_out = (to_the_right(ids, USUAL_IDS.pad) for ids in (tgt_in, tgt_out))
    if wrong:
        model = mistake.applied_to(model)
    with torch.inference_mode():
        logits = model(src, tgt_in, dropout).logits
        best = of_words(logits, USUAL_IDS).argmax(dim=-1)  # (batch, tgt)
    is_word = tgt_out != USUAL_IDS.pad
    return int((best == tgt_out)[is_word].sum()), int(is_word.sum())


def to_the_right(ids: Tensor, pad: int) -> Tensor:
    """The same sentences with PAD on their left."""
    order = (ids != pad).int().argsort(dim=1, stable=True)
    return ids.gather(1, order)


def count(reverse: Transformer, examples: Examples, translator: Translator) -> Measured:
    """Count the effect of every mistake."""
    usual = translations(translator.model, translator)
    effects = {}
    for mistake in ALL:
        written = translations(mistake.applied_to(translator.model), translator)
        there = None
        if mistake.shows != "always":
            there = (
                next_words_there(translator, usual, mistake, wrong=False)[0],
                *next_words_there(translator, usual, mistake, wrong=True),
            )
        effects[mistake.id] = Effect(
            right=still_right(mistake.applied_to(reverse), examples),
            same=_bits(written, usual),
            there=there,
        )
    return Measured(
        reverse=fingerprint("reverse"),
        translator=fingerprint("translator"),
        right=still_right(reverse, examples),
        sentences=len(SENTENCES),
        effects=effects,
    )


def _bits(written: Sequence[tuple[int, ...]], wanted: Sequence[tuple[int, ...]]) -> str:
    return "".join(str(int(one == other)) for one, other in zip(written, wanted, strict=True))
