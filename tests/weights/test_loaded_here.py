"""Pretrained models that visitors load: what is kept, what is refused, and what is left behind."""

import json
import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save
from torch import Tensor

from explorer.runtime.cache import SplitCache
from explorer.tokenizer import IdTokenizer
from explorer.weights import loaded_here
from explorer.weights.catalogue import (
    Pretrained,
    WeightsGoneError,
    learnt,
    request,
    tokenizer,
    trained_model,
    writes,
)
from explorer.weights.checkpoints import LARGEST
from explorer.weights.huggingface import known
from explorer.weights.huggingface.description import describe
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.known import ModelFolder
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.text.tokenizer import PretrainedTokenizer
from tests.weights.huggingface.test_model import Allocated
from tests.weights.huggingface.tiny_files import (
    BART,
    BART_SHAPES,
    BERT,
    BERT_SHAPES,
    GPT2,
    T5,
    tensors,
    write,
)

VOCAB = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat"])
PIECES = b"".join(b"\n\x03\n\x01" + bytes([letter]) for letter in range(64, 105))  # 41 letters
Files = dict[str, bytes]


def files(weights: dict[str, Tensor] | None = None, **changes: Any) -> Files:
    """A BART without a tokenizer."""
    return {
        "config.json": json.dumps({**BART, **changes}).encode(),
        "model.safetensors": save(tensors() if weights is None else weights),
    }


def marian(ids: dict[str, int]) -> Files:
    """A Marian of 20 tokens, whose pieces have these ids."""
    weights = {
        name: tensor
        for name, tensor in tensors().items()
        if not name.endswith(("embed_positions.weight", "embedding.weight", "embedding.bias"))
    }
    return {
        **files(weights, model_type="marian"),
        "vocab.json": json.dumps(ids).encode(),
        "source.spm": PIECES,
        "target.spm": PIECES,
    }


def bert() -> Files:
    """A BERT with its tokenizer."""
    return {
        "config.json": json.dumps(BERT).encode(),
        "model.safetensors": save(tensors(BERT_SHAPES)),
        "vocab.txt": VOCAB.encode(),
    }


def keep(given: Files) -> str:
    return loaded_here.keep(given, lambda need: nullcontext(True))


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the folders of the models lie; these tests share no model with others."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    split_cache: SplitCache[ModelFolder] = SplitCache(loaded_here.ROOM)
    monkeypatch.setattr(loaded_here, "_cache", lambda: split_cache)
    return tmp_path


def test_a_model_is_found_by_its_token_alone() -> None:
    token = keep(bert())
    found = loaded_here.find(token)
    assert found is not None
    assert found.described.family.title == "BERT"
    assert isinstance(found.tokenizer, PretrainedTokenizer)
    assert found.tokenizer.split("the cat") == ("[CLS]", "the", "cat", "[SEP]")
    names = {path.name for path in found.folder.iterdir()}
    assert names == {*bert(), "tokenizer.json"}  # made of the older file
    assert loaded_here.find("") is None
    assert loaded_here.find(token[:-1]) is None
    loaded_here.drop(token)
    assert loaded_here.find(token) is None


def test_every_model_gets_a_token_that_nobody_can_guess() -> None:
    tokens = [keep(files()) for _ in range(5)]
    assert len(set(tokens)) == 5
    assert min(map(len, tokens)) >= 12  # 9 random bytes


def test_its_folder_is_closed_to_other_users_and_has_a_name_of_its_own(folders: Path) -> None:
    keep(files())
    keep(files())
    names = {path.name for path in folders.iterdir()}
    assert len(names) == 2
    assert all(path.stat().st_mode & 0o077 == 0 for path in folders.iterdir())


