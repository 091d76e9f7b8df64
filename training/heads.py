"""The roles of the translator's heads, measured on sentences that it was not trained on."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from jaxtyping import Float

from explorer.analysis.attention import Attention
from explorer.analysis.head_roles import (
    AS_ALIGNING,
    ROLES,
    aligned_keys,
    named,
    shares,
)
from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.translator import Translator
from training.corpus import Pair

# A hundred sentences, their translations, and words that clearly translate each other.
ALIGNED: Final = Path(__file__).parent / "judged" / "aligned.tsv"


def measured_heads(translator: Translator, pairs: Sequence[Pair]) -> dict[str, Any]:
    """The role of every head, and the head that aligns best, as JSON."""
    attentions = list(_read(translator, pairs))
    looks = right_looks(translator)
    layer, head = (int(index) for index in np.unravel_index(looks.argmax(), looks.shape))
    aligned = [aligned_keys(one["cross"][layer], head) for one in attentions]

    def role_shares(kind: AttentionKind, number: int) -> Float[np.ndarray, "roles heads"]:
        found = [
            shares(one[kind][number], keys if kind == "cross" else None)
            for one, keys in zip(attentions, aligned, strict=True)
        ]
        # A role that a sentence lacks counts as 0.
        means: np.ndarray = np.nan_to_num(np.stack(found)).mean(axis=0)
        if (kind, number) == ("cross", layer):
            means[ROLES.index(AS_ALIGNING), head] = 0.0  # it is that head
        return means

    return {
        "sentences": len(attentions),
        "roles": {
            kind: [
                [[role.name, round(role.share, 3)] for role in named(role_shares(kind, number))]
                for number in range(len(attentions[0][kind]))
            ]
            for kind in ATTENTION_KINDS
        },
        "aligning": {"layer": layer, "head": head, "share": round(float(looks[layer, head]), 3)},
    }


def right_looks(translator: Translator) -> Float[np.ndarray, "layers heads"]:
    """For every head of cross-attention, the share of right looks at the sentences of `ALIGNED`.

    A look is right if, of all source tokens, the one with the largest weight belongs to the word
    whose translation is being written.
    """
    subwords = SubwordTokenizer(translator.tokenizer)
    pairs: list[Pair] = []
    wanted: list[list[list[str]]] = []
    for line in ALIGNED.read_text(encoding="utf-8").splitlines():
        source, target, translated = line.split("\t")
        pairs.append(Pair(source, target))
        wanted.append([words.split("=") for words in translated.split(" ")])
    right = []
    for pair, words, attentions in zip(pairs, wanted, _read(translator, pairs), strict=True):
        src = piece_positions(subwords, pair.source)
        tgt = piece_positions(subwords, pair.target)
        weights = np.stack(
            [layer.weights for layer in attentions["cross"]]
        )  # (layers, heads, tgt, src)
        for english, german in words:
            # The row that reads the token before the word writes its first piece.
            row = tgt[german.lower()][0]
            right.append(np.isin(weights[:, :, row].argmax(axis=-1), src[english.lower()]))
    shares: np.ndarray = np.mean(right, axis=0)
    return shares


def piece_positions(subwords: SubwordTokenizer, sentence: str) -> dict[str, list[int]]:
    """The positions of each word's pieces in a sentence; words in small letters."""
    positions: dict[str, list[int]] = {}
    first = 0
    for pieces in subwords.grouped(sentence):
        word = subwords.join(pieces).lower()
        positions.setdefault(word, list(range(first, first + len(pieces))))
        first += len(pieces)
    return positions


def _read(
    translator: Translator, pairs: Sequence[Pair]
) -> Iterator[dict[AttentionKind, list[Attention]]]:
    """Every layer of every attention for each pair, with the known translation as its target."""
    subwords, config = SubwordTokenizer(translator.tokenizer), translator.model.config
    for pair in pairs:
        batch = subwords.batch([pair.source], [pair.target])
        with torch.inference_mode():
            trace = translator.model(batch.src, batch.tgt_in)
        yield {
            kind: [
                Attention.of(trace, batch, 0, kind, layer)
                for layer in range(config.layers_of(kind))
            ]
            for kind in ATTENTION_KINDS
        }
