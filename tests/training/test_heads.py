"""What the translator's heads do, measured on a model whose answer is known."""

from pathlib import Path

import pytest
import torch

from explorer.config import ModelConfig
from explorer.names import ATTENTION_KINDS
from explorer.training import heads as module
from explorer.training.corpus import Pair
from explorer.training.heads import ALIGNED, measured_heads, places, right_looks
from explorer.transformer import Transformer
from explorer.weights.familiarity import Familiarity
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.subwords import train_subwords
from explorer.weights.translator import Translator

PAIRS = [Pair("the dog sleeps.", "der Hund schläft."), Pair("a cat", "eine Katze")]


@pytest.fixture(scope="module")
def translator() -> Translator:
    subwords = train_subwords([text for p in PAIRS for text in (p.source, p.target)] * 30, size=320)
    size = subwords.get_vocab_size()
    config = ModelConfig(
        d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=2, d_ff=8,
        src_vocab_size=size, tgt_vocab_size=size, norm_first=True, tied=True,
    )  # fmt: skip
    familiar = Familiarity.measured(subwords, ["the dog"], ["the dog"])
    return Translator(Transformer(config, seed=1), subwords, familiar, {})


def test_every_word_of_the_list_stands_once_in_its_sentence() -> None:
    lines = ALIGNED.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 100
    subwords = SubwordTokenizer(train_subwords(lines, size=2000))
    for line in lines:
        source, target, translated = line.split("\t")
        for words in translated.split(" "):
            english, german = words.lower().split("=")
            assert english in places(subwords, source), line
            assert german in places(subwords, target), line
            assert source.lower().count(english) == 1 or f" {english} " in f" {source.lower()} "


def test_places_are_those_of_the_pieces(translator: Translator) -> None:
    subwords = SubwordTokenizer(translator.tokenizer)
    pieces = subwords.split("der Hundschläft.")
    found = places(subwords, "der Hundschläft.")
    assert [at for place in found.values() for at in place] == list(range(len(pieces)))
    assert found["der"] == [0]
    assert found["."] == [len(pieces) - 1]


def test_a_look_is_right_if_its_largest_weight_is_on_the_word(
    translator: Translator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "aligned.tsv"
    file.write_text("the dog sleeps.\tder Hund schläft.\tdog=Hund sleeps=schläft\n")
    monkeypatch.setattr(module, "ALIGNED", file)
    found = right_looks(translator)
    subwords = SubwordTokenizer(translator.tokenizer)
    batch = subwords.batch(["the dog sleeps."], ["der Hund schläft."])
    with torch.inference_mode():
        trace = translator.model(batch.src, batch.tgt_in)
    src, tgt = places(subwords, "the dog sleeps."), places(subwords, "der Hund schläft.")
    for layer in range(2):
        for head in range(2):
            weights = trace.attention("cross", layer).weights[0, head]
            looks = [
                int(weights[tgt[german][0]].argmax()) in src[english]  # BOS shifts rows by one
                for english, german in (("dog", "hund"), ("sleeps", "schläft"))
            ]
            assert found[layer, head] == sum(looks) / 2


def test_every_head_is_measured(translator: Translator) -> None:
    found = measured_heads(translator, PAIRS)
    assert found["sentences"] == 2
    for kind in ATTENTION_KINDS:
        layers = 1 if kind == "encoder" else 2
        assert [len(layer) for layer in found["roles"][kind]] == [2] * layers
        assert all(-1 <= alike <= 1 for alike in found["alike"][kind])
    best = found["aligning"]
    assert right_looks(translator)[best["layer"], best["head"]] == right_looks(translator).max()
