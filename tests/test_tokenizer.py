"""The tokenizers of untrained models: words, characters, ids."""

import pytest

from explorer.text import Answer
from explorer.tokenizer import IdTokenizer, TextTokenizer, Tokenizer


def test_words_and_characters() -> None:
    words, letters = TextTokenizer(), TextTokenizer("characters")
    assert words.split("he can't") == ("he", "can't")
    assert letters.split("a b") == ("a", "␣", "b")
    batch = words.batch(["the cat", "the"], ["x", "y z"], side="left", length=3)
    assert batch.src.tolist() == [[0, 4, 5], [0, 0, 4]]
    assert batch.tgt_in.tolist() == [[0, 1, 4], [1, 5, 6]]
    assert letters.batch(["ab"], ["c"]).src_labels == (("a", "b"),)


def test_ids_are_read_as_typed() -> None:
    ids = IdTokenizer(pad_id=1)
    assert ids.split("[2, 3]") == ("2", "3")
    batch = ids.batch(["2 1 3"], ["5"])
    assert batch.src.tolist() == [[2, 1, 3]]
    assert batch.src_labels == (("2", "PAD", "3"),)
    assert batch.tgt_out is None


@pytest.mark.parametrize("tokenizer", [TextTokenizer(), IdTokenizer()])
def test_an_answer_belongs_to_a_model_that_answers(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="targets must be text"):
        tokenizer.batch(["a"], [Answer((5,))])
