"""The ids of tokens, with the special ones at any ids."""

import pytest

from explorer.names import SpecialIds
from explorer.vocabulary import Vocabulary


class TestVocabulary:
    def test_specials_first_then_words_as_they_appear(self) -> None:
        vocab = Vocabulary.build([["to", "be", "or"], ["not", "to", "be"]], size=10)
        assert vocab.tokens == ("to", "be", "or", "not")
        assert vocab.encode(["not", "to", "be", "to"]) == [7, 4, 5, 4]
        assert vocab.decode([0, 1, 2, 3, 4, 7]) == ["PAD", "BOS", "EOS", "UNK", "to", "not"]

    def test_when_full_further_words_become_unk(self) -> None:
        vocab = Vocabulary.build([["a", "b", "c"]], size=6)
        assert vocab.encode(["a", "b", "c", "never seen"]) == [4, 5, 3, 3]

    @pytest.mark.parametrize("size", [3, 0, -1])
    def test_the_specials_need_room(self, size: int) -> None:
        with pytest.raises(ValueError, match=rf"room for the 4 special tokens, got size={size}"):
            Vocabulary.build([], size)

    def test_ids_without_a_word_show_their_number(self) -> None:
        assert Vocabulary(("a",), 10).decode([5, -1, 4]) == ["#5", "#-1", "a"]

    def test_an_id_shown_as_its_number_is_read_as_that_id(self) -> None:
        vocab = Vocabulary(("a", "b"), 10)
        ids = [4, 5, 6, 9, 7, 3]
        assert vocab.decode(ids) == ["a", "b", "#6", "#9", "#7", "UNK"]
        assert vocab.encode(vocab.decode(ids)) == ids

    @pytest.mark.parametrize("token", ["#3", "#5", "#10", "#06", "#", "##6", "6", "#6 ", "#-1"])
    def test_numbers_of_no_free_id_are_unk(self, token: str) -> None:
        assert Vocabulary(("a", "b"), 10).encode([token]) == [3]

    def test_a_typed_word_that_reads_like_a_number_is_that_word(self) -> None:
        vocab = Vocabulary(("#6", "#9"), 10)
        assert vocab.encode(["#6", "#9", "#7"]) == [4, 5, 7]

    def test_words_that_read_like_specials_are_words(self) -> None:
        assert Vocabulary.build([["PAD", "EOS"]], size=10).encode(["PAD", "EOS"]) == [4, 5]

    def test_special_ids_are_values_of_the_vocabulary(self) -> None:
        """As BART has them: BOS 0, PAD 1, EOS 2, UNK 3; and as Marian: EOS 0, BOS = PAD."""
        bart = Vocabulary(("a", "b"), 6, SpecialIds(pad=1, bos=0, eos=2, unk=3))
        assert bart.decode(range(6)) == ["BOS", "PAD", "EOS", "UNK", "a", "b"]
        assert bart.encode(["b", "a", "c"]) == [5, 4, 3]
        marian = Vocabulary(("a", "b", "c"), 6, SpecialIds(pad=4, bos=4, eos=0, unk=1))
        assert marian.encode(["a", "b", "c", "d"]) == [2, 3, 5, 1]
        assert [marian.is_special(i) for i in range(6)] == [True, True, False, False, True, False]
