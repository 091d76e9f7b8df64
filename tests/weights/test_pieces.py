"""Subwords as tokens: labels that can be told apart, and text that comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.names import BOS, EOS, PAD
from explorer.text import Answer
from explorer.weights.pieces import SubwordTokenizer, label
from explorer.weights.subwords import train_subwords

SENTENCES = ["The animal didn't sleep.", "Das Tier schlief (nicht), oder?", "42 animals PAD"] * 20
SUBWORDS = SubwordTokenizer(train_subwords(SENTENCES, size=340))


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("▁the", "the"),
        ("vers", "·vers"),
        (",", ","),
        ("▁(", "␣("),
        ("'t", "'t"),
        ("4", "·4"),
        ("▁4", "4"),
        ("▁", "␣"),
        ("<0xE4>", "<0xE4>"),
    ],
)
def test_the_label_of_a_piece(piece: str, shown: str) -> None:
    assert label(piece) == shown


@given(st.text())
def test_labels_stand_for_the_ids_of_the_pieces(text: str) -> None:
    encoded = SUBWORDS.trained.encode(text)
    assert SUBWORDS.vocabulary.encode(SUBWORDS.split(text)) == encoded.ids
    assert SUBWORDS.join(SUBWORDS.split(text)) == SUBWORDS.trained.decode(encoded.ids)


def test_words_are_groups_of_their_pieces() -> None:
    text = "The zebra didn't sleep, oder?"
    groups = SUBWORDS.grouped(text)
    assert [SUBWORDS.join(group) for group in groups] == [
        "The", "zebra", "didn", "'t", "sleep", ",", "oder", "?",
    ]  # fmt: skip
    assert [piece for group in groups for piece in group] == list(SUBWORDS.split(text))


def test_a_batch_is_framed_padded_and_labelled() -> None:
    batch = SUBWORDS.batch(["The animal", "Das"], ["Das Tier", Answer((10, 11))], length=4)
    ids = SUBWORDS.trained.encode("The animal").ids
    assert batch.src[0].tolist() == [*ids, *[0] * (batch.src.shape[1] - len(ids))]
    assert batch.tgt_labels[0][: 1 + len(SUBWORDS.split("Das Tier"))] == (
        BOS, *SUBWORDS.split("Das Tier"),
    )  # fmt: skip
    assert batch.tgt[1, :4].tolist() == [1, 10, 11, 2]
    assert EOS in batch.tgt_labels[1]
    assert PAD in batch.src_labels[1]


def test_a_word_spelt_like_a_special_token_is_quoted() -> None:
    whole = SubwordTokenizer(train_subwords(["PAD is a word"] * 50, size=300))
    assert whole.split("PAD") == ("PAD",)  # one piece
    assert whole.batch(["PAD"], [""]).src_labels[0][0] == "“PAD”"
