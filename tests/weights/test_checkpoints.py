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
from explorer.forward import forward
from explorer.tasks.tasks import COPY, REVERSE, TASKS, Memorise, Pair, Task
from explorer.text import Batch
from explorer.training.recipes import config_for
from explorer.transformer import Transformer
from explorer.weights import checkpoints
from explorer.weights.checkpoints import (
    Checkpoint,
    CheckpointError,
    load,
    save,
)
from tests.support.marks import rest

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
GONE = object()


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """The header, what it says about the model, and the numbers."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    return header, json.loads(header["__metadata__"]["about"]), content[8 + size :]


def packed(header: object, numbers: bytes = b"") -> bytes:
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(data).to_bytes(8, "little") + data + numbers


def with_value(content: bytes, place: str, value: object) -> bytes:
    """The file with another description of its model: a value in one of its sections, or gone."""
    header, about, numbers = parts(content)
    *section, name = place.split(".")
    inside = about[section[0]] if section else about
    inside[name] = value
    if value is GONE:
        del inside[name]
    header["__metadata__"]["about"] = json.dumps(about)
    return packed(header, numbers)


def refused(content: bytes) -> str:
    with pytest.raises(CheckpointError) as error:
        load(content)
    message = str(error.value)
    assert message[0].isupper()
    assert 20 < len(message) < 400
    return message


# What may stand in a file in place of a number, a name or a section; and what is no pair.
ODD: tuple[Any, ...] = (
    "x", "", None, [], {}, [1], True, -1, 10**400, math.inf, -math.inf, math.nan, 0.5, "7",
)  # fmt: skip
NO_PAIRS: tuple[Any, ...] = (
    [["ab", "cd"]], [[["a"], ["b"], ["c"]]], [[["a"]]], [[[1], [2]]], [[{"a": 1}, ["b"]]],
    [[["\ud800"], ["b"]]], [[None, ["b"]]], "pairs",
)  # fmt: skip
UNUSABLE = "description of the model cannot be used"
TOO_FEW = "does not hold as many weights"


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
    def test_a_file_that_is_cut_off_or_goes_on(self, length: int) -> None:
        refused(SMALL[:length])
        refused(SMALL + SMALL[:length] + b"x")

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

    def test_a_header_that_is_huge(self) -> None:
        header, _, numbers = parts(SMALL)
        data = json.dumps(header).encode()
        assert load(packed(data + b" " * 2**10, numbers))
        assert "not a safetensors file" in refused(packed(data + b" " * 2**20, numbers))
        assert "not a safetensors file" in refused((2**63).to_bytes(8, "little") + SMALL[8:])

    def test_a_file_that_is_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checkpoints, "LARGEST", 2**20)
        assert "up to 1 MB, and this one has 3 MB" in refused(bytes(3 * 2**20))

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

    @pytest.mark.parametrize(
        ("place", "values", "why"),
        [
            ("task", ODD, ""),
            ("task", ["x" * 10_000], ""),  # a long name makes no long message
            (
                "task",
                ["numbers"],
                "vocabularies of 30 and 34 ids",
            ),  # pieces, words, 4 special tokens
            ("task", [GONE], "task"),
            ("pairs", [*ODD, *NO_PAIRS, GONE], ""),
            ("pairs", [[[["a"], ["b"]]]], "of 5 and 5 ids"),
            ("config", ODD, ""),
            ("config", [GONE], "config"),
            ("config.d_model", [*ODD, 4.0], ""),
            ("config.n_heads", [*ODD, 1.0], ""),
            ("config.n_decoder_layers", ODD, ""),
            ("config.src_vocab_size", ODD, ""),
            ("config.d_model", [10**9], TOO_FEW),  # and is never built
            ("config.d_ff", [10**9], TOO_FEW),
            ("config.n_encoder_layers", [2, 10**9], TOO_FEW),
            ("config.n_decoder_layers", [300, 10**9], TOO_FEW),
            ("config.norm_first", [0, "no"], UNUSABLE),
            ("config.dropout", [1.0, math.nan], UNUSABLE),
            ("config.max_len", [128, 10**400, math.inf], UNUSABLE),
            ("config.src_pad_id", [1], UNUSABLE),
            ("config.tgt_pad_id", [3], UNUSABLE),
            ("config.colour", ["red"], UNUSABLE),
            ("training", [value for value in ODD if value != {}], ""),
            ("training", [GONE], "training"),
            ("training.steps", [7.5, 0, 10**400, {}], UNUSABLE),
            ("training.lr", [math.nan, "fast"], UNUSABLE),
            ("training.clip", [math.nan], UNUSABLE),
            ("training.schedule", ["never", ["constant"]], UNUSABLE),
            ("training.seed", [None], UNUSABLE),
            ("training.batch_size", [math.inf], UNUSABLE),
            ("steps", [-1, math.inf, 10**400, "many", None, GONE], ""),
            ("accuracy", [math.nan, 1.01, -0.1, 10**400, [], GONE], ""),
        ],
    )
    def test_another_description(
        self, place: str, values: list[Any], why: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(checkpoints, "Transformer", None)
        for value in values:
            assert why in refused(with_value(SMALL, place, value)), value

    def test_sentences_of_a_length_that_no_model_reads(self) -> None:
        lengths: list[Any] = [0, -1, 129, math.inf, math.nan, None, "x", [], 10**400]
        for longest in lengths:
            refused(with_value(save(small(COPY)), "longest", longest))

    def save_with(self, change: Callable[[dict[str, torch.Tensor]], object]) -> bytes:
        weights = dict(load(SMALL).model.state_dict())
        change(weights)
        return safetensors.torch.save(weights, parts(SMALL)[0]["__metadata__"])

    @pytest.mark.parametrize(
        ("value", "why"),
        [(math.nan, "must be finite"), (-math.inf, "must be finite")]
        + [(value, "must lie between −10,000 and 10,000") for value in (3e38, -1e20, 10_001.0)],
    )
    def test_numbers_that_no_training_reaches(self, value: float, why: str) -> None:
        def spoil(weights: dict[str, torch.Tensor]) -> None:
            weights["encoder.0.attention.w_o.weight"][2, 1] = value

        assert why in refused(self.save_with(spoil))

    @pytest.mark.parametrize("value", [1e4, *rest(1e-45)])
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

    def test_numbers_of_another_type(self) -> None:
        kinds = (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.bool)
        for dtype in (*kinds, torch.complex64, torch.float8_e5m2):
            for names in (list(load(SMALL).model.state_dict()), ["to_logits.bias"]):

                def spoil(
                    weights: dict[str, torch.Tensor],
                    names: list[str] = names,
                    dtype: torch.dtype = dtype,
                ) -> None:
                    weights.update({name: weights[name].to(dtype) for name in names})

                refused(self.save_with(spoil))

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
