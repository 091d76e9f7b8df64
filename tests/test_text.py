"""Vocabulary and Batch: ids, shift, padding, labels, limits and notes."""

import pytest
import torch

from explorer.names import BOS, EOS, PaddingSide
from explorer.text import Batch
from explorer.vocabulary import Vocabulary


class TestFromText:
    def test_ids_of_two_pairs(self) -> None:
        batch = Batch.from_text(["the cat sat", "the end"], ["die Katze", "das Ende der Katze"])
        assert batch.src.tolist() == [[4, 5, 6], [4, 7, 0]]
        # die Katze das Ende der = 4 … 8; BOS = 1, EOS = 2, PAD = 0
        assert batch.tgt.tolist() == [[1, 4, 5, 2, 0, 0], [1, 6, 7, 8, 5, 2]]
        assert batch.src_labels == (("the", "cat", "sat"), ("the", "end", "PAD"))
        assert batch.tgt_labels == (
            ("BOS", "die", "Katze", "EOS", "PAD", "PAD"),
            ("BOS", "das", "Ende", "der", "Katze", "EOS"),
        )
        assert batch.src.dtype == batch.tgt.dtype == torch.int64
        assert batch.pad_id == 0
        assert batch.notes == ()

    def test_the_decoder_is_asked_for_the_next_token(self) -> None:
        batch = Batch.from_text(["a", "b"], ["x y", "z"])
        assert batch.tgt_in.tolist() == [[1, 4, 5], [1, 6, 2]]
        assert batch.tgt_out is not None
        assert batch.tgt_out.tolist() == [[4, 5, 2], [6, 2, 0]]
        assert batch.tgt_in_labels == (("BOS", "x", "y"), ("BOS", "z", "EOS"))
        assert batch.tgt_out_labels == (("x", "y", "EOS"), ("z", "EOS", "PAD"))
        assert batch.n_tokens == 3 + 2

    def test_padding_on_the_left(self) -> None:
        batch = Batch.from_text(["a b c", "a"], ["x y", "z"], side="left")
        assert batch.src.tolist() == [[4, 5, 6], [0, 0, 4]]
        assert batch.src_labels[1] == ("PAD", "PAD", "a")
        assert batch.tgt_in.tolist() == [[1, 4, 5], [0, 1, 6]]
        assert batch.tgt_out.tolist() == [[4, 5, 2], [0, 6, 2]]  # PAD is not asked for BOS
        assert batch.tgt_out_labels == (("x", "y", "EOS"), ("PAD", "z", "EOS"))
        assert batch.n_tokens == 3 + 2  # BOS is no prediction

    def test_nothing_typed_yet(self) -> None:
        batch = Batch.from_text([""], [" "])
        assert batch.src.tolist() == [[0]]
        assert batch.tgt.tolist() == [[1, 2]]
        assert batch.n_tokens == 1

    @pytest.mark.parametrize(("n_words", "noted"), [(128, False), (129, True)])
    def test_128_tokens_a_sentence_are_read(self, n_words: int, noted: bool) -> None:
        words = " ".join(f"w{n}" for n in range(n_words))
        batch = Batch.from_text([words, "a"], [words, "b"])
        assert batch.src.shape == (2, 128)
        assert batch.tgt.shape == (2, 130)
        assert batch.tgt_labels[0][:2] == ("BOS", "w0")
        assert batch.tgt_labels[0][-2:] == ("w127", "EOS")
        expected = (
            "The model reads the first 128 of 129 source tokens.",
            "The model reads the first 128 of 129 target tokens.",
        )
        assert batch.notes == (expected if noted else ())

    @pytest.mark.parametrize(("n_pairs", "noted"), [(16, False), (17, True)])
    def test_16_pairs_are_read(self, n_pairs: int, noted: bool) -> None:
        texts = [f"w{n}" for n in range(n_pairs)]
        batch = Batch.from_text(texts, texts)
        assert batch.src.tolist() == [[4 + n] for n in range(16)]
        assert batch.src_labels[-1] == ("w15",)
        assert batch.notes == (("The model reads the first 16 of 17 pairs.",) if noted else ())

    @pytest.mark.parametrize(("sources", "targets"), [([], []), (["a"], []), (["a"], ["b", "c"])])
    def test_pairs_must_be_pairs(self, sources: list[str], targets: list[str]) -> None:
        numbers = f"got {len(sources)} and {len(targets)}"
        for make in (Batch.from_text, Batch.from_ids):
            with pytest.raises(ValueError, match=rf"same number of sentences.*{numbers}"):
                make(sources, targets)


