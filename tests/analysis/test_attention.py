"""One attention with its labels: queries, keys, and the words that a row reads and writes."""

import numpy as np
import pytest

from explorer.analysis.attention import Attention, content_words
from explorer.config import ModelConfig
from explorer.forward import forward
from explorer.names import ATTENTION_KINDS, PaddingSide
from explorer.text import Batch
from explorer.transformer import Transformer, TransformerTrace

MODEL = Transformer(
    ModelConfig(d_model=8, n_heads=2, n_encoder_layers=2, n_decoder_layers=3, d_ff=8), seed=3
)


def seen(side: PaddingSide = "right") -> tuple[Batch, TransformerTrace]:
    batch = Batch.from_text(["the cat sat there", "a cat"], ["die Katze", "x y z"], side=side)
    return batch, forward(MODEL, batch, row=1 if side == "left" else 0)


def test_the_words_of_rows_and_columns() -> None:
    batch, trace = seen()
    source, target = ("the", "cat", "sat", "there"), ("BOS", "die", "Katze", "EOS")
    for kind in ATTENTION_KINDS:
        queries = source if kind == "encoder" else target
        keys = target if kind == "decoder" else source
        attention = Attention.of(trace, batch, 0, kind, 1)
        assert (attention.query_labels, attention.key_labels) == (queries, keys)
        assert attention.weights.shape == (2, len(queries), len(keys))
        np.testing.assert_array_equal(attention.weights, trace.attention(kind, 1).weights[0])


def test_a_row_of_a_decoder_writes_the_next_word() -> None:
    batch, trace = seen()
    assert Attention.of(trace, batch, 0, "cross", 0).writes == ("die", "Katze", "EOS", "")
    assert not any(Attention.of(trace, batch, 0, "encoder", 0).writes)


def test_typed_ids_write_nothing() -> None:
    batch = Batch.from_ids(["2 3"], ["4 5"])
    cross = Attention.of(forward(MODEL, batch, row=0), batch, 0, "cross", 0)
    assert cross.writes == ("", "")


def test_without_pad_words_keep_their_positions() -> None:
    batch, trace = seen("left")
    whole = Attention.of(trace, batch, 1, "cross", 2)
    assert whole.key_labels == ("PAD", "PAD", "a", "cat")
    words = whole.without_pad()
    assert words.key_labels == ("a", "cat")
    assert words.key_positions == (2, 3)
    assert words.query_positions == (0, 1, 2, 3)
    np.testing.assert_array_equal(words.weights, whole.weights[:, :, 2:])
    np.testing.assert_array_equal(words.may_attend, whole.may_attend[:, 2:])


def test_a_cell_is_found_by_its_positions() -> None:
    batch, trace = seen("left")
    words = Attention.of(trace, batch, 1, "cross", 2).without_pad()
    assert words.cell(1, 3) == (1, 1)
    assert words.cell(1, 0) is None  # PAD is not shown
    assert words.cell(-1, -1) is None


def test_a_sentence_of_pad_alone_is_shown_unchanged() -> None:
    batch = Batch.from_text(["", "a"], ["", "b"])
    encoder = Attention.of(forward(MODEL, batch, row=0), batch, 0, "encoder", 0)
    assert encoder.without_pad() is encoder


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        (("BOS", "Ich", "weiß", ",", "der", "Hund", "EOS", "PAD"), [2, 5]),
        (("BOS", "es", "ist", "da", "EOS"), [1, 2, 3]),  # no long word: all words
        (("BOS", "a", "·longer", ".", "PAD"), [1]),  # a piece that continues a word is none
        (("1", "2", "PAD"), [0, 1]),  # ids: whatever is there
        (("PAD",), [0]),
    ],
)
def test_content_words(labels: tuple[str, ...], wanted: list[int]) -> None:
    assert content_words(labels) == wanted
