"""Where a head looks, in words: the same facts, read off its weights by hand."""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from explorer.analysis.attention import Attention
from explorer.drawing.labels import disambiguated
from explorer.languages import without_isolates
from explorer.views.looks import looks_most, one_look, rows_in_words
from tests.analysis.test_head_roles import attention


def one_head(
    weights: list[list[float]], queries: str, keys: str, writes: tuple[str, ...] = ()
) -> Attention:
    return attention(
        [weights],
        queries.split(),
        keys.split(),
        kind="cross",
        writes=list(writes) or None,
        may_attend=np.array(weights) > 0,
    )


def test_the_strongest_look() -> None:
    attention = one_head([[0.2, 0.8, 0.0], [0.5, 0.125, 0.375]], "er lief", "he ran PAD")
    text = "“er” (position 0) looks most at “ran” (position 1), weight 0.80"
    assert looks_most(attention, 0) == text
    text = "“lief” (position 1) looks at “PAD” (position 2) with weight 0.3750"
    assert one_look(attention, 0, (1, 2)) == text


def test_padding_and_a_single_key_have_no_strongest_look() -> None:
    weights = [[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.0, 0.9, 0.1]]
    text = "“er” (position 1) looks most at “er” (position 1), weight 0.60"
    assert looks_most(one_head(weights, "BOS er PAD", "BOS er PAD"), 0) == text
    assert "looks most" not in looks_most(one_head([[1.0]], "BOS", "BOS"), 0)


def test_a_first_pad_that_writes_a_word_is_no_padding() -> None:
    attention = one_head([[0.3, 0.7]], "PAD", "he ran", writes=("er",))
    assert looks_most(attention, 0).startswith("“PAD → er” (position 0) looks most at “ran”")


def test_long_words_are_cut_and_not_the_marks_around_them() -> None:
    """The marks of Unicode's bidirectional algorithm come in pairs: U+2068 opens, U+2069 closes."""
    weights = [[0.3, 0.7]] * 2
    reads, writes = ("Kindergärtnerin", "המכוניותשלהם"), ("pediatrician's", "כשהחתוליםשלהם")
    attention = replace(one_head(weights, "x y", "he ran", writes=writes), query_labels=reads)
    first, second = rows_in_words(attention)
    assert first == "Kinderg…erin → pediatr…an's"
    assert without_isolates(second) == "המכוניותשלהם → כשהחתול…שלהם"
    for row, text in enumerate((first, second)):
        shown = one_look(attention, 0, (row, 1))
        assert without_isolates(text) in without_isolates(shown)
        for words in (text, shown, disambiguated([text], most=28)[0]):
            depth = [{"\u2068": 1, "\u2069": -1}.get(letter, 0) for letter in words]
            assert sum(depth) == 0 <= min(accumulate(depth))


def test_words_keep_their_positions_where_padding_is_left_out() -> None:
    weights = [[0.0, 0.0, 0.0], [0.0, 0.3, 0.7]]
    words = one_head(weights, "PAD lief", "PAD he ran").without_pad()
    text = "“lief” (position 1) looks most at “ran” (position 2), weight 0.70"
    assert looks_most(words, 0) == text
