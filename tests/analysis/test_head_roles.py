"""The roles of heads, for attention made by hand."""

import json
from typing import Any

import numpy as np
import pytest

from explorer.analysis.attention import Attention
from explorer.analysis.head_roles import (
    AS_ALIGNING,
    ROLES,
    KnownHeads,
    aligned_keys,
    roles,
    shares,
)
from explorer.names import ATTENTION_KINDS, AttentionKind


def attention(
    weights: Any,
    queries: list[str],
    keys: list[str],
    *,
    kind: AttentionKind = "encoder",
    writes: list[str] | None = None,
    may_attend: Any = None,
) -> Attention:
    heads = np.array(weights, float)
    return Attention(
        kind=kind,
        layer=0,
        weights=heads,
        scores=np.log(heads + 1e-9),
        may_attend=np.ones(heads.shape[1:], bool)
        if may_attend is None
        else np.array(may_attend, bool),
        query_labels=tuple(queries),
        key_labels=tuple(keys),
        query_positions=tuple(range(len(queries))),
        key_positions=tuple(range(len(keys))),
        writes=tuple(writes or [""] * len(queries)),
    )


def moved(size: int, by: int) -> np.ndarray:
    """A head that looks `by` positions further, and at itself where there is none."""
    head = np.zeros((size, size))
    for query in range(size):
        head[query, query + by if 0 <= query + by < size else query] = 1.0
    return head


def share_of(role_shares: np.ndarray, role: str, head: int = 0) -> float:
    return float(role_shares[ROLES.index(role), head])


def test_heads_are_named_after_the_keys_they_attend_to() -> None:
    words = ["one", "two", "·go", "four", "."]
    to_last = np.zeros((5, 5))
    to_last[:, 4] = 1.0
    heads = np.stack([moved(5, 0), moved(5, -1), moved(5, 1), moved(5, -2), to_last])
    named = roles(attention(heads, words, words))
    assert [role.name for role in named] == [
        "itself", "previous token", "next token", "two tokens back", "last token",
    ]  # fmt: skip
    # The first and the last have no neighbour, and look at themselves.
    assert [role.share for role in named] == [1.0, 0.8, 0.8, 0.6, 1.0]
    assert named[1].in_words == "previous token, 80%"


def test_a_share_is_a_mean_over_all_rows() -> None:
    words = ["a", "b", "c"]
    weights = [[[0.2, 0.8, 0.0], [0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]]
    role_shares = shares(attention(weights, words, words))
    assert share_of(role_shares, "previous token") == pytest.approx((0.0 + 0.5 + 0.6) / 3)
    assert share_of(role_shares, "itself") == pytest.approx((0.2 + 0.3 + 0.3) / 3)
    assert share_of(role_shares, "two tokens back") == pytest.approx(0.1 / 3)
    (role,) = roles(attention(weights, words, words))
    assert role.in_words == "mixed (previous token, 37%)"


def test_a_head_that_cannot_choose_has_no_role() -> None:
    (role,) = roles(attention([[[1.0]]], ["one"], ["one"]))
    assert role.in_words == "no choice of keys"


def test_a_row_that_writes_nothing_does_not_count() -> None:
    """In a batch, the shorter sentence has a row that reads EOS and writes nothing."""
    weights = [[[0.9, 0.1], [0.2, 0.8], [0.0, 1.0]]]
    cross = attention(
        weights, ["BOS", "x", "EOS"], ["a", "b"], kind="cross", writes=["x", "EOS", ""]
    )
    assert share_of(shares(cross), "first token") == pytest.approx((0.9 + 0.2) / 2)


def test_a_row_without_a_choice_does_not_count() -> None:
    words = ["BOS", "a", "b"]
    causal = np.tril(np.ones((3, 3)))
    weights = [[[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.25, 0.25]]]
    role_shares = shares(attention(weights, words, words, kind="decoder", may_attend=causal))
    assert share_of(role_shares, "itself") == pytest.approx((0.5 + 0.25) / 2)
    assert share_of(role_shares, "first token") == 0.5


def test_pieces_of_one_word_attend_to_each_other() -> None:
    words = ["a", "zor", "·bl", "·at", "b", "·c"]
    role_shares = shares(attention(moved(6, -1)[None], words, words))
    # bl → zor, at → bl and c → b: three of six rows stay in the word.
    assert share_of(role_shares, "same word, other piece") == pytest.approx(3 / 6)


def test_the_written_word_is_in_the_source() -> None:
    weights = [[[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.0, 1.0]]]
    cross = attention(
        weights, ["BOS", "Tom", "EOS"], ["Tom", "Mary", "."],
        kind="cross", writes=["Tom", "Mary", "."],
    )  # fmt: skip
    role_shares = shares(cross)
    # The full stop is not counted as a word, but its row is.
    assert share_of(role_shares, "same word in the source") == pytest.approx((0.9 + 0.7) / 3)
    # Positions of source and target cannot be compared.
    for role in ("itself", "previous token", "next token", AS_ALIGNING):
        assert np.isnan(share_of(role_shares, role))


def test_heads_are_compared_with_the_one_that_aligns_best() -> None:
    best = [[0.1, 0.9], [0.8, 0.2]]
    other = [[0.5, 0.5], [0.3, 0.7]]
    cross = attention([best, other], ["BOS", "Hund"], ["dog", "old"], kind="cross")
    aligned = aligned_keys(cross, 0)
    assert aligned == [1, 0]
    role_shares = shares(cross, aligned)
    assert share_of(role_shares, AS_ALIGNING, 0) == pytest.approx((0.9 + 0.8) / 2)
    assert share_of(role_shares, AS_ALIGNING, 1) == pytest.approx((0.5 + 0.3) / 2)


def test_pad_takes_no_part() -> None:
    words = ["a", "b", "PAD"]
    weights = [[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]
    role_shares = shares(attention(weights, words, words))
    assert share_of(role_shares, "last token") == 0.5  # b is the last token, not PAD


def test_the_most_telling_head() -> None:
    content = {
        "sentences": 7,
        "roles": {kind: [[["itself", 0.3], ["itself", 0.9]]] * 2 for kind in ATTENTION_KINDS},
        "aligning": {"layer": 1, "head": 0, "share": 0.8},
    }
    known = KnownHeads.read(json.loads(json.dumps(content)))
    assert known.most_telling_head("cross", 1) == 0  # it aligns best
    assert known.aligns_best("cross", 1, 0)
    assert not known.aligns_best("decoder", 1, 0)
    assert not known.aligns_best("cross", 1, 1)
    assert known.most_telling_head("cross", 0) == 1
    assert known.most_telling_head("encoder", 1) == 1
    content["roles"]["encoder"][1] = [["first token", 0.8], ["next token", 0.4], ["itself", 0.9]]
    assert KnownHeads.read(content).most_telling_head("encoder", 1) == 1
