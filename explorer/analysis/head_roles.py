"""The role of each head, measured: the share of its attention that goes to certain keys."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float

from explorer.analysis.attention import Attention
from explorer.languages import mark, tr
from explorer.names import ATTENTION_KINDS, GOES_ON, AttentionKind

CLEAR: Final = 0.5  # a head that spends less of its attention on any role is mixed
AS_ALIGNING: Final = mark("where the aligning head looks")
# What a key can be to a query; a head is named after the role that gets most of its attention.
ROLES: Final = (
    # Translators: what a head looks at most: the word itself, the token before it, …
    mark("itself"),
    mark("previous token"),
    mark("next token"),
    mark("two tokens back"),
    mark("same word, other piece"),
    mark("same word in the source"),
    AS_ALIGNING,
    mark("first token"),
    mark("last token"),
    mark("punctuation"),
)
_TELLS_LITTLE: Final = frozenset({"", "itself", "first token"})
_MARKS: Final = frozenset(".,;:!?\"'-…")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadRole:
    """The best description of one head, and the share of its attention that it explains."""

    name: str  # one of `ROLES`; empty if no query has a choice of keys
    share: float  # 0 to 1

    @property
    def in_words(self) -> str:
        """“previous token, 91%”; a head without a clear role is called mixed."""
        if not self.name:
            return tr("no choice of keys")
        role, percent = tr(self.name), 100 * self.share
        if self.share >= CLEAR:
            return tr("{role}, {percent:.0f}%", role=role, percent=percent)
        return tr("mixed ({role}, {percent:.0f}%)", role=role, percent=percent)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHeads:
    """The roles of a model's heads, measured over many sentences; all counts are from 0."""

    sentences: int
    roles: Mapping[AttentionKind, Sequence[Sequence[HeadRole]]]  # by layer and head
    aligning: tuple[int, int]  # layer and head of the cross-attention that aligns best
    aligned: float  # share of the marked words for which it looks at the right one, 0 to 1
    taught: frozenset[tuple[str, int, int]] = frozenset()  # kind, layer, head: taught where to look

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "KnownHeads":
        """The measurements of `training.heads.measured_heads`."""
        best = data["aligning"]
        return cls(
            sentences=data["sentences"],
            roles={
                kind: [
                    [HeadRole(name=name, share=share) for name, share in layer]
                    for layer in data["roles"][kind]
                ]
                for kind in ATTENTION_KINDS
            },
            aligning=(best["layer"], best["head"]),
            aligned=best["share"],
            taught=frozenset((kind, layer, head) for kind, layer, head in data.get("taught", ())),
        )

    @property
    def aligned_in_percent(self) -> int:
        """`aligned` in percent, rounded down: 100 only if it is all of them."""
        return math.floor(100 * self.aligned + 1e-9)

    def aligns_best(self, kind: AttentionKind, layer: int, head: int) -> bool:
        """Whether this is the head that aligns source and answer best."""
        return kind == "cross" and self.aligning == (layer, head)

    def most_telling_head(self, kind: AttentionKind, layer: int) -> int:
        """The head to show first: the one that aligns best, or the one with the clearest role.

        Heads whose first role is their own token or the first one come last.
        """
        if kind == "cross" and layer == self.aligning[0]:
            return self.aligning[1]
        roles = self.roles[kind][layer]
        telling = [(role.name not in _TELLS_LITTLE, role.share) for role in roles]
        return telling.index(max(telling))


def roles(attention: Attention, aligned: Sequence[int] | None = None) -> list[HeadRole]:
    """The role of every head in this sentence; for `aligned`, see `shares`."""
    return named(shares(attention, aligned))


def named(role_shares: Float[np.ndarray, "roles heads"]) -> list[HeadRole]:
    """The role that gets most of each head's attention."""
    known = np.nan_to_num(role_shares)
    return [
        HeadRole(name=ROLES[role] if share > 0 else "", share=share)
        for role, share in zip(known.argmax(axis=0), known.max(axis=0).tolist(), strict=True)
    ]


def shares(
    attention: Attention, aligned: Sequence[int] | None = None
) -> Float[np.ndarray, "roles heads"]:
    """For every role and head, the share of the attention that goes to keys of that role.

    It is a mean over the queries that have a choice of keys and, in a decoder, help to write a
    word; NaN if there are none, or if no key plays the role. `aligned` has, for each query, the
    position of the key that the aligning head looks at most.
    """
    words = attention.without_pad()
    counted = words.may_attend.sum(axis=1) > 1
    if any(words.writes):
        counted &= np.array([written != "" for written in words.writes])
    weights, may_attend = words.weights[:, counted], words.may_attend[counted]
    role_shares = np.full((len(ROLES), words.n_heads), np.nan)
    for number, role in enumerate(ROLES):
        fits = _plays_role(role, words, aligned)[counted] & may_attend
        if fits.any():
            role_shares[number] = np.einsum("hqk,qk->h", weights, fits) / len(fits)
    return role_shares


def aligned_keys(attention: Attention, head: int) -> list[int]:
    """For each query, the position of the key that a head looks at most."""
    columns = attention.weights[head].argmax(axis=1).tolist()
    return [attention.key_positions[column] for column in columns]


def _plays_role(
    role: str, words: Attention, aligned: Sequence[int] | None
) -> Bool[np.ndarray, "query key"]:
    """Whether each key plays the role for each query."""
    query = np.array(words.query_positions)[:, None]
    key = np.array(words.key_positions)[None, :]
    nowhere = np.zeros((query.size, key.size), bool)
    if role == "same word in the source":
        if words.kind != "cross":
            return nowhere
        same = [
            [written == label and label not in _MARKS for label in words.key_labels]
            for written in words.writes
        ]
        return np.array(same, dtype=bool)
    if role == AS_ALIGNING:
        if aligned is None:
            return nowhere
        looked_at: np.ndarray = np.array(aligned)[list(words.query_positions)][:, None] == key
        return looked_at
    if role in ("first token", "last token"):
        end = words.key_positions[0 if role == "first token" else -1]
        return np.broadcast_to(key == end, nowhere.shape)
    if role == "punctuation":
        marks = np.array([label in _MARKS for label in words.key_labels])
        return np.broadcast_to(marks[None, :], nowhere.shape)
    if words.kind == "cross":  # positions of source and target cannot be compared
        return nowhere
    if role == "same word, other piece":
        word = np.array(_words(words.key_labels))
        same_word: np.ndarray = (word[:, None] == word[None, :]) & (key != query)
        return same_word
    step = {"itself": 0, "previous token": 1, "next token": -1, "two tokens back": 2}[role]
    cells: np.ndarray = key == query - step
    return cells


def _words(labels: Sequence[str]) -> list[int]:
    """The number of the word that each piece belongs to."""
    numbers: list[int] = []
    for label in labels:
        goes_on = label.startswith(GOES_ON) and len(label) > 1
        last = numbers[-1] if numbers else 0
        numbers.append(last if goes_on else last + 1)
    return numbers
