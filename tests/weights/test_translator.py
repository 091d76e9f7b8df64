"""A translator in a file: what was saved comes back, one matrix once."""

from dataclasses import replace
from pathlib import Path

import pytest
import safetensors.torch
import torch

from explorer.config import ModelConfig
from explorer.decoding import Written
from explorer.names import USUAL_IDS
from explorer.text import padded
from explorer.transformer import Transformer
from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.subwords import train_subwords
from explorer.weights.translator import Translator, load, save

SENTENCES = ["Tom didn't come.", "Tom kam nicht."] * 30


@pytest.fixture(scope="module")
def translator() -> Translator:
    subwords = train_subwords(SENTENCES, size=290)
    size = subwords.get_vocab_size()
    config = ModelConfig(
        d_model=16, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=32,
        src_vocab_size=size, tgt_vocab_size=size, norm_first=True, tying="all",
    )  # fmt: skip
    familiar = Familiarity.measured(subwords, SENTENCES, SENTENCES[:2])
    return Translator(Transformer(config, seed=3), subwords, familiar, {"quality": 1.0})


def test_a_saved_translator_is_loaded_unchanged(translator: Translator, tmp_path: Path) -> None:
    file = tmp_path / "t.safetensors"
    file.write_bytes(save(translator))
    loaded = load(file)
    assert loaded.about == translator.about
    assert loaded.familiar == translator.familiar
    assert loaded.model.config == translator.model.config
    assert loaded.tokenizer.to_str() == translator.tokenizer.to_str()
    for name, tensor in loaded.model.state_dict().items():
        assert tensor.dtype == torch.float32
        torch.testing.assert_close(
            tensor, translator.model.state_dict()[name].half().float(), rtol=0, atol=0
        )


def test_the_shared_matrix_is_written_once_and_in_half_precision(translator: Translator) -> None:
    tensors = safetensors.torch.load(save(translator))
    assert sum(tensor.numel() for tensor in tensors.values()) == translator.model.config.n_weights
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.safetensors"
    file.write_bytes(safetensors.torch.save({"x": torch.zeros(1)}))
    with pytest.raises(ValueError, match="must hold a translator"):
        load(file)


def test_answers_are_in_the_order_of_the_sentences(translator: Translator) -> None:
    sentences = ["Tom didn't come.", "", "Tom", "Tom didn't come. Tom didn't come."]
    together = translator.answer(sentences)
    assert together[1] == ""
    for sentence, answer in zip(sentences, together, strict=True):
        assert translator.answer([sentence]) == [answer]


def test_special_pieces_are_no_text(translator: Translator) -> None:
    ids = translator.tokenizer.encode("Tom kam nicht.").ids
    framed = [USUAL_IDS.bos, *ids, USUAL_IDS.eos, USUAL_IDS.pad]
    assert translator.text(framed) == "Tom kam nicht."


def test_padding_is_on_the_right() -> None:
    assert padded([[5], [6, 7]]).tolist() == [[5, 0], [6, 7]]


def test_answers_are_doubted_only_if_the_file_has_a_bound(translator: Translator) -> None:
    written = translator.written(["Tom", ""])
    assert len(written[0].ids) == len(written[0].probabilities)
    assert written[1].ids == ()
    assert translator.doubt("Tom", written[0]) == ""
    sureness = {"doubted_below": -0.1, "intercept": 2.0, "slope": 8.0}
    careful = replace(translator, about={"sureness": sureness})
    assert careful.doubt("Tom", written[0]).startswith("on average (geometric mean) its pieces had")
    assert careful.doubt("Tom", replace(written[0], probabilities=(0.99, 0.99))) == ""
    before = replace(translator, about={"doubted_below": -0.1})  # as files once said it
    assert before.doubt("Tom", written[0]) == careful.doubt("Tom", written[0])


def test_an_answer_without_a_number_of_its_source_is_doubted(translator: Translator) -> None:
    written = Written(tuple(translator.tokenizer.encode("Tom kam 7.").ids), ())
    assert translator.doubt("Tom came at 7.", written) == ""
    assert translator.doubt("8 came.", written) == "the number 8 is not in the answer"


def test_an_answer_that_says_a_word_twice_is_doubted(translator: Translator) -> None:
    written = Written(tuple(translator.tokenizer.encode("Ich glaube, glaube ich.").ids), ())
    doubt = "it says “glaube” twice, for which the source gives no reason"
    assert translator.doubt("I think.", written) == doubt
    assert translator.doubt("I think and think.", written) == ""


def test_an_answer_with_a_word_that_it_does_not_know_is_doubted(
    translator: Translator, tmp_path: Path
) -> None:
    written = Written(tuple(translator.tokenizer.encode("Tom kam nicht.").ids), ())
    file = tmp_path / "t.safetensors"
    file.write_bytes(save(replace(translator, known=frozenset({"kam", "grösse"}))))
    loaded = load(file)
    assert loaded.known == {"kam", "grösse"}
    assert (
        loaded.doubt("Tom", written) == "“nicht” is in none of the German texts that it learnt from"
    )
    assert replace(loaded, known=loaded.known | {"nicht"}).doubt("Tom", written) == ""
