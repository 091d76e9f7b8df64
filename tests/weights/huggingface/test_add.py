"""Adding models: what is whole and right gets into the folder, and nothing else does."""

import inspect
import json
import pickle
import stat
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors
from safetensors import safe_open

from explorer.weights.huggingface import add as module
from explorer.weights.huggingface.add import AddError, add, summary
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.shelf import model_names
from tests.weights.huggingface.tiny_files import (
    BART,
    BERT,
    BERT_SHAPES,
    ENCODER,
    same_numbers,
    tensors,
    write,
    write_config,
    write_shards,
)

PICKLED, SHARED = "pytorch_model.bin", "model.shared.weight"


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of models, which is not there yet."""
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def refused(models: Path, given: str | Path, **more: Any) -> str:
    """The message; nothing is left behind, not even a hidden folder."""
    before = snapshot(models)
    with pytest.raises((AddError, PretrainedError)) as error:
        add(str(given), **more)
    assert snapshot(models) == before
    message = str(error.value)
    assert 15 < len(message) < 700
    assert "\n" not in message
    return message


def snapshot(models: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(models)): path.read_bytes() if path.is_file() else b"a folder"
        for path in models.rglob("*")
    }


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def pickled(folder: Path, held: Any = None, *, name: str = PICKLED, zipped: bool = True) -> Path:
    """A BART in a pickle, as torch saves it today or saved it before 2020."""
    write_config(folder)
    content = tensors() if held is None else held
    torch.save(content, folder / name, _use_new_zipfile_serialization=zipped)
    return folder


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


class TestFromAFolder:
    def test_it_is_copied(self, models: Path, tmp_path: Path) -> None:
        source = write(tmp_path / "tiny")
        assert add(str(source)) == models / "tiny"
        assert snapshot(models / "tiny") == snapshot(source)
        assert names_in(models) == {"tiny"}
        assert model_names() == ["tiny"]

    def test_another_name(self, models: Path, tmp_path: Path) -> None:
        assert add(str(write(tmp_path / "tiny")), name="me/other") == models / "me--other"

    def test_only_what_a_model_needs(self, models: Path, tmp_path: Path) -> None:
        source = write(tmp_path / "tiny")
        kept = {"tokenizer_config.json", "vocab.txt", "merges.txt", "README.md", "LICENSE.txt",
                "target_vocab.json", "spiece.model"}  # fmt: skip
        for name in (*kept, "modeling.py", "tf_model.h5", PICKLED, ".hidden", "rust_model.ot"):
            (source / name).write_text("{}")
        for name in ("onnx", "tokenizer.json"):
            (source / name).mkdir()
        add(str(source))
        assert names_in(models / "tiny") == {"config.json", "model.safetensors"} | kept

    def test_links_are_followed(self, models: Path, tmp_path: Path) -> None:
        """As in the cache of huggingface_hub."""
        write(tmp_path / "blobs")
        source = tmp_path / "snapshot"
        source.mkdir()
        for name in ("config.json", "model.safetensors"):
            (source / name).symlink_to(tmp_path / "blobs" / name)
        add(str(source))
        assert not (models / "snapshot" / "config.json").is_symlink()
        assert same_numbers(models / "snapshot", tmp_path / "blobs")

    def test_shards(self, models: Path, tmp_path: Path) -> None:
        source = write_shards(tmp_path / "tiny")
        add(str(source))
        assert snapshot(models / "tiny") == snapshot(source)

    def test_a_lone_model_with_names_of_its_own(self, models: Path, tmp_path: Path) -> None:
        source = write(tmp_path / "tiny")
        (source / "config.json").rename(source / "us_bart_config.json")
        (source / "model.safetensors").rename(source / "us_bart.safetensors")
        (source / "generation_config.json").write_text("{}")
        (source / "tokenizer_config.json").write_text("{}")
        add(str(source))
        assert {"config.json", "model.safetensors"} < names_in(models / "tiny")
        assert "us_bart_config.json" not in names_in(models / "tiny")
        assert same_numbers(models / "tiny", write(tmp_path / "usual"))

    def test_no_model(self, models: Path, tmp_path: Path) -> None:
        (tmp_path / "tiny").mkdir()
        assert "must hold config.json" in refused(models, tmp_path / "tiny")
        write_config(tmp_path / "tiny")
        message = refused(models, tmp_path / "tiny")
        assert "must hold model.safetensors or pytorch_model.bin" in message

    def test_an_adapter(self, models: Path, tmp_path: Path) -> None:
        source = write(tmp_path / "tiny")
        (source / "config.json").rename(source / "adapter_config.json")
        (source / "model.safetensors").rename(source / "adapter_model.safetensors")
        assert "an adapter without its model: merge both" in refused(models, source)
        write_config(source)
        assert "an adapter without its model: merge both" in refused(models, source)

    def test_more_memory_than_there_is(
        self, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = write(tmp_path / "tiny", config=BART | {"vocab_size": 2**24})
        monkeypatch.setattr(module, "free_memory", lambda device: 300 * 2**20)
        monkeypatch.setattr(module, "read_model", None)
        message = refused(models, source)
        assert "needs about 576 MB of memory, and 300 MB are free" in message


class TestReplacing:
    def test_only_on_request(self, models: Path, tmp_path: Path) -> None:
        add(str(write(tmp_path / "tiny")))
        (models / "tiny" / "old.txt").write_text("old")
        new = write(tmp_path / "tiny", {n: held + 1 for n, held in tensors().items()})
        message = refused(models, new)
        assert "There is a model tiny already; --replace" in message
        add(str(new), replace=True)
        assert snapshot(models / "tiny") == snapshot(new)
        assert names_in(models) == {"tiny"}

    def test_a_failed_addition_replaces_nothing(self, models: Path, tmp_path: Path) -> None:
        add(str(write(tmp_path / "tiny")))
        message = refused(models, write(tmp_path / "tiny", {}), replace=True)
        assert "tensors that BART needs, shared.weight for example" in message

    def test_a_link_is_removed_and_its_target_stays(self, models: Path, tmp_path: Path) -> None:
        kept = write(tmp_path / "kept")
        models.mkdir()
        (models / "tiny").symlink_to(kept)
        source = write(tmp_path / "tiny")
        assert "already" in refused(models, source)
        add(str(source), replace=True)
        assert not (models / "tiny").is_symlink()
        assert read_model(kept)
        assert names_in(models) == {"tiny"}

    def test_interrupted(
        self, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = write(tmp_path / "tiny")

        def interrupt(folder: Path) -> None:
            assert folder.parent == models
            assert model_names() == []  # an incomplete folder is no model
            assert names_in(folder) == names_in(source)
            raise KeyboardInterrupt

        monkeypatch.setattr(module, "read_model", interrupt)
        with pytest.raises(KeyboardInterrupt):
            add(str(source))
        assert names_in(models) == set()


class TestPickles:
    @pytest.mark.parametrize("zipped", [True, False], ids=["zipped", "before 2020"])
    def test_the_numbers_come_over(self, models: Path, tmp_path: Path, zipped: bool) -> None:
        add(str(pickled(tmp_path / "tiny", zipped=zipped)))
        assert names_in(models / "tiny") == {"config.json", "model.safetensors"}
        assert same_numbers(models / "tiny", write(tmp_path / "usual"))

    def test_others_than_the_owner_may_read_them(self, models: Path, tmp_path: Path) -> None:
        add(str(pickled(tmp_path / "tiny")))
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (models / "tiny").iterdir()}
        assert len(modes) == 1

    def test_precision_stays(self, models: Path, tmp_path: Path) -> None:
        kinds = (torch.float32, torch.float16, torch.bfloat16)
        held = {n: t.to(kinds[i % 3]) for i, (n, t) in enumerate(tensors().items())}
        add(str(pickled(tmp_path / "tiny", held)))
        with safe_open(models / "tiny" / "model.safetensors", "pt") as file:
            assert set(file.keys()) == set(held)
            for name, tensor in held.items():
                assert file.get_tensor(name).dtype == tensor.dtype
                assert torch.equal(file.get_tensor(name), tensor)

    @pytest.mark.parametrize("zipped", [True, False], ids=["zipped", "before 2020"])
    def test_memory_that_is_shared(self, models: Path, tmp_path: Path, zipped: bool) -> None:
        """Tied matrices, parts of one tensor, and one the other way round."""
        held = tensors()
        expected = {name: tensor.clone() for name, tensor in held.items()}
        held["model.encoder.embed_tokens.weight"] = held[SHARED]
        held["lm_head.weight"] = held[SHARED].view(20, 8)
        both = torch.stack([held[f"{ENCODER}.self_attn.{x}_proj.weight"] for x in "qk"])
        for number, x in enumerate("qk"):
            held[f"{ENCODER}.self_attn.{x}_proj.weight"] = both[number]
        turned = held[f"{ENCODER}.self_attn.v_proj.weight"].T.contiguous()
        held[f"{ENCODER}.self_attn.v_proj.weight"] = turned.T
        held[f"{ENCODER}.fc1.weight"] = torch.nn.Parameter(held[f"{ENCODER}.fc1.weight"])
        add(str(pickled(tmp_path / "tiny", held, zipped=zipped)))
        assert same_numbers(models / "tiny", write(tmp_path / "usual", expected))
        with safe_open(models / "tiny" / "model.safetensors", "pt") as file:
            assert torch.equal(file.get_tensor(SHARED), expected[SHARED])
            assert file.metadata()["lm_head.weight"] == SHARED  # as save_model writes it

    def test_values_that_are_no_numbers_are_left_out(self, models: Path, tmp_path: Path) -> None:
        held: dict[Any, Any] = {
            **tensors(), "epoch": 3, "args": {"a": [1.5, None]}, "best": "yes", 7: torch.zeros(2),
            "ids": torch.arange(3), "flags": torch.ones(2, dtype=torch.bool),
            "sparse": torch.eye(3).to_sparse(), "meta": torch.zeros(3, device="meta"),
        }  # fmt: skip
        add(str(pickled(tmp_path / "tiny", held)))
        with safe_open(models / "tiny" / "model.safetensors", "pt") as file:
            assert set(file.keys()) == set(tensors())

    def test_shards(self, models: Path, tmp_path: Path) -> None:
        held, source = tensors(), tmp_path / "tiny"
        first = dict(list(held.items())[:9])
        rest = {name: tensor for name, tensor in held.items() if name not in first}
        pickled(source, first, name="pytorch_model-1-of-2.bin")
        pickled(source, rest, name="pytorch_model-2-of-2.bin")
        shard = {n: f"pytorch_model-{1 if n in first else 2}-of-2.bin" for n in held}
        (source / f"{PICKLED}.index.json").write_text(json.dumps({"weight_map": shard}))
        add(str(source))
        assert names_in(models / "tiny") == {"config.json", "model.safetensors"}
        assert same_numbers(models / "tiny", write(tmp_path / "usual"))

    def test_safetensors_come_first(self, models: Path, tmp_path: Path) -> None:
        source = write(tmp_path / "tiny")
        torch.save({"a": Trap(tmp_path / "ran")}, source / PICKLED)
        add(str(source))
        assert names_in(models / "tiny") == {"config.json", "model.safetensors"}

    @pytest.mark.parametrize(
        ("where", "form"),
        [("alone", "zipped"), ("as a name", "zipped"), ("among weights", "before 2020"),
         ("among weights", "pickle"), ("as a name", "newest pickle")],
    )  # fmt: skip
    def test_code_does_not_run(self, models: Path, tmp_path: Path, where: str, form: str) -> None:
        trap = Trap(tmp_path / "ran")
        held: Any = {
            "alone": trap,
            "among weights": {**tensors(), "x": trap},
            "as a name": {trap: 1},
        }
        source = pickled(tmp_path / "tiny", held[where], zipped=form == "zipped")
        if "pickle" in form:
            protocol = 2 if form == "pickle" else pickle.HIGHEST_PROTOCOL
            (source / PICKLED).write_bytes(pickle.dumps(held[where], protocol))
        message = refused(models, source)
        assert not (tmp_path / "ran").exists()
        assert "othing in it was executed" in message
        if form != "newest pickle":  # which torch does not read so far
            assert "pytorch_model.bin holds more than numbers" in message
        if "pickle" in form:
            pickle.loads((source / PICKLED).read_bytes())
        else:
            torch.load(source / PICKLED, weights_only=False)
        assert (tmp_path / "ran").exists()  # the trap would have worked

    def test_damaged_files(self, models: Path, tmp_path: Path) -> None:
        source = pickled(tmp_path / "tiny")
        new = (source / PICKLED).read_bytes()
        old = (pickled(tmp_path / "old", zipped=False) / PICKLED).read_bytes()
        odd = [b"", b"hello", b"version https://git-lfs.github.com/spec/v1\n", b"<html>", b"PK\3\4",
               bytes(1000), new[:-300], new[:2000], old[:-300], old[:40]]  # fmt: skip
        for content in odd:
            (source / PICKLED).write_bytes(content)
            assert refused(models, source) == (
                "pytorch_model.bin is no file of weights, or it is damaged; nothing in it was "
                "executed."
            )

    @pytest.mark.parametrize("held", [[1, 2], torch.zeros(3), "text", None, {}, {"step": 3}])
    def test_no_names(self, models: Path, tmp_path: Path, held: Any) -> None:
        source = pickled(tmp_path / "tiny")
        torch.save(held, source / PICKLED)
        message = refused(models, source)
        assert "must hold weights by their names" in message
        assert 'save them with torch.save(model.state_dict(), "pytorch_model.bin")' in message

    @pytest.mark.parametrize(
        "around",
        [
            lambda held: {"state_dict": held},
            lambda held: {"model_state_dict": held, "optimizer_state_dict": {"state": {}}},
            lambda held: {"loss": torch.ones(()), "model": held, "optimizer": {"m": torch.ones(2)}},
            lambda held: {"model": {"module": held}},
            lambda held: {"state_dict": held, "losses": torch.ones(5, 2)},
            lambda held: {"model": held, "ema": held, "rng": torch.ones(5).byte()},
            lambda held: {
                "state_dict": {f"model.module.{n}": held[n] for n in held},
                "ema": {n: held[n] + 1 for n in held},
            },
        ],
    )  # fmt: skip
    def test_weights_inside_of_a_training_s_file(
        self, models: Path, tmp_path: Path, around: Callable[[Any], Any]
    ) -> None:
        source = pickled(tmp_path / "tiny", around(tensors()), name="epoch=3.ckpt")
        add(str(source))
        assert same_numbers(models / "tiny", write(tmp_path / "usual"))


@dataclass
class FakeHub:
    """A package huggingface_hub that knows one model, and what it was asked for."""

    folder: Path
    fails: Exception | None = None
    asked: list[str] = field(default_factory=list)

    def model_info(self, repo_id: str) -> Any:
        if self.fails:
            raise self.fails
        assert repo_id == "me/tiny"
        found = [p.relative_to(self.folder) for p in self.folder.rglob("*") if p.is_file()]
        siblings = [SimpleNamespace(rfilename=path.as_posix()) for path in found]
        return SimpleNamespace(sha="c0ffee", siblings=siblings)

    def snapshot_download(
        self, repo_id: str, *, revision: str, allow_patterns: Iterable[str], local_dir: Path
    ) -> str:
        assert (repo_id, revision) == ("me/tiny", "c0ffee")
        names = [p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*")]
        for name in (n for n in names if any(fnmatch(n, some) for some in allow_patterns)):
            self.asked.append(name)
            (local_dir / name).write_bytes((self.folder / name).read_bytes())
        (local_dir / ".cache" / "huggingface").mkdir(parents=True, exist_ok=True)
        return str(local_dir)


class TestFromHuggingFace:
    @pytest.fixture
    def hub(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
        made = FakeHub(write(tmp_path / "there"))
        for name in ("README.md", "LICENSE", "vocab.txt", "tf_model.h5", "modeling_x.py", PICKLED):
            (made.folder / name).write_text("{}")
        (made.folder / "onnx").mkdir()
        (made.folder / "onnx" / "config.json").write_text("{}")
        monkeypatch.setitem(sys.modules, "huggingface_hub", made)
        return made

    def test_only_what_is_needed_is_fetched(self, hub: FakeHub, models: Path) -> None:
        assert add("me/tiny") == models / "me--tiny"
        kept = {"config.json", "README.md", "LICENSE", "vocab.txt", "model.safetensors"}
        assert names_in(models / "me--tiny") == kept
        assert set(hub.asked) == kept
        assert hub.asked[-1] == "model.safetensors"
        assert same_numbers(models / "me--tiny", hub.folder)

    def test_an_unknown_family_is_said_before_its_weights_are_fetched(
        self, hub: FakeHub, models: Path
    ) -> None:
        write_config(hub.folder, model_type="llama")
        assert "must be one of" in refused(models, "me/tiny")
        assert "model.safetensors" not in hub.asked

    def test_pickles_if_there_is_nothing_else(self, hub: FakeHub, models: Path) -> None:
        (hub.folder / "model.safetensors").unlink()
        pickled(hub.folder)
        add("me/tiny")
        assert PICKLED in hub.asked
        assert PICKLED not in names_in(models / "me--tiny")
        assert read_model(models / "me--tiny")

    def test_a_pattern_as_a_shard_is_no_pattern(self, hub: FakeHub, models: Path) -> None:
        (hub.folder / "model.safetensors").unlink()
        write_shards(hub.folder, {SHARED: "*.safetensors"})
        assert "must hold *.safetensors, and does not" in refused(models, "me/tiny")
        (hub.folder / "*.safetensors").write_text("")
        refused(models, "me/tiny")
        assert "model-1-of-2.safetensors" not in hub.asked

    def test_a_folder_of_that_name_comes_first(
        self, hub: FakeHub, models: Path, tmp_path: Path
    ) -> None:
        write(tmp_path / "me" / "tiny")
        assert add("me/tiny") == models / "tiny"
        assert hub.asked == []

    def test_without_the_package(self, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "huggingface_hub", None)
        message = refused(models, "me/tiny")
        assert message.endswith("pip install -r requirements-models.txt")

    @pytest.mark.parametrize("name", ["RepositoryNotFoundError", "GatedRepoError"])
    def test_no_such_model(self, hub: FakeHub, models: Path, name: str) -> None:
        kind = getattr(errors, name)
        hub.fails = kind.__new__(kind)
        message = refused(models, "me/tiny")
        assert "no model of this name on Hugging Face that is open to you" in message

    @pytest.mark.parametrize(
        ("fails", "text"),
        [
            (ConnectionError("Name or service not known\n\nand more"), "Name or service not known"),
            (RuntimeError(""), "RuntimeError"),
            (ValueError("x" * 10**4), "xxx"),
        ],
    )
    def test_hugging_face_is_offline(
        self, hub: FakeHub, models: Path, fails: Exception, text: str
    ) -> None:
        hub.fails = fails
        message = refused(models, "me/tiny")
        assert message.startswith("Hugging Face cannot be asked for me/tiny: ")
        assert text in message
        assert "and more" not in message

    def test_the_real_package_takes_these_arguments(self) -> None:
        for name in ("model_info", "snapshot_download"):
            fake = set(inspect.signature(getattr(FakeHub, name)).parameters) - {"self"}
            assert fake <= set(inspect.signature(getattr(huggingface_hub, name)).parameters)
        assert {"sha", "siblings"} <= set(huggingface_hub.ModelInfo.__annotations__)


class TestSummary:
    def test_both_stacks(self, tmp_path: Path) -> None:
        assert summary(write(tmp_path)) == (
            "BART, 1 + 1 layers, d_model 8, 2 heads, d_ff 12, 1,740 weights, 1 MB of memory; "
            "no tokenizer: the explorer shows ids"
        )

    def test_its_tokenizer(self, models: Path, tmp_path: Path) -> None:
        folder = write(tmp_path / "bert", tensors(BERT_SHAPES), BERT)
        pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b"]
        (folder / "vocab.txt").write_text("\n".join(pieces))
        added = add(str(folder))
        assert summary(added).endswith("; has a tokenizer")
        (added / "tokenizer.json").write_text("{")
        assert "; its tokenizer cannot be used: tokenizer.json cannot be read" in summary(added)
        (folder / "vocab.txt").write_text("a\nb")
        message = refused(models, folder, replace=True)
        assert message.startswith("The tokenizer cannot be used: vocab.txt must hold [CLS]")
