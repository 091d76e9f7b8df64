"""Checkpoints: what is saved comes back to the last bit, and nothing else gets in."""

import io
import json
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.config import ModelConfig, TrainConfig
from explorer.decoding import write
from explorer.runtime.engine import forward
from explorer.tasks.tasks import COPY, REVERSE, TASKS, Memorise, Pair, Task
from explorer.text import Batch
from explorer.training.recipes import config_for
from explorer.transformer import Transformer
from explorer.weights import checkpoints
from explorer.weights.checkpoints import (
    Checkpoint,
    CheckpointError,
    described_task,
    load,
    save,
)

OWN = Memorise(
    (
        Pair(("<b>bold</b>", "👩‍🔬", "&amp;"), ("“quoted”", "\\n", '"', "%{z}")),
        Pair(("שלום",), ("爱", "PAD", "#7", "{}")),
    )
)
TRAINING = TrainConfig(steps=7, lr=0.002, schedule="paper", lone_heads=0.0, seed=4)


def small(task: Task = OWN, **more: Any) -> Checkpoint:
    config = config_for(task, d_model=4, n_heads=2, n_layers=1, dropout=0.1)
    model = Transformer(replace(config, **more), seed=3)
    return Checkpoint(task=task, model=model, training=TRAINING, steps=5, accuracy=0.25)


SMALL = save(small())


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """The header, what it says about the model, and the numbers."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    return header, json.loads(header["__metadata__"]["about"]), content[8 + size :]


def packed(header: object, numbers: bytes = b"") -> bytes:
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(data).to_bytes(8, "little") + data + numbers


def edited(change: Callable[[dict[str, Any]], object], content: bytes = SMALL) -> bytes:
    """The file with another description of its model."""
    header, about, numbers = parts(content)
    change(about)
    header["__metadata__"]["about"] = json.dumps(about)
    return packed(header, numbers)


def refused(content: bytes) -> str:
    with pytest.raises(CheckpointError) as error:
        load(content)
    message = str(error.value)
    assert message[0].isupper()
    assert 20 < len(message) < 400
    return message


class TestRoundTrip:
    @pytest.mark.parametrize("task", [*TASKS.values(), OWN], ids=lambda task: task.name)
    def test_everything_comes_back_exactly(self, task: Task) -> None:
        given = small(task, norm_first=True)
        found = load(save(given))
        assert found.task == given.task
        assert found.model.config == given.model.config
        assert (found.training, found.steps, found.accuracy) == (TRAINING, 5, 0.25)
        old, new = given.model.state_dict(), found.model.state_dict()
        assert old.keys() == new.keys()
        assert all(torch.equal(old[name], new[name]) for name in old)

    @given(
        st.lists(
            st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1),
            min_size=1,
            max_size=4,
        )
    )
    def test_any_words_come_back(self, sentences: list[list[str]]) -> None:
        own = Memorise(tuple(Pair(tuple(words[:128]), ("x",)) for words in sentences))
        assert load(save(small(own))).task == own

    def test_another_length_comes_back(self) -> None:
        assert load(save(small(replace(REVERSE, longest=128)))).task == replace(
            REVERSE, longest=128
        )

    def test_two_that_were_loaded_share_nothing(self) -> None:
        """The weights are the checkpoint's own, not a view of the bytes that were read."""
        one, other = load(SMALL), load(SMALL)
        with torch.no_grad():
            for parameter in one.model.parameters():
                parameter.zero_()
        assert parts(save(other))[1:] == parts(SMALL)[1:]


