"""Whatever a person types: tokens that can be drawn, ids that the model can read."""

from unicodedata import normalize

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.languages import without_isolates
from explorer.names import BOS, EOS, PAD, SPECIALS, USUAL_IDS, Level, PaddingSide
from explorer.text import MAX_PAIRS, MAX_TOKENS, Batch, tokenize
from tests.properties.strategies import texts

levels = st.sampled_from(["words", "characters", "ids"])
sides = st.sampled_from(["left", "right"])
sentences = texts | st.sampled_from(["PAD", "a BOS b", "w " * (MAX_TOKENS + 1)])
thorough = settings(max_examples=300)
SPACE = regex.compile(r"[\s\p{Z}]")
VISIBLE = regex.compile(r"[^\s\p{Z}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]")


@thorough
@given(texts, levels)
def test_every_token_can_be_seen(text: str, level: Level) -> None:
    for token in tokenize(text, level):
        assert not SPACE.search(token), ascii(token)
        assert VISIBLE.search(token), ascii(token)
        token.encode()  # a lone surrogate would not go


@thorough
@given(texts, st.sampled_from(["words", "characters"]))
def test_nothing_that_can_be_seen_is_lost_or_moved(text: str, level: Level) -> None:
    joined = "".join(tokenize(text, level))
    read, typed = (
        normalize("NFD", "".join(VISIBLE.findall(some.replace("␣", "")))) for some in (joined, text)
    )
    assert read == typed


@thorough
@given(texts)
def test_words_are_made_of_whole_characters(text: str) -> None:
    """No accent, vowel sign or half of an emoji is torn off what it belongs to."""
    text = text.replace(">", "")  # <b> is one token, whatever joins on to it
    in_words = [part for word in tokenize(text) for part in regex.findall(r"\X", word)]
    characters = [c for c in tokenize(text, "characters") if c != "␣"]
    assert [c for c in in_words if VISIBLE.search(c) and c != "␣"] == characters


@given(
    st.lists(st.tuples(sentences, sentences), min_size=1, max_size=MAX_PAIRS + 1),
    st.sampled_from(["words", "characters"]),
    sides,
    st.none() | st.integers(1, 9),
    st.integers(4, 9),
)
def test_a_batch_of_any_texts(
    pairs: list[tuple[str, str]],
    level: Level,
    side: PaddingSide,
    length: int | None,
    vocab_size: int,
) -> None:
    sources, targets = zip(*pairs, strict=True)
    batch = Batch.from_text(
        sources, targets, level=level, side=side, length=length, vocab_size=vocab_size
    )
    assert batch.tgt_out is not None
    reads = batch.tgt_in != batch.pad_id
    assert batch.tgt_out[reads].equal(batch.tgt[:, 1:][reads])
    assert not batch.tgt_out[~reads].count_nonzero()  # PAD answers nothing
    for tensor in (batch.src, batch.tgt, batch.tgt_in, batch.tgt_out):
        assert 0 <= int(tensor.min()) <= int(tensor.max()) < vocab_size
        assert len(tensor) == min(len(pairs), MAX_PAIRS)
    for ids, labels, typed, frame in (
        (batch.src, batch.src_labels, sources, ([], [])),
        (batch.tgt, batch.tgt_labels, targets, ([BOS], [EOS])),
    ):
        read = [tokenize(text, level)[:MAX_TOKENS] for text in typed[:MAX_PAIRS]]
        all_words = list(dict.fromkeys(word for words in read for word in words))
        known = set(all_words[: vocab_size - len(SPECIALS)])  # the others have no id
        if unknown := all_words[len(known) :]:
            notes = map(without_isolates, batch.notes)
            assert any(f"“{unknown[0][:19]}" in note and "UNK" in note for note in notes)
        for row, row_labels, text in zip(ids.tolist(), labels, typed, strict=False):
            typed_words = tokenize(text, level)[:MAX_TOKENS]
            quoted = [
                f"UNK: {word}" if word not in known else f"“{word}”" if word in SPECIALS else word
                for word in typed_words
            ]
            words = [*frame[0], *quoted, *frame[1]]
            padding = [PAD] * (len(row) - len(words))
            drawn = [*padding, *words] if side == "left" else [*words, *padding]
            assert list(row_labels) == drawn
            assert [n == USUAL_IDS.pad for n in row] == [label == PAD for label in row_labels]
    wanted = max(length or 1, 1)
    assert batch.src.shape[1] >= wanted
    assert batch.tgt_in.shape[1] >= wanted


@given(
    st.lists(st.tuples(texts | st.just("2 3 0 99"), texts), min_size=1, max_size=MAX_PAIRS + 1),
    sides,
    st.integers(4, 9).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1))),
)
def test_a_batch_of_any_ids(
    pairs: list[tuple[str, str]], side: PaddingSide, sizes: tuple[int, int]
) -> None:
    vocab_size, pad_id = sizes
    sources, targets = zip(*pairs, strict=True)
    batch = Batch.from_ids(sources, targets, pad_id=pad_id, side=side, vocab_size=vocab_size)
    for ids, labels in ((batch.src, batch.src_labels), (batch.tgt, batch.tgt_labels)):
        assert 0 <= int(ids.min()) <= int(ids.max()) < vocab_size
        for row, row_labels in zip(ids.tolist(), labels, strict=True):
            assert [label == PAD for label in row_labels] == [number == pad_id for number in row]
