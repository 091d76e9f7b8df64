"""Folders of pretrained models: what fits is read, and anything else is refused in a sentence."""

import io
import json
import os
import pickle
import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.overrides import TorchFunctionMode

from explorer.weights.huggingface import model as module
from explorer.weights.huggingface import tensors as stored
from explorer.weights.huggingface.description import Description, describe
from explorer.weights.huggingface.families.registry import ALIASES, FAMILIES
from explorer.weights.huggingface.files import PretrainedError, shards
from explorer.weights.huggingface.model import check, read_model
from tests.weights.huggingface.tiny_files import (
    BART,
    BART_SHAPES,
    BERT,
    BERT_SHAPES,
    DECODER,
    DISTILBERT,
    ENCODER,
    EVERY_FAMILY,
    GPT2,
    ROBERTA,
    T5,
    TYPES,
    same_numbers,
    tensors,
    write,
    write_config,
    write_shards,
)

Q = f"{ENCODER}.self_attn.q_proj.weight"
K = f"{ENCODER}.self_attn.k_proj.weight"
BIAS = "final_logits_bias"
LARGEST = 10_000  # numbers in a tensor that these models may need
SECONDS = 5.0  # of this process: others may be at work on the machine


class Allocated(TorchFunctionMode):
    """The largest tensor with memory that torch made."""

    largest = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        if isinstance(out, Tensor) and not out.is_meta:
            self.largest = max(self.largest, out.numel())
        return out


def refused(folder: Path, read: Callable[[Path], Any] = read_model) -> str:
    """The message; nothing large was made, and nobody had to wait."""
    began, memory = time.process_time(), Allocated()
    with memory, pytest.raises(PretrainedError) as error:
        read(folder)
    assert memory.largest <= LARGEST
    assert time.process_time() - began < SECONDS
    message = str(error.value)
    assert 15 < len(message) < 900
    assert "\n" not in message
    assert not re.search(r"NoneType|unhashable|int\(\)|object at|object is not", message), message
    return message


def inside(name: str) -> str:
    """The name without what the class around the stacks puts before it."""
    return name.removeprefix("model.")


def with_tensors(folder: Path, **changes: Tensor | None) -> Path:
    """A BART with some tensors changed, or left out; their names have dots."""
    weights = {**tensors(), **changes}
    return write(folder, {name: held for name, held in weights.items() if held is not None})


class TestRead:
    def test_every_tensor_has_its_place(self, tmp_path: Path) -> None:
        held = tensors()
        model, described = read_model(write(tmp_path))
        ours = dict(model.named_parameters())
        assert described.family is FAMILIES["bart"]
        assert described.hf_config == BART
        qkv = [held[f"{DECODER}.encoder_attn.{x}_proj.weight"] for x in "qkv"]
        assert torch.equal(ours["decoder.0.cross.w_qkv.weight"], torch.cat(qkv))
        positions = held["model.decoder.embed_positions.weight"]
        assert torch.equal(ours["tgt_embedding.position.weight"], positions[2:])
        assert torch.equal(ours["to_logits.bias"], held[BIAS][0])
        assert model.tgt_embedding.token.weight is model.src_embedding.token.weight
        assert described.config.n_weights == sum(n.numel() for n in held.values()) - 2 * 2 * 8
        assert not any(parameter.requires_grad for parameter in model.parameters())

    def test_check_gives_the_same_without_reading_weights(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        described = read_model(write(tmp_path))[1]
        monkeypatch.setattr(stored.Stored, "read", None)
        assert check(tmp_path) == described == describe(tmp_path)

    def test_an_answer_without_biases(self, tmp_path: Path) -> None:
        model, _ = read_model(with_tensors(tmp_path, final_logits_bias=None))
        assert torch.equal(model.to_logits.bias, torch.zeros(20))

    @pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
    def test_other_precisions_are_read_exactly(self, tmp_path: Path, kind: torch.dtype) -> None:
        held = {name: tensor.to(kind) for name, tensor in tensors().items()}
        model, _ = read_model(write(tmp_path, held))
        assert all(parameter.dtype == torch.float32 for parameter in model.parameters())
        read: Any = model.encoder[0].feed_forward.w_1.weight
        assert torch.equal(read, held[f"{ENCODER}.fc1.weight"].float())
        if kind != torch.float64:
            assert not torch.equal(read, tensors()[f"{ENCODER}.fc1.weight"])

    def test_old_names_of_norms(self, tmp_path: Path) -> None:
        held = tensors(BERT_SHAPES)
        old = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): tensor
            for name, tensor in held.items()
        }
        assert old.keys() != held.keys()
        new = write(tmp_path / "new", held, BERT)
        assert same_numbers(write(tmp_path / "old", old, BERT), new)

    def test_the_first_type_is_in_every_position(self, tmp_path: Path) -> None:
        held = tensors(BERT_SHAPES)
        model, _ = read_model(write(tmp_path, held, BERT))
        positions = held["bert.embeddings.position_embeddings.weight"]
        expected = positions + held[f"bert.{TYPES}"][0]
        assert torch.equal(model.src_embedding.position.weight, expected)

    def test_shards(self, tmp_path: Path) -> None:
        assert same_numbers(write_shards(tmp_path / "parts"), write(tmp_path / "whole"))

    def test_tensors_without_numbers_may_be_there(self, tmp_path: Path) -> None:
        more: Any = {"embeddings.position_ids": torch.arange(10)[None]}
        assert read_model(with_tensors(tmp_path, **more))

    def test_settings_that_are_null_count_as_left_out(self, tmp_path: Path) -> None:
        config = describe(
            write_config(tmp_path, GPT2, n_inner=None, scale_attn_weights=None)
        ).config
        assert (config.d_ff, config.scale_scores) == (32, True)


