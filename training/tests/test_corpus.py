"""The corpus: nothing that is held out is trained on, and batches waste little."""

import random
import zlib
from pathlib import Path

import pytest

from training.corpus import (
    Corpus,
    ExcludedSentences,
    Pair,
    batches,
    read_corpus,
    references,
)

LINES = "".join(f"Sentence {n}.\tSatz {n}.\n" for n in range(400))


def crc(sentence: str) -> int:
    return zlib.crc32(sentence.lower().encode()) % 64


DICE = random.Random(3)
LENGTHS = [(DICE.randint(1, 20), DICE.randint(3, 22)) for _ in range(1000)]


class TestRead:
    def test_it_is_split_by_the_source_sentence(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text(LINES + "SENTENCE 7.\tNoch ein Satz.\n\n", encoding="utf-8")
        found = read_corpus(file)
        assert len(found.train) + len(found.held_out) == 401
        assert all(crc(pair.source) == 0 for pair in found.held_out)
        assert all(crc(pair.source) != 0 for pair in found.train)
        # Capital letters do not bring a held-out sentence into training.
        again = {pair.source.lower() for pair in found.train}
        assert not again & {pair.source.lower() for pair in found.held_out}

    def test_sentences_like_a_held_out_one_are_not_trained_on(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text(LINES, encoding="utf-8")
        sentence = read_corpus(file).held_out[0].source
        twins = [sentence.removesuffix("."), sentence.replace(" ", "\u00a0"), f"“{sentence}”"]
        twins = [twin for twin in twins if crc(twin)]  # the others are held out anyway
        assert twins
        file.write_text(LINES + "".join(f"{twin}\tSatz.\n" for twin in twins), encoding="utf-8")
        assert not {pair.source for pair in read_corpus(file).train} & set(twins)

    def test_a_pair_with_nothing_on_one_side_is_left_out(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text(LINES + "\tHallo.\n \u200b\tHallo.\nHello.\t…\n", encoding="utf-8")
        found = read_corpus(file)
        assert len(found.train) + len(found.held_out) == 400

    def test_further_columns_are_no_translation(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text(LINES.replace("\n", "\tCC-BY\n"), encoding="utf-8")
        assert all("CC-BY" not in pair.target for pair in read_corpus(file).train)

    def test_a_line_without_a_tab_is_named(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text("a\tb\nno tab here\n", encoding="utf-8")
        with pytest.raises(ValueError, match="see line 2"):
            read_corpus(file)

    def test_a_corpus_without_held_out_sentences_is_an_error(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text("Sentence 1.\tSatz 1.\n", encoding="utf-8")
        with pytest.raises(ValueError, match="got 1 and 0"):
            read_corpus(file)

    def test_every_translation_is_known(self) -> None:
        given = (Pair("a", "x"), Pair("b", "y"), Pair("a", "z"))
        assert references(Corpus((), given).held_out) == {"a": ["x", "z"], "b": ["y"]}


class TestKeptAway:
    def test_the_same_words_are_the_same_sentence(self) -> None:
        excluded = ExcludedSentences(["The cat is big."])
        assert "the CAT is   big" in excluded
        assert "The cat is very big." not in excluded

    @pytest.mark.parametrize(
        "near",
        [
            "My old cat sleeps under the table!",
            "my cat sleeps under the table",  # one word less
            "My old cat often sleeps under the table.",  # one more
            "My old dog sleeps under the table.",  # another one
        ],
    )
    def test_sentences_close_to_a_judged_one_are_excluded(self, near: str) -> None:
        excluded = ExcludedSentences(judged=["My old cat sleeps under the table."])
        assert near in excluded
        assert "My young dog sleeps under the table." not in excluded

    def test_of_short_sentences_only_equal_ones_are_excluded(self) -> None:
        excluded = ExcludedSentences(judged=["See you on Thursday!"])
        assert "see you on thursday" in excluded
        assert "See you on Friday!" not in excluded

    def test_neither_the_corpus_nor_written_pairs_come_near(self, tmp_path: Path) -> None:
        file = tmp_path / "pairs.txt"
        file.write_text(LINES + "Our dog ate all the cake.\tX y.\n", encoding="utf-8")
        written = [Pair("Our dog ate the cake.", "Z."), Pair("Hello there.", "Hallo.")]
        found = read_corpus(file, [*written, *written], ["Our dog ate the whole cake."])
        assert "Our dog ate all the cake." not in {pair.source for pair in found.train}
        assert found.written == (Pair("Hello there.", "Hallo."),)


class TestBatches:
    def test_every_pair_is_in_one_batch(self) -> None:
        found = batches(LENGTHS, 200, random.Random(1))
        assert sorted(at for group in found for at in group) == list(range(1000))

    def test_no_batch_is_too_large_and_few_are_small(self) -> None:
        found = batches(LENGTHS, 200, random.Random(1))
        sizes = [len(g) * max(max(LENGTHS[at]) for at in g) for g in found]
        assert max(sizes) <= 200
        assert sum(sizes) / len(sizes) > 160

    def test_lengths_of_a_batch_are_close(self) -> None:
        for group in batches(LENGTHS, 200, random.Random(1)):
            longest = [max(LENGTHS[at]) for at in group]
            assert max(longest) - min(longest) <= 2

    def test_batches_come_in_no_order_of_length(self) -> None:
        found = batches(LENGTHS, 200, random.Random(1))
        longest = [max(LENGTHS[group[0]]) for group in found]
        assert longest != sorted(longest)

    def test_a_pair_that_fits_nowhere_has_a_batch_of_its_own(self) -> None:
        assert sorted(map(sorted, batches([(1, 2), (500, 3), (2, 1)], 100, random.Random(1)))) == [
            [0, 2],
            [1],
        ]
