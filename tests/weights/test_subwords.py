"""Subwords: every text becomes pieces, none becomes UNK, and pieces become the text again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from explorer.names import USUAL_IDS
from explorer.weights.subwords import train_subwords

SENTENCES = [
    "The animal didn't cross the street because it was too tired.",
    "Das Tier ging nicht über die Straße, weil es zu müde war.",
    "I'll give you 125 apples.",
    "Wir haben 3 Äpfel und sie haben 12.",
] * 30


@pytest.fixture(scope="module")
def subwords() -> Tokenizer:
    return train_subwords(SENTENCES, size=500)


def read(subwords: Tokenizer, text: str) -> str:
    return str(subwords.decode(subwords.encode(text).ids))


@pytest.mark.parametrize("sentence", SENTENCES[:4])
def test_pieces_are_the_sentence(subwords: Tokenizer, sentence: str) -> None:
    assert read(subwords, sentence) == sentence


def test_a_frequent_word_is_one_piece_and_marks_its_space(subwords: Tokenizer) -> None:
    assert subwords.encode("because it was").tokens == ["▁because", "▁it", "▁was"]


def test_punctuation_contractions_and_digits_are_pieces_of_their_own(subwords: Tokenizer) -> None:
    assert subwords.encode("didn't, tired. 125").tokens == [
        "▁didn", "'t", ",", "▁tired", ".", "▁1", "2", "5",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["zyzzyva", "日本", "👩‍🔬", "naïve", "Ōsaka"])
def test_unseen_words_are_spelt_out(subwords: Tokenizer, word: str) -> None:
    assert USUAL_IDS.unk not in subwords.encode(word).ids
    # A joiner of no width is dropped, so the scientist comes back as two.
    assert read(subwords, word) == word.replace("\u200d", "")


@pytest.mark.parametrize("typed", ["<pad>", "<eos>", "<0x41>", "PAD", "BOS <unk>", "▁"])
def test_nothing_typed_is_a_special_piece(subwords: Tokenizer, typed: str) -> None:
    ids = subwords.encode(typed).ids
    assert not set(ids) & set(USUAL_IDS.names())
    assert read(subwords, typed) == typed.replace("▁", "")


def test_one_way_to_write_each_mark(subwords: Tokenizer) -> None:
    fancy, plain = "„didn’t“ – it\u00ad was", '"didn\'t" - it was'
    assert subwords.encode(fancy).ids == subwords.encode(plain).ids


def test_spaces_of_any_kind_are_one_space(subwords: Tokenizer) -> None:
    assert subwords.encode(" it\u00a0\t was\u202f ").ids == subwords.encode("it was").ids


def test_special_pieces_have_the_usual_ids(subwords: Tokenizer) -> None:
    names = ("<pad>", "<bos>", "<eos>", "<unk>")
    assert [subwords.token_to_id(name) for name in names] == list(USUAL_IDS.names())


@given(st.text(max_size=40))
def test_any_text_becomes_known_pieces(subwords: Tokenizer, text: str) -> None:
    ids = subwords.encode(text).ids
    assert not set(ids) & set(USUAL_IDS.names())
    assert all(0 <= number < 500 for number in ids)
