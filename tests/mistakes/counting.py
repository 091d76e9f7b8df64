"""`python -m tests.mistakes.counting`: count the effect of every mistake again, and write it."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import torch
from torch import Generator, Tensor

from explorer.decoding import answers
from explorer.mistakes.catalogue import ALL, Mistake
from explorer.mistakes.effect import DROPOUT, FILE, Effect, Measured
from explorer.names import USUAL_IDS
from explorer.rules import of_words
from explorer.text import padded
from explorer.training.trainer import Examples, held_out
from explorer.transformer import Transformer
from explorer.weights.catalogue import Shipped, checkpoint, shipped_translator
from explorer.weights.needed import fingerprint
from explorer.weights.translator import Translator

AT_ONCE: Final = 32  # sentences in a batch: some mistakes mix them
TRANSLATED: Final = 10  # the same, of the translator
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


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = checkpoint(Shipped("reverse"))
    assert trained is not None
    found = count(trained.model, held_out(trained.task), shipped_translator())
    FILE.write_text(json.dumps(asdict(found), indent=1) + "\n")