class TestNoSuchFiles:
    def test_no_folder(self, tmp_path: Path) -> None:
        assert refused(tmp_path / "gone") == "The folder must hold config.json, and it does not."

    def test_no_weights(self, tmp_path: Path) -> None:
        message = refused(write_config(tmp_path))
        assert "must hold model.safetensors" in message
        assert "python -m explorer.weights add" in message

    def test_folders_in_place_of_files(self, tmp_path: Path) -> None:
        write_config(tmp_path)
        (tmp_path / "model.safetensors").mkdir()
        assert "must hold model.safetensors" in refused(tmp_path)
        (tmp_path / "config.json").unlink()
        (tmp_path / "config.json").mkdir()
        assert "must hold config.json" in refused(tmp_path)

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "config.json")
        assert "must hold config.json" in refused(tmp_path)

    @pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
    def test_links_out_of_the_folder(self, tmp_path: Path, name: str) -> None:
        folder = write(tmp_path / "model")
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
        assert f"{name} is a link to a file outside" in refused(folder)

    def test_the_folder_may_be_a_link(self, tmp_path: Path) -> None:
        write(tmp_path / "model")
        (tmp_path / "link").symlink_to(tmp_path / "model")
        assert read_model(tmp_path / "link")

    def test_no_safetensors(self, tmp_path: Path) -> None:
        saved = io.BytesIO()
        torch.save(tensors(), saved)
        whole = (write(tmp_path) / "model.safetensors").read_bytes()
        odd = [
            b"", b"hello", saved.getvalue(), pickle.dumps({"a": 1}), whole[:-1], whole[:100],
            (2**63).to_bytes(8, "little") + whole[8:], (10**8).to_bytes(8, "little") + whole[8:],
        ]  # fmt: skip
        for content in odd:
            (tmp_path / "model.safetensors").write_bytes(content)
            assert refused(tmp_path) == (
                "model.safetensors is not a safetensors file, or it is damaged."
            )


WHOLE = "must be a whole number from 1 to 16,777,216; it is "
SIZES = ("d_model", "encoder_layers", "decoder_attention_heads", "vocab_size", "encoder_ffn_dim",
         "max_position_embeddings")  # fmt: skip
NO_SIZES: list[Any] = [0, -8, 3 * 10**9, 10**400, 8.0, 2.5, 1e308, "8", "", [8], {"d": 8}, True]
LARGE = 2**24
LAYERS, IMPOSSIBLE = r"describes [\d,]+ layers", "that cannot be"
DEPTHS = ((BART, "decoder_layers"), (T5, "num_layers"), (BERT, "num_hidden_layers"),
          (GPT2, "n_layer"))  # fmt: skip
