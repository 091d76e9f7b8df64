"""Which word of a reordered sentence is which of the first."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.positions.word_order import matching


@given(
    st.lists(st.sampled_from("abc")).flatmap(lambda w: st.tuples(st.just(w), st.permutations(w)))
)
def test_every_word_finds_its_own_place(sentences: tuple[list[str], list[str]]) -> None:
    first, second = sentences
    places = matching(first, second)
    assert [first[place] for place in places] == second
    assert sorted(places) == list(range(len(first)))
    for word in set(first):  # equal words keep their order
        found = [place for place, other in zip(places, second, strict=True) if other == word]
        assert found == sorted(found)