class TestFromWords:
    """Words that are split already, with vocabularies that are there already."""

    GERMAN, ENGLISH = Vocabulary(("der", "Hund", "ja"), 8), Vocabulary(("the", "dog"), 6)

    def test_the_ids_are_those_of_the_vocabularies(self) -> None:
        batch = Batch.from_words(
            [["ja", "der", "Hund"], ["ja"]], [["the"], ["dog", "the"]], self.GERMAN, self.ENGLISH
        )
        assert batch.src.tolist() == [[6, 4, 5], [6, 0, 0]]
        assert batch.tgt.tolist() == [[1, 4, 2, 0], [1, 5, 4, 2]]
        assert batch.tgt_labels[0] == ("BOS", "the", "EOS", "PAD")
        assert (batch.src_vocab, batch.tgt_vocab) == (self.GERMAN, self.ENGLISH)
        assert batch.notes == ()

    def test_words_without_an_id_are_marked_and_noted_once_a_side(self) -> None:
        batch = Batch.from_words(
            [["der", "Wolf"], ["Wolf", "Fuchs"]], [["a", "dog"], ["EOS"]], self.GERMAN, self.ENGLISH
        )
        assert batch.src.tolist() == [[4, 3], [3, 3]]
        assert batch.src_labels == (("der", "UNK: Wolf"), ("UNK: Wolf", "UNK: Fuchs"))
        assert batch.tgt_labels[0] == ("BOS", "UNK: a", "dog", "EOS")
        assert batch.tgt_labels[1][1] == "UNK: EOS"
        source, target = batch.notes
        assert "no id for “Wolf”" in source
        assert "no id for “a”" in target


class TestFromIds:
    def test_ids_stay_as_typed_with_pad_anywhere(self) -> None:
        batch = Batch.from_ids(["1 6 2 8 4 1 8 1", "1 1 1 1 5"], ["2 1 3", "4"], pad_id=1)
        assert batch.src.tolist() == [[1, 6, 2, 8, 4, 1, 8, 1], [1, 1, 1, 1, 5, 1, 1, 1]]
        assert batch.src_labels[0] == ("PAD", "6", "2", "8", "4", "PAD", "8", "PAD")
        assert batch.tgt.tolist() == [[2, 1, 3], [4, 1, 1]]
        assert batch.pad_id == 1

    def test_nothing_is_shifted(self) -> None:
        batch = Batch.from_ids(["2 3"], ["5 6 0 7"])
        assert torch.equal(batch.tgt_in, batch.tgt)
        assert batch.tgt_out is None
        assert batch.tgt_in_labels == (("5", "6", "PAD", "7"),)
        assert batch.n_tokens == 3

    @pytest.mark.parametrize(
        "nonsense", ["x", "-1", "1.5", "10", "²", "٣", "1e3", "9" * 5000, "<pad>", "None"]
    )
    def test_words_that_are_no_ids_are_read_as_unk_and_noted(self, nonsense: str) -> None:
        batch = Batch.from_ids([f"2 {nonsense} 9"], ["4"], vocab_size=10)
        assert batch.src.tolist() == [[2, 3, 9]]
        [note] = batch.notes
        assert "from 0 to 9" in note
        assert nonsense[:15] in note
        assert "UNK (3)" in note
        assert len(note) < 120

    def test_nothing_typed_yet(self) -> None:
        batch = Batch.from_ids([""], [", ;"], pad_id=2)
        assert batch.src.tolist() == batch.tgt.tolist() == [[2]]

    @pytest.mark.parametrize("vocab_size", [3, 0])
    def test_unk_must_be_an_id_of_the_vocabulary(self, vocab_size: int) -> None:
        with pytest.raises(ValueError, match=rf"4 special tokens, got .*{vocab_size}"):
            Batch.from_ids(["x"], ["0"], vocab_size=vocab_size)

    @pytest.mark.parametrize("pad_id", [-1, 10])
    def test_pad_must_be_an_id_of_the_vocabulary(self, pad_id: int) -> None:
        with pytest.raises(ValueError, match=rf"pad_id must be .*0 to 9.* got pad_id={pad_id}"):
            Batch.from_ids(["1 2", "1"], ["1", "1"], pad_id=pad_id, vocab_size=10)


def test_a_pair_without_pad_is_read_as_if_it_were_alone() -> None:
    texts = ["a b", "c d e f"], ["b", "d c e"]
    batch = Batch.from_text(*texts, length=9).without_pad(0)
    alone = Batch.from_text(*([each[0]] for each in texts))
    assert batch.src_labels[0] == alone.src_labels[0] == ("a", "b")
    assert batch.tgt_in_labels[0] == alone.tgt_in_labels[0] == (BOS, "b")
    assert batch.tgt_out_labels[0] == alone.tgt_out_labels[0] == ("b", EOS)
    assert batch.src.shape == batch.tgt_in.shape == (2, 2)
    left = Batch.from_text(*texts, side="left")
    assert left.without_pad(0).src_labels == left.src_labels


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [None, 6])
def test_the_prompt_of_a_decoder_ends_with_its_last_word(
    side: PaddingSide, length: int | None
) -> None:
    """However long the others of the batch are, and however far it is filled up."""
    vocabulary = Vocabulary.build([["the", "old", "dog"]])
    targets = [["the", "dog"], ["the", "old", "dog"]]
    batch = Batch.from_words(targets, targets, vocabulary, vocabulary, side=side, length=length)
    bos = vocabulary.specials.bos
    assert batch.prompts == [(bos, *vocabulary.encode(words)) for words in targets]