# A family, what is changed in its config.json, and a fragment of the sentence.
CONFIGS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    *((BART, {"model_type": kind}, f"must be one of {', '.join((*FAMILIES, *ALIASES))}; it is ")
      for kind in ("llama", "", ["bart"], {"bart": 1}, None, 7, "BART" * 99)),
    *((BART, {name: value}, f"{name} in config.json {WHOLE}{json.dumps(value)[:60]}.")
      for name in SIZES for value in NO_SIZES),
    *((BART, {name: None}, f"config.json must give {name}, and does not.") for name in SIZES),
    (BART, {"d_model": float("nan")}, "d_model in config.json must be a whole number"),
    *((BART, {"decoder_start_token_id": value}, "config.json must be the id of a token; it is ")
      for value in (-1, "2", 2.0, [2])),
    *((T5, {"eos_token_id": value}, "must be the id of a token, or a list of some; it is ")
      for value in (-1, "1", [], [1, True])),
    (T5, {"decoder_vocab_size": "20"}, f"decoder_vocab_size in config.json {WHOLE}"),
    (BERT, {"layer_norm_eps": float("inf")}, "must be a number above 0 and below 1"),
    *((config, {name: layers}, LAYERS) for layers in (600, LARGE) for config, name in DEPTHS),
    (BART, {"d_model": LARGE, "encoder_ffn_dim": LARGE, "decoder_ffn_dim": LARGE}, IMPOSSIBLE),
    (T5, {"d_model": LARGE, "num_heads": LARGE, "d_kv": LARGE}, IMPOSSIBLE),
    (GPT2, {"n_embd": LARGE}, IMPOSSIBLE),
    (T5, {"relative_attention_num_buckets": 64}, "num_buckets must be 32, got 64"),
    (T5, {"relative_attention_max_distance": 64}, "max_distance must be 128, got 64"),
    (BERT, {"position_embedding_type": "relative_key"}, "must be absolute, got 'relative"),
    (ROBERTA, {"is_decoder": True}, "is_decoder must be False, got True"),
    (GPT2, {"add_cross_attention": True}, "add_cross_attention must be False, got True"),
    (BART, {"pad_token_id": 20}, "must be an id of the vocabulary, 0 to 19"),
    (DISTILBERT, {"activation": "tanh"}, "the activation must be one of"),
    (BART, {"activation_function": "mish"}, "gelu_pytorch_tanh, silu, swish, got"),
    (BART, {"decoder_attention_heads": 4}, "must be equal, got 2, 4"),
    (BART, {"decoder_ffn_dim": 16}, "must be equal, got 12, 16"),
    (BART, {"encoder_attention_heads": 3, "decoder_attention_heads": 3}, "must be divisible by"),
]  # fmt: skip


