"""BLEU and chrF against every known translation."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tokenizers import Tokenizer

from explorer.decoding import Written
from explorer.transformer import Transformer
from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.subwords import train_subwords
from explorer.weights.translator import Translator
from tests.small_model import CONFIG
from training import quality as module
from training.quality import quality, sureness

KNOWN = {
    "a": ["Das Tier ging nicht über die Straße.", "Das Tier überquerte die Straße nicht."],
    "b": ["Er sagte „ja“ und ging dann nach Hause."],
}


class Repeats(Translator):
    """Writes what it is told to."""

    def __init__(self, answers: dict[str, str]) -> None:
        subwords: Tokenizer = train_subwords(
            [sentence for sentences in KNOWN.values() for sentence in sentences] * 30, 400
        )
        super().__init__(Transformer(CONFIG), subwords, Familiarity((), 64, 99.0, 99.0), {})
        object.__setattr__(self, "about", answers)  # a translator is frozen

    def answer(self, sentences: Sequence[str]) -> list[str]:
        return [self.about[sentence] for sentence in sentences]


def test_any_of_the_known_translations_is_right() -> None:
    """Also in the second place, and whichever quotation marks it has."""
    answers = {"a": KNOWN["a"][1], "b": 'Er sagte "ja" und ging dann nach Hause.'}
    found = quality(Repeats(answers), KNOWN)
    assert (found.bleu, found.chrf, found.sentences) == pytest.approx((100, 100, 2))


def test_a_wrong_word_costs() -> None:
    answers = {"a": KNOWN["a"][0], "b": 'Er sagte "nein" und ging dann nach Hause.'}
    assert 40 < quality(Repeats(answers), KNOWN).bleu < 95


def test_the_beam_is_searched_and_an_empty_sentence_stays_empty() -> None:
    model = Transformer(replace(CONFIG, src_vocab_size=300, tgt_vocab_size=300, src_pad_id=0,
                                max_len=70), seed=1)  # fmt: skip
    subwords = train_subwords(["ab ba"] * 30, 300)
    untrained = Translator(model, subwords, Familiarity((), 64, 99.0, 99.0), {})
    found = quality(untrained, {"ab ba": ["x"], "\u200b": ["y"], "a" * 200: ["z"]}, width=3)
    assert found.sentences == 3
    assert 0 <= found.bleu <= 100
    # A beam of one hypothesis is greedy decoding.
    assert module._by_beam(untrained, "ab ba", 1) == untrained.answer(["ab ba"])[0]


def test_a_width_asks_the_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def by_beam(_: Translator, source: str, width: int) -> str:
        asked.append((source, width))
        return KNOWN[source][0].translate(str.maketrans("„“", '""'))

    monkeypatch.setattr(module, "_by_beam", by_beam)
    assert quality(Repeats({}), KNOWN, width=4).chrf > 99
    assert asked == [("a", 4), ("b", 4)]


def test_the_bound_comes_from_translations_that_are_close_to_a_known_one() -> None:
    class Sure(Repeats):
        def written(self, sentences: Sequence[str]) -> list[Written]:
            sure = {"a": 0.9, "b": 0.5}
            return [
                Written(tuple(self.tokenizer.encode(self.about[one]).ids), (sure[one],) * 4)
                for one in sentences
            ]

    # What is far from every known translation says nothing of good ones.
    translator = Sure({"a": KNOWN["a"][0], "b": "Nein."})
    found = sureness(translator, KNOWN)
    assert found is not None
    assert found.doubted_below == pytest.approx(math.log(0.9), abs=0.001)
    assert found.right_of_ten([0.9]) > 5 > found.right_of_ten([0.5])
    assert sureness(Sure({"a": "Ja.", "b": "Nein."}), KNOWN) is None
