"""Measures of the translator's heads, on a model for which the result is known."""

import re
from pathlib import Path

import numpy as np
import pytest

from explorer.analysis.attention import Attention
from explorer.config import ModelConfig
from explorer.names import ATTENTION_KINDS
from explorer.transformer import Transformer
from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.subwords import train_subwords
from explorer.weights.translator import Translator
from training import heads as module
from training.corpus import Pair
from training.heads import ALIGNED, measured_heads, piece_positions, right_looks

PAIRS = [Pair("the dog sleeps.", "der Hund schläft."), Pair("a cat", "eine Katze")]


@pytest.fixture(scope="module")
def translator() -> Translator:
    subwords = train_subwords([text for p in PAIRS for text in (p.source, p.target)] * 30, size=320)
    size = subwords.get_vocab_size()
    config = ModelConfig(
        d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=2, d_ff=8,
        src_vocab_size=size, tgt_vocab_size=size, norm_first=True, tying="all",
    )  # fmt: skip
    familiar = Familiarity.measured(subwords, ["the dog"], ["the dog"])
    return Translator(Transformer(config, seed=1), subwords, familiar, {})


def test_every_word_of_the_list_stands_once_in_its_sentence() -> None:
    lines = ALIGNED.read_text(encoding="utf-8").splitlines()
    assert len({line.split("\t")[0] for line in lines}) == len(lines) == 100
    subwords = SubwordTokenizer(train_subwords(lines, size=2000))
    for line in lines:
        source, target, translated = line.split("\t")
        for words in translated.split(" "):
            english, german = words.lower().split("=")
            assert english in piece_positions(subwords, source), line
            assert german in piece_positions(subwords, target), line
            for word, sentence in ((english, source), (german, target)):
                assert re.findall(r"\w+", sentence.lower()).count(word) == 1, line


def test_places_are_those_of_the_pieces(translator: Translator) -> None:
    subwords = SubwordTokenizer(translator.tokenizer)
    pieces = subwords.split("der Hundschläft.")
    found = piece_positions(subwords, "der Hundschläft.")
    assert [at for place in found.values() for at in place] == list(range(len(pieces)))
    assert found["der"] == [0]
    assert found["."] == [len(pieces) - 1]


def test_a_look_is_right_if_its_largest_weight_is_on_the_word(
    translator: Translator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Row n reads token n, BOS first, and helps to write the token after it."""
    file = tmp_path / "aligned.tsv"
    file.write_text("the dog sleeps.\tder Hund schläft.\tdog=Hund sleeps=schläft\n")
    subwords = SubwordTokenizer(translator.tokenizer)
    assert subwords.split("the dog sleeps.") == ("the", "dog", "sleeps", ".")
    assert subwords.split("der Hund schläft.") == ("der", "Hund", "schläft", ".")
    both = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]
    late = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]

    def layer(*heads: list[list[int]]) -> Attention:
        weights = np.array(heads, float)
        return Attention(
            kind="cross", layer=0, weights=weights, scores=weights,
            may_attend=np.ones(weights.shape[1:], bool),
            query_labels=("BOS", "der", "Hund", "schläft", "."), key_labels=("",) * 4,
            query_positions=tuple(range(5)), key_positions=tuple(range(4)), writes=("",) * 5,
        )  # fmt: skip

    monkeypatch.setattr(module, "ALIGNED", file)
    monkeypatch.setattr(
        module, "_read", lambda *_: iter([{"cross": [layer(both, late), layer(late, both)]}])
    )
    np.testing.assert_array_equal(right_looks(translator), [[1.0, 0.0], [0.0, 1.0]])


def test_every_head_is_measured(translator: Translator) -> None:
    found = measured_heads(translator, PAIRS)
    assert found["sentences"] == 2
    for kind in ATTENTION_KINDS:
        layers = 1 if kind == "encoder" else 2
        assert [len(layer) for layer in found["roles"][kind]] == [2] * layers
    best = found["aligning"]
    assert right_looks(translator)[best["layer"], best["head"]] == right_looks(translator).max()
