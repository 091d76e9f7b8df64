"""A model and its tokenizer in one: by name, or by folder."""

import doctest
from pathlib import Path

import pytest
import torch

import explorer
from explorer.config import ModelConfig
from explorer.names import USUAL_IDS
from explorer.tokenizer import IdTokenizer
from explorer.transformer import Transformer
from explorer.weights import loaded
from explorer.weights.catalogue import Learnt, Shipped, request
from explorer.weights.loaded import Loaded, load
from tests.properties.strategies import perturbed
from tests.weights.huggingface.tiny_files import write


def test_a_loaded_model_answers_many_sentences() -> None:
    reverse = load("reverse")
    sentences = [" ".join("abcdefghij"[: 1 + n % 7]) for n in range(40)]
    assert reverse.answer(sentences) == [sentence[::-1] for sentence in sentences]
    assert reverse.answer([""]) == [""]
    assert reverse.config == request(Shipped("reverse")).config
    assert explorer.load("reverse").answer(["one two"]) == ["two one"]


def test_the_example_in_the_docstring() -> None:
    results = doctest.testmod(loaded)
    assert results.attempted > 0
    assert results.failed == 0


def test_a_model_of_any_folder(tmp_path: Path) -> None:
    write(tmp_path / "mine")
    found = load(tmp_path / "mine")
    assert found.learnt.title == "BART"
    assert found.config.d_model == 8
    seen = explorer.explore(["4 5 6"], ["1 4 5"], model=found)  # it has no tokenizer: ids
    assert seen.batch.src.tolist() == [[4, 5, 6]]
    assert seen.trace.attention("cross", 0).weights.shape[-2:] == (3, 3)


def test_a_model_of_the_folder_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "owner--mine")
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path))
    assert load("owner/mine").learnt.name == "owner/mine"


def test_a_name_that_nobody_has(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"translator, reverse.*got 'nobody'"):
        load("nobody")


def test_it_reads_its_own_answer_where_no_target_is_given() -> None:
    seen = explorer.explore(["one two three"], model=load("reverse"))
    assert seen.batch.tgt_in_labels == (("BOS", "three", "two", "one"),)


def test_a_long_neighbour_gives_an_answer_no_more_room() -> None:
    endless = "one " * 30
    (alone,) = load("reverse").answers([endless])
    assert not alone.ended
    assert load("reverse").answers([endless, "one two three " * 20])[0].ids == alone.ids


def test_a_decoder_alone_goes_on_from_each_prompt_as_far_as_its_positions_go() -> None:
    longest = 12
    config = ModelConfig(d_model=8, n_heads=2, n_encoder_layers=0, n_decoder_layers=1, d_ff=8,
                         max_len=longest, src_vocab_size=20, tgt_vocab_size=20)  # fmt: skip
    model = perturbed(Transformer(config)).double()
    with torch.no_grad():
        model.to_logits.bias[USUAL_IDS.eos] = -100.0  # it never ends
    reads = IdTokenizer(
        pad_id=19, vocab_size=20, longest=longest, pad_by_id=False, goes_on=True, writes=USUAL_IDS
    )
    about = Learnt(name="small", title="", quality="", max_len=longest)
    prompts = [[4, 5, 6], [7, 8, 9, 10, 11]]
    found = Loaded(model=model, tokenizer=reads, learnt=about).answers(
        [" ".join(map(str, prompt)) for prompt in prompts]
    )
    for prompt, answer in zip(prompts, found, strict=True):
        read = list(prompt)
        while len(read) < longest:
            with torch.no_grad():
                read.append(int(model(None, torch.tensor([read])).logits[0, -1].argmax()))
        assert list(answer.ids) == read[len(prompt) :]