class TestRefused:
    @given(st.binary(max_size=300))
    def test_any_bytes(self, content: bytes) -> None:
        refused(content)

    @given(st.binary(max_size=40), st.integers(0, 60))
    def test_a_header_of_any_bytes(self, header: bytes, more: int) -> None:
        refused(packed(header, bytes(more)))

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=8,
        )
    )
    def test_a_header_of_any_json(self, header: object) -> None:
        refused(packed(header))
        refused(packed({"__metadata__": header}))
        about = {"format": "transformer-explorer 1", "about": header}
        refused(packed({"__metadata__": about}))
        refused(packed({"__metadata__": about | {"about": json.dumps(header)}}))

    @given(st.integers(0, len(SMALL) - 1))
    def test_a_file_that_is_cut_off(self, length: int) -> None:
        refused(SMALL[:length])

    @given(st.binary(min_size=1, max_size=9))
    def test_a_file_with_more_at_its_end(self, more: bytes) -> None:
        refused(SMALL + more)

    @given(st.data())
    def test_flipped_bits_are_refused_or_make_other_numbers(self, data: st.DataObject) -> None:
        """Never another exception."""
        header_ends = 8 + int.from_bytes(SMALL[:8], "little")
        places = st.integers(0, header_ends - 1) | st.integers(0, len(SMALL) - 1)
        content = bytearray(SMALL)
        for place in data.draw(st.lists(places, min_size=1, max_size=3)):
            content[place] ^= data.draw(st.integers(1, 255))
        try:
            found = load(bytes(content))
        except CheckpointError:
            return
        found.model(torch.tensor([[4, 5, 6]]), torch.tensor([[1, 4]]))
        assert 0.0 <= found.accuracy <= 1.0
        save(found)

    @pytest.mark.parametrize("size", [2**20 + 1, 2**31, 2**63, 2**64 - 1])
    def test_a_header_that_claims_to_be_huge(self, size: int) -> None:
        assert "not a safetensors file" in refused(size.to_bytes(8, "little") + SMALL[8:])

    def test_a_header_that_is_huge(self) -> None:
        header, _, numbers = parts(SMALL)
        data = json.dumps(header).encode()
        assert load(packed(data + b" " * 2**10, numbers))
        assert "not a safetensors file" in refused(packed(data + b" " * 2**20, numbers))

    def test_a_file_that_is_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checkpoints, "LARGEST", 2**20)
        assert "up to 1 MB, but this one has 3 MB" in refused(bytes(3 * 2**20))

    @pytest.mark.parametrize("nesting", [b"[", b'{"a":'])
    def test_a_header_nested_too_deeply(self, nesting: bytes) -> None:
        refused(packed(nesting * 100_000))
        header, _, numbers = parts(SMALL)
        header["__metadata__"]["about"] = nesting.decode() * 100_000
        refused(packed(header, numbers))

    def test_foreign_weights(self) -> None:
        weights = load(SMALL).model.state_dict()
        for metadata in (None, {}, {"format": "pt"}, {"format": "transformer-explorer 0"}):
            foreign = safetensors.torch.save(weights, metadata)
            assert "was not saved by this explorer" in refused(foreign)

    def test_a_pickle_does_not_run(self, tmp_path: Path) -> None:
        class Trap:
            def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
                return Path.touch, (tmp_path / "ran",)

        zipped = io.BytesIO()
        torch.save(Trap(), zipped)
        for content in (pickle.dumps(Trap()), zipped.getvalue()):
            refused(content)
            refused(packed(content))
            assert not (tmp_path / "ran").exists()
        pickle.loads(pickle.dumps(Trap()))
        assert (tmp_path / "ran").exists()  # the trap would have worked

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("d_model", 10**9),
            ("d_ff", 10**9),
            ("n_encoder_layers", 10**9),
            ("n_decoder_layers", 10**9),
            ("n_decoder_layers", 300),
            ("n_encoder_layers", 2),
        ],
    )
    def test_a_model_larger_than_the_file_is_never_built(
        self, name: str, value: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(checkpoints, "Transformer", None)
        message = refused(edited(lambda about: about["config"].update({name: value})))
        assert "does not hold as many weights" in message

    def test_many_tiny_layers_are_not_built_for_one_large_tensor(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(checkpoints, "Transformer", None)
        header, about, _ = parts(SMALL)
        about["config"] |= {"d_model": 1, "n_heads": 1, "d_ff": 1, "n_encoder_layers": 10**5}
        size = 4 * ModelConfig(**about["config"]).n_weights
        header = {
            "__metadata__": header["__metadata__"] | {"about": json.dumps(about)},
            "all": {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]},
        }
        assert "does not hold as many weights" in refused(packed(header, bytes(size)))

    ODD: tuple[Any, ...] = (
        "x", "", None, [], {}, [1], True, -1, 10**400, math.inf, -math.inf, math.nan, 0.5, "7",
    )  # fmt: skip

    @pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:8])
    @pytest.mark.parametrize("name", ["d_model", "n_heads", "n_decoder_layers", "src_vocab_size"])
    def test_a_size_that_is_no_such_number(self, name: str, value: object) -> None:
        refused(edited(lambda about: about["config"].update({name: value})))

    @pytest.mark.parametrize(
        ("section", "name", "value"),
        [
            ("config", "d_model", 4.0),
            ("config", "n_heads", 1.0),
            ("config", "norm_first", 0),
            ("config", "norm_first", "no"),
            ("config", "dropout", 1.0),
            ("config", "dropout", math.nan),
            ("config", "max_len", 128),
            ("config", "max_len", 10**400),
            ("config", "max_len", math.inf),
            ("config", "src_pad_id", 1),
            ("config", "tgt_pad_id", 3),
            ("config", "colour", "red"),
            ("training", "steps", 7.5),
            ("training", "steps", 0),
            ("training", "steps", 10**400),
            ("training", "lr", math.nan),
            ("training", "lr", "fast"),
            ("training", "clip", math.nan),
            ("training", "schedule", "never"),
            ("training", "schedule", ["constant"]),
            ("training", "seed", None),
            ("training", "batch_size", math.inf),
        ],
    )
    def test_settings_of_another_kind(self, section: str, name: str, value: object) -> None:
        message = refused(edited(lambda about: about[section].update({name: value})))
        assert "description of the model cannot be used" in message
        assert name in message or "must read" in message

    @pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:8])
    @pytest.mark.parametrize("name", ["task", "config", "training", "pairs"])
    def test_sections_of_another_kind(self, name: str, value: object) -> None:
        if (name, value) == ("training", {}):
            value = {"steps": {}}
        refused(edited(lambda about: about.update({name: value})))

    @pytest.mark.parametrize("name", ["task", "config", "training", "pairs", "steps", "accuracy"])
    def test_sections_that_are_missing(self, name: str) -> None:
        assert name in refused(edited(lambda about: about.pop(name)))

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("steps", -1),
            ("steps", math.inf),
            ("steps", 10**400),
            ("steps", "many"),
            ("steps", None),
            ("accuracy", math.nan),
            ("accuracy", 1.01),
            ("accuracy", -0.1),
            ("accuracy", 10**400),
            ("accuracy", []),
        ],
    )
    def test_the_accuracy_must_be_possible(self, name: str, value: object) -> None:
        refused(edited(lambda about: about.update({name: value})))

    @pytest.mark.parametrize("longest", [0, -1, 129, math.inf, math.nan, None, "x", [], 10**400])
    def test_sentences_of_a_length_that_no_model_reads(self, longest: object) -> None:
        refused(edited(lambda about: about.update(longest=longest), save(small(COPY))))

    @pytest.mark.parametrize(
        "pairs",
        [
            [["ab", "cd"]],
            [[["a"], ["b"], ["c"]]],
            [[["a"]]],
            [[[1], [2]]],
            [[{"a": 1}, ["b"]]],
            [[["\ud800"], ["b"]]],  # half a character
            [[None, ["b"]]],
            "pairs",
        ],
    )
    def test_pairs_that_are_none(self, pairs: object) -> None:
        refused(edited(lambda about: about.update(pairs=pairs)))
        with pytest.raises((TypeError, ValueError)):
            described_task({"task": "pairs", "pairs": pairs})

    def test_a_long_name_makes_no_long_message(self) -> None:
        refused(edited(lambda about: about.update(task="x" * 10_000)))

    def test_another_tasks_vocabulary(self) -> None:
        message = refused(edited(lambda about: about.update(task="numbers")))
        assert "vocabularies of 30 and 34 ids" in message  # pieces and words, and 4 special tokens
        one_pair = [[["a"], ["b"]]]
        assert "of 5 and 5 ids" in refused(edited(lambda about: about.update(pairs=one_pair)))

    def save_with(self, change: Callable[[dict[str, torch.Tensor]], object]) -> bytes:
        weights = dict(load(SMALL).model.state_dict())
        change(weights)
        return safetensors.torch.save(weights, parts(SMALL)[0]["__metadata__"])

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_numbers_that_are_not_finite(self, value: float) -> None:
        def spoil(weights: dict[str, torch.Tensor]) -> None:
            weights["encoder.0.attention.w_o.weight"][2, 1] = value

        assert "must be finite" in refused(self.save_with(spoil))

    @pytest.mark.parametrize("value", [3e38, -3e38, 1e20, 10_001.0])
    def test_numbers_that_no_training_reaches(self, value: float) -> None:
        def spoil(weights: dict[str, torch.Tensor]) -> None:
            weights["encoder.0.attention.w_o.weight"][2, 1] = value

        assert "must lie between −10,000 and 10,000" in refused(self.save_with(spoil))

    @pytest.mark.parametrize("value", [1e4, 1e-45])
    def test_whatever_is_accepted_is_shown_in_finite_numbers_or_not_at_all(
        self, value: float
    ) -> None:
        """In all weights, in each kind of them, and in a single one."""
        names = list(load(SMALL).model.state_dict())
        for spoilt in (names, *([name] for name in names)):

            def spoil(weights: dict[str, torch.Tensor], spoilt: list[str] = spoilt) -> None:
                for name in spoilt:
                    weights[name][...] = value

            found = load(self.save_with(spoil))
            batch = Batch.from_text(["a b c", "d"], ["c b a", "d"], vocab_size=5)
            try:
                trace = forward(found.model, batch)
                answers = write(found.model, batch.src, limit=4)
            except FloatingPointError:
                continue
            for layer in trace.encoder + trace.decoder:
                for numbers in (layer.out, layer.attention.weights, layer.attention.scores):
                    assert numbers.isfinite().all()
            assert trace.logits.isfinite().all()
            assert all(math.isfinite(share) for one in answers for share in one.probabilities)

    @pytest.mark.parametrize(
        "dtype",
        [torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.bool,
         torch.complex64, torch.float8_e5m2],
    )  # fmt: skip
    @pytest.mark.parametrize("every", [True, False], ids=["every tensor", "one tensor"])
    def test_numbers_of_another_type(self, dtype: torch.dtype, every: bool) -> None:
        def spoil(weights: dict[str, torch.Tensor]) -> None:
            for name in list(weights) if every else ["to_logits.bias"]:
                weights[name] = weights[name].to(dtype)

        refused(self.save_with(spoil))

    @pytest.mark.parametrize("dtype", ["F8_E8M0", "F4", "F6_E2M3", "nonsense", "", None, 32])
    def test_types_that_torch_does_not_know(self, dtype: object) -> None:
        header, _, numbers = parts(SMALL)
        name = max(header, key=lambda name: header[name].get("data_offsets", [0, -1])[1])
        begin, end = header[name]["data_offsets"]
        header[name] |= {"dtype": dtype, "data_offsets": [begin, begin + (end - begin) // 4]}
        refused(packed(header, numbers[: begin + (end - begin) // 4]))

    def test_missing_foreign_and_misshapen_tensors(self) -> None:
        name = "decoder.0.cross.w_qkv.weight"
        for change in (
            lambda weights: weights.pop(name),
            lambda weights: weights.update(more=torch.zeros(3)),
            lambda weights: weights.update({name: weights[name].T.contiguous()}),
            lambda weights: weights.update({name: weights[name].flatten()}),
            lambda weights: weights.update({name + "s": weights.pop(name)}),
            lambda weights: weights.clear(),
        ):
            message = refused(self.save_with(change))
            assert "do not fit the model" in message or "not hold as many" in message
