"""The tokenizers of untrained models: words, characters, ids."""

import pytest

from explorer.names import USUAL_IDS
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


@pytest.mark.parametrize(
    ("source", "target", "read", "notes"),
    [
        ("5 6", "7", [5, 6, 7], []),
        ("5 dog", "cat 6 x", [5, 3, 3, 6, 3], [
            "Ids are whole numbers from 0 to 9: “dog” is read as 3.",
            "Ids are whole numbers from 0 to 9: “cat” is read as 3.",
        ]),
        ("5 " * 128, Answer((6,) * 60), [5] * 128 + [6] * 60, []),
        ("5 " * 130, "6 " * 140, [5] * 128 + [6] * 72, [
            "The model reads the first 128 of 130 source tokens.",
            "The model reads the first 72 of 140 target tokens.",
        ]),
        ("", Answer((6,)), [1, 6], []),
    ],
)  # fmt: skip
def test_a_decoder_alone_reads_ids_within_the_limits_of_a_tokenizer(
    source: str, target: str | Answer, read: list[int], notes: list[str]
) -> None:
    """By hand: 128 of the source, 128 of the target, and 200 positions in all; id 3 is a word."""
    ids = IdTokenizer(vocab_size=10, longest=200, pad_by_id=False, writes=USUAL_IDS, goes_on=True)
    batch = ids.batch([source, "5"], [target, "6"], side="left")
    assert batch.tgt_in[0].tolist() == read
    assert batch.tgt_labels[0] == tuple(map(str, read))
    assert batch.targets_in.without_padding() == [read, [5, 6]]
    assert batch.src.shape == (2, 0)
    assert list(batch.notes) == notes


@pytest.mark.parametrize("tokenizer", [TextTokenizer(), IdTokenizer()])
def test_an_answer_belongs_to_a_model_that_answers(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="targets must be text"):
        tokenizer.batch(["a"], [Answer((5,))])


@pytest.mark.parametrize("tokenizer", [TextTokenizer(), IdTokenizer()])
def test_every_source_needs_a_target(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="same number of sentences, at least one, got 2 and 1"):
        tokenizer.batch(["1 2", "3"], ["4"])