class TestConfig:
    def test_settings_that_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Before a model is made; whether the weights are there makes no difference."""
        monkeypatch.setattr(module, "Transformer", None)
        for config, changes, why in CONFIGS:
            message = refused(write_config(tmp_path, config, **changes), describe)
            assert why in message or re.search(why, message), (changes, message)
            assert refused(write(tmp_path, config=config | changes)) == message

    def test_no_json(self, tmp_path: Path) -> None:
        huge = b'{"model_type": "bart", "d_model": 1' + b"0" * 5000 + b"}"
        odd = [b"", b"{", b"\xff\xfe\x00", b"{'a': 1}", b"[" * 10**6, b'{"a":' * 10**6, huge]
        for content in (*odd, b"1" * 10**6):
            (tmp_path / "config.json").write_bytes(content)
            assert refused(tmp_path) == "config.json is not JSON."
        for text in ("[]", "null", "7", '"bart"', "true"):
            (tmp_path / "config.json").write_text(text)
            assert refused(tmp_path) == "config.json must be a JSON object."

    def test_a_huge_file_is_not_read(self, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text(json.dumps(BART))
        os.truncate(tmp_path / "config.json", 2**40)
        tracemalloc.start()
        message = refused(tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert message == "config.json is larger than any that describes a model."
        assert peak < 20 * 2**20

    @pytest.mark.parametrize("config", EVERY_FAMILY, ids=lambda config: config["model_type"])
    def test_whatever_stands_in_its_place(self, tmp_path: Path, config: dict[str, Any]) -> None:
        """Never another exception, and never a model of other sizes than these files hold."""
        odd: list[Any] = [
            None, True, False, 0, 1, -1, 10**6, 10**9, 0.5, 8.0, float("nan"), "", "7", "x" * 10**4,
            [], [1], ["a"], {}, {"a": {}}, "gated-", "-gelu", "a-b-c",
        ]  # fmt: skip
        assert isinstance(describe(write_config(tmp_path, config)), Description)
        optional = dict.fromkeys(
            ("tie_word_embeddings", "share_encoder_decoder_embeddings", "architectures"), None
        )
        messages = []
        for name in optional | config:
            for value in odd:
                write_config(tmp_path, config, **{name: value})
                try:
                    described = describe(tmp_path)
                except PretrainedError as error:
                    messages.append(str(error))
                    continue
                assert type(described.config.n_heads) is int
                assert type(described.config.tgt_pad_id) is int
        assert len(messages) > 5 * len(config)
        assert all(15 < len(message) < 600 for message in messages)


# What is changed in a BART's tensors, and a fragment of the sentence.
ADAPTERS = {f"{ENCODER}.adapter_{n}.weight": torch.zeros(12, 8) for n in range(8)}
GONE = [name for name in BART_SHAPES if ".fc" in name][:6]
KINDS = {torch.int8: "I8", torch.int64: "I64", torch.bool: "BOOL", torch.float8_e4m3fn: "F8_E4M3",
         torch.complex64: "C64"}  # fmt: skip
SHAPES = [
    (Q, (8, 4), (8, 8)), (Q, (), (8, 8)), (Q, (0,), (8, 8)), (Q, (8, 8, 1), (8, 8)),
    (K.replace("weight", "bias"), (1,), (8,)), ("model.shared.weight", (8, 20), (20, 8)),
    ("model.encoder.embed_positions.weight", (10, 8), (12, 8)), (BIAS, (20,), (1, 20)),
    (BIAS, (0, 20), (1, 20)),
]  # fmt: skip
TENSORS: list[tuple[dict[str, Any], str]] = [
    ({Q: None}, f"tensors that BART needs, {inside(Q)} for example"),
    (dict.fromkeys(GONE), f"6 of the {len(BART_SHAPES) - 1} tensors that BART needs, "),
    (ADAPTERS, f"hold {ENCODER}.adapter_0.weight, "),
    (ADAPTERS, "and 5 more, which BART does not have and whose numbers may change"),
    ({f"model.encoder.layers.{n}.fc1.weight": torch.zeros(12, 8) for n in range(1, 9)},
     "hold model.encoder.layers.1.fc1.weight, model.encoder.layers.2."),
    *(({name: torch.zeros(shape)}, f"{name} is {shape} and must be {wanted}")
      for name, shape, wanted in SHAPES),
    # Stacked, these have the right shape: queries are not taken from the keys.
    ({Q: torch.zeros(12, 8), K: torch.zeros(4, 8)},
     f"{Q} is (12, 8) and must be (8, 8), {K} is (4, 8)"),
    ({Q: torch.full((8, 8), 1e300, dtype=torch.float64)}, "infinite"),
    *(({Q: torch.zeros(8, 8).to(kind)}, f"F64, and the files hold {Q} as {name}")
      for kind, name in KINDS.items()),
]  # fmt: skip


class TestTensors:
    def test_tensors_that_are_refused(self, tmp_path: Path) -> None:
        for changes, why in TENSORS:
            assert why in refused(with_tensors(tmp_path, **changes)), why

    def test_all_are_missing(self, tmp_path: Path) -> None:
        message = refused(write(tmp_path, {f"thing.{n}": torch.zeros(2) for n in range(5)}))
        assert "; theirs have names such as thing.0, thing.1, thing.2 and 2 more." in message

    def test_layers_that_the_files_do_not_hold(self, tmp_path: Path) -> None:
        message = refused(write(tmp_path, config=BART | {"encoder_layers": 500}))
        assert f"needs, {inside(Q).replace('.0.', '.1.')} for example" in message

    @pytest.mark.parametrize("value", [float("nan"), float("-inf"), 3e38, -1e30, 20_000.0])
    @pytest.mark.parametrize("name", [Q, BIAS, "model.shared.weight"])
    def test_numbers_that_no_training_reaches(
        self, tmp_path: Path, name: str, value: float
    ) -> None:
        spoilt = tensors()[name]
        spoilt[0, 3] = value
        message = refused(with_tensors(tmp_path, **{name: spoilt}))
        finite = "must lie between −10,000 and 10,000"
        assert (finite if abs(value) < float("inf") else "infinite or none at all") in message
        assert name in message

    def test_token_types(self, tmp_path: Path) -> None:
        for shape in ((), (0, 8), (2, 1), (8,), (2, 8, 8)):
            held = tensors(BERT_SHAPES) | {f"bert.{TYPES}": torch.zeros(shape)}
            assert f"{TYPES} is {shape} and must be" in refused(write(tmp_path, held, BERT))
        held = tensors(BERT_SHAPES) | {TYPES: torch.zeros(2, 8)}
        assert f"bert.{TYPES} and {TYPES}, have the same place" in refused(
            write(tmp_path, held, BERT)
        )
        held = tensors(BERT_SHAPES)
        del held[f"bert.{TYPES}"]
        assert f"needs, {TYPES} for example" in refused(write(tmp_path, held, BERT))


BESIDE = "must be a .safetensors file beside model.safetensors.index.json, which names "
ELSEWHERE: list[Any] = [
    "../x.safetensors", "/tmp/x.safetensors", "a/b.safetensors", "..", "", "x.bin",
    "x.safetensors/", "model.safetensors.index.json", 7, None, True, ["x.safetensors"],
]  # fmt: skip
NO_FILES = [
    "gone.safetensors",
    "x\0.safetensors",
    "x" * 5000 + ".safetensors",
    "\ud800.safetensors",
]


class TestShards:
    def test_indices_that_are_refused(self, tmp_path: Path) -> None:
        folder = tmp_path / "model"
        (folder / "y.safetensors").mkdir(parents=True)
        save_file(tensors(), tmp_path / "x.safetensors")
        for name in ELSEWHERE:
            message = refused(write_shards(folder, {"model.shared.weight": name}))
            assert BESIDE + json.dumps(name) in message
        for name in (*NO_FILES, "y.safetensors"):
            message = refused(write_shards(folder, {"model.shared.weight": name}))
            assert "there is no such file" in message
            assert json.dumps(name)[:40] in message
            message.encode()
        no_maps: list[Any] = [[], ["x.safetensors"], {}, "x.safetensors", 7, False]
        for given in no_maps:
            assert "must have a weight_map" in refused(write_shards(folder, given))
        (folder / "model.safetensors.index.json").write_text("[" * 10**5)
        assert refused(folder) == "model.safetensors.index.json is not JSON."

    def test_links(self, tmp_path: Path) -> None:
        folder = write_shards(tmp_path / "model")
        shard = folder / "model-2-of-2.safetensors"
        shard.rename(folder / "kept.safetensors")
        shard.symlink_to("kept.safetensors")
        assert read_model(folder)
        (folder / "kept.safetensors").rename(tmp_path / "elsewhere.safetensors")
        shard.unlink()
        shard.symlink_to(tmp_path / "elsewhere.safetensors")
        assert refused(folder).startswith("model-2-of-2.safetensors is a link to a file outside")

    def test_other_endings_by_other_indices(self, tmp_path: Path) -> None:
        index = tmp_path / "pytorch_model.bin.index.json"
        index.write_text('{"weight_map": {"a": "p-1.bin", "b": "p-2.bin", "c": "p-1.bin"}}')
        assert shards(tmp_path, index.name) == ["p-1.bin", "p-2.bin"]
        index.write_text('{"weight_map": {"a": "p.safetensors"}}')
        assert "A shard must be a .bin file" in refused(
            tmp_path, lambda folder: shards(folder, index.name)
        )