def test_it_is_a_source_like_any_pretrained_model(tmp_path: Path) -> None:
    token = keep(files())
    kept, source = loaded_here.find(token), Pretrained(token=token)
    assert kept is not None
    wanted, _ = read_model(write(tmp_path / "same"))
    model = trained_model(source)
    assert model is not None
    assert model.config == wanted.config == request(source).config
    for ours, theirs in zip(model.parameters(), wanted.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    facts = learnt(source)
    assert facts is not None
    assert (facts.name, facts.title) == ("This model", "BART")
    assert isinstance(kept.tokenizer, IdTokenizer)
    assert tokenizer(source) is kept.tokenizer  # no cache keeps it when the model is forgotten
    assert not writes(source)


def test_one_that_is_gone_is_named() -> None:
    token = keep(files())
    loaded_here.drop(token)
    for ask in (trained_model, learnt, tokenizer, request, writes):
        with pytest.raises(WeightsGoneError, match="cannot be read: its files were removed"):
            ask(Pretrained(token=token))


def test_files_that_somebody_cleared_away_are_gone(folders: Path) -> None:
    token = keep(files())
    for path in folders.glob("*/*"):
        path.unlink()
    with pytest.raises(WeightsGoneError, match="loaded here cannot be read"):
        trained_model(Pretrained(token=token))


class TestForgetting:
    def test_the_folder_goes_with_the_model_but_not_before_its_readers(self, folders: Path) -> None:
        token = keep(files())
        reading = loaded_here.find(token)
        assert reading is not None
        loaded_here.drop(token)
        assert read_model(reading.folder)
        del reading
        assert list(folders.iterdir()) == []

    def test_all_folders_go_when_the_server_ends(
        self, folders: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(loaded_here, "_cache", cache(lambda: SplitCache(loaded_here.ROOM)))
        tokens = [keep(files()) for _ in range(2)]
        assert len(list(folders.iterdir())) == 2
        loaded_here.forget_all()
        assert list(folders.iterdir()) == []
        assert [loaded_here.find(token) for token in tokens] == [None, None]

    def test_the_newest_take_the_place_of_the_oldest(
        self, folders: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token = keep(bert())
        sizes = {path.name: path.stat().st_size for path in folders.glob("*/*")}
        loaded_here.drop(token)
        assert sizes["tokenizer.json"] > 1000  # made of the older file
        size = sizes["model.safetensors"] + 16 * (
            sizes["config.json"] + sizes["vocab.txt"] + sizes["tokenizer.json"]
        )
        # A model takes the bytes of its files, and a tokenizer's file several times as many.
        split_cache: SplitCache[ModelFolder] = SplitCache(2 * (3 * size + size // 2))
        monkeypatch.setattr(loaded_here, "_cache", lambda: split_cache)
        tokens = [keep(bert()) for _ in range(4)]
        assert [loaded_here.find(token) is not None for token in tokens] == [False] + [True] * 3
        assert len(list(folders.iterdir())) == 3


def refused(given: Files, folders: Path) -> str:
    """The message; no file is left, and nothing large was made."""
    memory = Allocated()
    with memory, pytest.raises(PretrainedError) as error:
        keep(given)
    assert memory.largest <= 10_000
    assert list(folders.iterdir()) == []
    message = str(error.value)
    assert 15 < len(message) < 600
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model.safetensors": b""}, "also needs config.json"),
        ({"config.json": b"{}"}, "also needs model.safetensors"),
        ({}, "also needs config.json and model.safetensors"),
        ({**files(), "pytorch_model.bin": b""}, "python -m explorer.weights add FOLDER"),
        ({**files(), "weights.pkl": b""}, "may be a pickle"),
        ({**files(), **{f"{n}.txt": b"" for n in range(20)}}, "up to 17 files, and these are 22"),
        ({**files(), "model.safetensors.index.json": b""}, "several files of weights"),
        ({**files(), "model-00001-of-00002.safetensors": b""}, "several files of weights"),
        ({**files(), "notes.doc": b""}, "notes.doc is not a name of a pretrained model's file"),
        ({**files(), "../config.json": b""}, "../config.json is not a name of"),
        ({**files(), "/etc/passwd": b""}, "/etc/passwd is not a name of"),
        ({**files(), "a/vocab.txt": b""}, "a/vocab.txt is not a name of"),
        ({**files(), "": b""}, " is not a name of"),
        ({**files(), "x" * 5000: b""}, "x is not a name of"),
        (files(model_type="mamba"), "model_type in config.json must be one of"),
        ({**files(), "model.safetensors": b"\x80\x04K\x01."}, "not a safetensors file"),
        ({**files(), "tokenizer.json": b"{"}, "The tokenizer cannot be used"),
        ({**bert(), "vocab.txt": b"the"}, "vocab.txt must hold [CLS]"),
        (marian({"</s>": 0, "<unk>": 20}), "vocab.json must lie below 20, which"),
        (marian({"</s>": 0, "<unk>": 19}), "source.spm cannot be read: it holds too many pieces"),
        (files(decoder_vocab_size=2**22), "up to 300,000 tokens in a vocabulary"),
    ],
)
def test_models_that_cannot_be_shown_are_refused_in_a_sentence(
    given: Files, message: str, folders: Path
) -> None:
    assert message in refused(given, folders)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (T5 | {"num_heads": 65}, "up to 64 heads, and this one has 65"),
        (GPT2 | {"n_layer": 65}, "up to 64 layers, and this one has 65"),
    ],
)
def test_a_model_that_no_page_could_draw(
    given: dict[str, Any], message: str, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its weights are there is not asked in this test."""
    monkeypatch.setattr(known, "check", describe)
    assert message in refused({**files(), "config.json": json.dumps(given).encode()}, folders)


class Claimed(bytes):
    """No more than a claim to be so large."""

    size: int

    def __new__(cls, size: int) -> "Claimed":
        made = super().__new__(cls)
        made.size = size
        return made

    def __len__(self) -> int:
        return self.size


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model.safetensors": Claimed(LARGEST + 2**20)}, "may have up to 256 MB, and this one"),
        ({"config.json": Claimed(2**20 + 1)}, "config.json may have up to 1 MB"),
        ({"tokenizer.json": Claimed(21 * 2**20)}, "tokenizer.json may have up to 20 MB"),
        (
            {"model.safetensors": Claimed(LARGEST - 2**20), "vocab.txt": Claimed(2**21)},
            "up to 256 MB together, and these have 257 MB",
        ),
    ],
)
def test_too_large_files_are_not_written(given: Files, message: str, folders: Path) -> None:
    assert message in refused({**files(), **given}, folders)


def test_the_weights_are_not_read_where_there_is_no_memory(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_here, "read_model", lambda folder: pytest.fail("it was read"))
    asked: list[int] = []

    def room(need: int) -> Any:
        asked.append(need)
        return nullcontext(False)

    with pytest.raises(PretrainedError, match="no memory for this model at the moment"):
        loaded_here.keep(files(), room)
    assert asked == [4 * sum(tensor.numel() for tensor in made_of_one_model())]
    assert list(folders.iterdir()) == []


def made_of_one_model() -> list[Tensor]:
    """The tensors of the engine's model: two rows of each table of positions are never read."""
    found = tensors()
    for side in ("encoder", "decoder"):
        name = f"model.{side}.embed_positions.weight"
        assert BART_SHAPES[name][0] == 12
        found[name] = found[name][2:]
    return list(found.values())


def test_a_full_disk_is_reported(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert "disk has no room" in refused(files(), folders)
