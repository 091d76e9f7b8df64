"""Greedy answers by the settings of a model's files, id for id as `generate` of `transformers`.

The weights are random: what counts is which settings count, and that each does the same.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer import explore, load
from explorer.decoding import beam, best, greedy, root, sample, words, write
from explorer.forward import encode
from explorer.names import Manner
from explorer.runtime.writer import Wanted, _written
from explorer.transformer import Transformer
from explorer.weights.huggingface.description import describe
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.known import ModelFolder
from explorer.weights.huggingface.model import read_model

VOCAB = 40
SRC = [5, 9, 12, 7, 12, 7, 2]
BART = {
    "vocab_size": VOCAB, "d_model": 16, "max_position_embeddings": 40,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_layers": 1,
    "decoder_layers": 1, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
}  # fmt: skip
T5 = {"vocab_size": VOCAB, "d_model": 16, "d_kv": 8, "num_heads": 2, "num_layers": 1, "d_ff": 24}
GPT2 = {"vocab_size": VOCAB, "n_embd": 16, "n_head": 2, "n_layer": 1, "n_positions": 40}
LIMIT = 9
# The class, the seed of a model that writes several words, one twice, and does not end; the shape;
# the special ids that either file may give.
FAMILIES: Mapping[str, tuple[str, int, dict[str, Any], dict[str, Any]]] = {
    "marian": (
        "MarianMTModel", 6, BART | {"activation_function": "swish"},
        {"pad_token_id": 39, "decoder_start_token_id": 39, "eos_token_id": 0},
    ),
    "bart": (
        "BartForConditionalGeneration", 3, BART,
        {"pad_token_id": 1, "bos_token_id": 0, "decoder_start_token_id": 2, "eos_token_id": 2},
    ),
    "mbart": (  # its decoder begins with BOS where no file says otherwise
        "MBartForConditionalGeneration", 26, BART,
        {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2},
    ),
    "t5": (
        "T5ForConditionalGeneration", 9, T5,
        {"pad_token_id": 0, "decoder_start_token_id": 0, "eos_token_id": 1},
    ),
    "mt5": (
        "MT5ForConditionalGeneration", 4, T5,
        {"pad_token_id": 0, "decoder_start_token_id": 3, "eos_token_id": 1},
    ),
    "gpt2": ("GPT2LMHeadModel", 6, GPT2, {"bos_token_id": 4, "eos_token_id": 4}),
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """One model in both engines, and what it writes by itself."""

    folder: Path
    theirs: Any
    ours: Transformer
    config: dict[str, Any]
    ids: dict[str, Any]
    free: list[int]  # what it writes when no setting keeps it from doing so

    @property
    def alone(self) -> bool:
        """Whether it is a decoder alone."""
        return not self.ours.config.has_encoder

    def generated(self, source: Sequence[int] = SRC) -> list[int]:
        """What `generate` writes by the files as they are now."""
        model = self.theirs.from_pretrained(self.folder).eval()
        src = torch.tensor([source])
        how = model.generation_config
        own_length = how.max_length is not None or how.max_new_tokens is not None
        length = {} if own_length else {"max_new_tokens": LIMIT}
        with torch.inference_mode():
            found = model.generate(
                src, attention_mask=torch.ones_like(src), num_beams=1, do_sample=False, **length
            )
        ids: list[int] = found[0, len(source) if self.alone else 1 :].tolist()
        return ids


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    transformers = pytest.importorskip("transformers")
    name, seed, shape, ids = FAMILIES[request.param]
    theirs, folder = getattr(transformers, name), tmp_path_factory.mktemp(request.param)
    torch.manual_seed(seed)
    model = theirs(theirs.config_class(**shape, **ids, forced_eos_token_id=None)).eval()
    for weights in model.parameters():  # so that words differ, and repeat themselves later
        if weights.ndim > 1:
            torch.nn.init.normal_(weights, std=0.4)
    model.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    config = {key: value for key, value in config.items() if key not in ids}
    config.pop("forced_eos_token_id", None)
    ours, _ = read_model(folder)
    found = Made(folder, theirs, ours, config, ids, [])
    place(found, ids, {})
    return replace(found, free=found.generated())


# One that reads and writes, and a decoder alone; the whole table is long.
OFTEN = ("bart", "gpt2")
WHOLE = [pytest.param(name, marks=() if name in OFTEN else pytest.mark.all) for name in FAMILIES]
EVERY = pytest.mark.parametrize("made", WHOLE, indirect=True, scope="module")


def place(made: Made, generation: dict[str, Any] | None, config: dict[str, Any]) -> None:
    """Write both files; without `generation` there is only config.json."""
    (made.folder / "config.json").write_text(json.dumps(made.config | made.ids | config))
    file = made.folder / "generation_config.json"
    file.unlink(missing_ok=True)
    if generation is not None:
        file.write_text(json.dumps(generation))


def written(made: Made, draft: Sequence[int], *, every_way: bool = False) -> list[list[int]]:
    """What the explorer writes by the files as they are now: faster, and in every other way."""
    specials = ModelFolder(made.folder).tokenizer.batch(["1"], ["1"]).specials
    src = torch.tensor([[] if made.alone else SRC]).long()
    how: dict[str, Any] = {"specials": specials, "limit": LIMIT}
    how["begin"] = tuple(SRC) if made.alone else ()
    (drafted,) = write(made.ours, src, draft=draft, cached=True, **how)
    found = [list(drafted.ids)]
    if every_way:
        (plain,) = write(made.ours, src, **how)
        drawn = sample(made.ours, src, torch.Generator(), top_k=1, **how)
        nodes = [
            root(specials),
            *(one for step in beam(made.ours, src, width=1, **how) for one in step),
        ]
        found += [
            list(plain.ids),
            [step.chosen for step in greedy(made.ours, src, **how)],
            [step.chosen for step in drawn],
            list(words(nodes, best(nodes))[1:]),
        ]
    return found


Free = list[int]
# Settings, by what a model writes without them.
RULES: Mapping[str, Callable[[Free], dict[str, Any]]] = {
    "several ends": lambda free: {"eos_token_id": [30, free[2]]},
    "the start": lambda free: {"decoder_start_token_id": 7, "bos_token_id": 8},
    "the start by BOS": lambda free: {"decoder_start_token_id": None, "bos_token_id": 6},
    "no end": lambda free: {"eos_token_id": None},
    "forced first": lambda free: {"forced_bos_token_id": 33},
    "forced last": lambda free: {"forced_eos_token_id": [31, 32], "max_length": len(SRC) + 2},
    "forced last of the new": lambda free: {"forced_eos_token_id": 31, "max_new_tokens": 3},
    "cut off": lambda free: {"max_length": len(SRC) + 2},
    "bad words": lambda free: {"bad_words_ids": [[free[0]], [free[2]], [9]]},
    "bad words of which one is an end": lambda free: {
        "bad_words_ids": [[free[0]], [free[1]]], "eos_token_id": [free[0], 1],
    },
    "not too short": lambda free: {"min_length": 6, "eos_token_id": [free[0], free[1]]},
    "no word twice": lambda free: {"no_repeat_ngram_size": 1},
    "no two words twice": lambda free: {"no_repeat_ngram_size": 2},
    "a penalty for repetition": lambda free: {"repetition_penalty": 2.5},
    "a bonus for repetition": lambda free: {"repetition_penalty": 0.6},
    "all at once": lambda free: {
        "forced_bos_token_id": 33, "no_repeat_ngram_size": 2, "repetition_penalty": 1.3,
        "min_length": 5, "bad_words_ids": [[free[0]], [17]],
    },
}  # fmt: skip


# These change an answer of some models only; what comes first is forced after BOS alone.
NOT_ALWAYS = {"the start", "the start by BOS", "no end", "a bonus for repetition", "forced first"}


@pytest.mark.parametrize("rule", RULES)
@EVERY
def test_each_rule(made: Made, rule: str) -> None:
    free = made.free
    settings = made.ids | RULES[rule](free)
    place(
        made,
        {name: value for name, value in settings.items() if value is not None},
        {"eos_token_id": free[2]},
    )
    expected = made.generated()
    assert expected != free or rule in NOT_ALWAYS
    wrong = [*expected[:2], 30, *expected[2:]]
    assert written(made, wrong) == [expected]


@pytest.mark.parametrize("files", ["generation", "config", "both", "neither"])
@EVERY
def test_which_file_counts(made: Made, files: str) -> None:
    """generation_config.json where there is one, whatever config.json says."""
    free = made.free
    one = {
        "forced_bos_token_id": 33, "no_repeat_ngram_size": 1, "eos_token_id": [30, free[5]],
        "repetition_penalty": 1.2, "bad_words_ids": [[free[0]], [17]],
    }  # fmt: skip
    other = {"forced_bos_token_id": 31, "min_length": 4, "eos_token_id": [free[1], 29]}
    generation, config = {
        "generation": (made.ids | one, {}),
        "config": (None, one),
        "both": (made.ids | one, other),
        "neither": (made.ids, other),
    }[files]
    place(made, generation, config)
    expected = made.generated()
    assert (expected == free) == (files == "neither")
    assert written(made, free, every_way=True) == [expected] * 5


@pytest.mark.parametrize("made", WHOLE[:-1], indirect=True, scope="module")
def test_rules_for_several_sources_at_once(made: Made) -> None:
    """Each has its own, and is answered as alone; the shorter ones are filled up with PAD."""
    more = {"eos_token_id": [made.free[1], made.free[3]]}
    place(made, made.ids | RULES["all at once"](made.free) | more, {})
    sources = [SRC, [12, 7, 2], [9, 5, 9, 5, 9, 12, 33, 2], [33, 2]]
    expected = [made.generated(source) for source in sources]
    assert len(set(map(tuple, expected))) > 1
    reads = ModelFolder(made.folder).tokenizer
    batch = reads.batch([" ".join(map(str, source)) for source in sources], [""] * 4)
    how: dict[str, Any] = {"specials": batch.specials, "limit": LIMIT}
    several = write(made.ours, batch.src, src_words=batch.src_words, **how)
    rows = [batch.source(row) for row in range(4)]
    asked = [Wanted(made.ours, row, partial(encode, made.ours, row), **how) for row in rows]
    for found in (several, _written(asked)):
        assert [list(answer.ids) for answer in found] == expected


@EVERY
def test_without_a_tokenizer_ids_are_read_and_written(made: Made) -> None:
    """A decoder alone reads source and target as one text, as with a tokenizer."""
    place(made, made.ids, {})
    found = load(made.folder)
    (answer,) = found.answers([" ".join(map(str, SRC))])
    assert list(answer.ids[:LIMIT]) == made.free
    seen = explore(" ".join(map(str, SRC[:4])), " ".join(map(str, SRC[4:])), model=found)
    if made.alone:
        src = torch.tensor([SRC])
        with torch.inference_mode():
            logits = made.theirs.from_pretrained(made.folder).eval()(src).logits
        assert seen.batch.tgt_in.tolist() == [SRC]
        torch.testing.assert_close(seen.trace.logits, logits)
    begun = explore(" ".join(map(str, SRC)), model=found)
    assert begun.batch.tgt_in[0, -len(answer.ids) :].tolist() == list(answer.ids)
    assert begun.decode().about.endswith(f"“{' '.join(map(str, answer.ids))}”")


def said(tmp_path: Path, **generation: Any) -> Manner:
    """How a model without weights writes by this generation_config.json."""
    config = {"model_type": "t5", "feed_forward_proj": "relu"} | T5 | FAMILIES["t5"][3]
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "generation_config.json").write_text(json.dumps(generation))
    reads = ModelFolder(tmp_path)
    vars(reads)["described"] = describe(tmp_path)
    return reads.tokenizer.batch(["1"], ["1"]).specials.manner


def test_what_is_followed_and_what_is_not_is_named(tmp_path: Path) -> None:
    """As `GenerationConfig` documents them: beams and sampling do not change greedy decoding."""
    harmless = {"num_beams": 1, "do_sample": False, "temperature": 0.7, "length_penalty": 2.0,
                "min_length": 0, "repetition_penalty": 1.0, "use_cache": True}  # fmt: skip
    assert said(tmp_path, **harmless) == Manner()
    found = said(
        tmp_path, eos_token_id=1, num_beams=4, length_penalty=2.0, do_sample=True, top_k=9,
        min_length=5, no_repeat_ngram_size=3, stop_strings=["x" * 99], suppress_tokens=[],
        begin_suppress_tokens=[3], bad_words_ids=[[7], [8, 9]],
    )  # fmt: skip
    bad = "bad_words_ids = [[7], [8, 9]]"
    assert found.followed == (bad, "no_repeat_ngram_size = 3", "min_length = 5")
    assert found.not_followed[:4] == (
        "num_beams = 4", "length_penalty = 2.0", "do_sample = True", "top_k = 9",
    )  # fmt: skip
    first = "begin_suppress_tokens = [3]"
    assert found.not_followed[4:] == (first, f"stop_strings = ['{'x' * 27}…", bad)


@pytest.mark.parametrize("rule", RULES)
def test_what_changes_an_answer_is_named(tmp_path: Path, rule: str) -> None:
    """The ids that begin and end it are seen in the answer itself."""
    settings = {"eos_token_id": 1} | RULES[rule](list(range(9, 18)))
    seen = {"eos_token_id", "decoder_start_token_id", "bos_token_id"}
    named = [setting.split(" = ")[0] for setting in said(tmp_path, **settings).followed]
    assert sorted(named) == sorted(settings.keys() - seen)


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_length": "5"}, {"max_length": -1}, {"no_repeat_ngram_size": 1.5},
        {"repetition_penalty": 0}, {"repetition_penalty": "1"}, {"repetition_penalty": 1e999},
    ],
)  # fmt: skip
def test_a_setting_of_another_kind_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(PretrainedError, match=f"{next(iter(wrong))} must be .*, got "):
        said(tmp_path, eos_token_id=1, **wrong)
