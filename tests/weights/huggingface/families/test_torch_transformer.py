"""Models around `torch.nn.Transformer` against the module itself: the same numbers."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_model
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor, nn

from explorer.names import SpecialIds
from explorer.transformer import Transformer
from explorer.weights.huggingface.description import describe
from explorer.weights.huggingface.files import PretrainedError
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.text.tokenizer import read_tokenizer
from tests.weights.huggingface.tiny_files import same_numbers, write, write_config

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")

TOLERANCE = 1e-4
PAD, BOS, EOS = 1, 2, 3
SHAPES: list[dict[str, Any]] = [
    {"d_model": 16, "nhead": 2, "num_encoder_layers": 1, "num_decoder_layers": 2,
     "dim_feedforward": 24},
    {"d_model": 24, "nhead": 3, "num_encoder_layers": 2, "num_decoder_layers": 1,
     "dim_feedforward": 40},
    {"d_model": 32, "nhead": 8, "num_encoder_layers": 3, "num_decoder_layers": 3,
     "dim_feedforward": 16},
]  # fmt: skip
SPECIALS = {"pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS}
SAID: dict[str, Any] = {  # the first shape, and nothing that may be left out but BOS and EOS
    "model_type": "torch.nn.Transformer", **SHAPES[0], "vocab_size": 60, "decoder_vocab_size": 50,
    **SPECIALS,
}  # fmt: skip
STACKS: list[dict[str, Any]] = [
    {},  # nn.Transformer's own: post-norm and ReLU
    {"norm_first": True},
    {"activation": "gelu"},
    {"norm_first": True, "activation": "gelu"},
]
OTHERS: list[dict[str, Any]] = [
    {"positions": "halves"},
    {"positions": "learned", "max_position_embeddings": 9},
    {"positions": "none"},
    {"scale_embedding": False},
    {"layer_norm_eps": 0.1},
    {"final_norm": False},
    {"norm_first": True, "final_norm": False},
]
SRC_EMBEDDING, TGT_EMBEDDING = "src_tok_emb.embedding.weight", "tgt_tok_emb.embedding.weight"
TABLE = "positional_encoding.pos_embedding"


class Embedding(nn.Module):
    def __init__(self, size: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size, d_model)


class Positions(nn.Module):
    """The tutorial's waves, of shape (rows, 1, d_model), or what others have in their place."""

    def __init__(self, kind: str, d_model: int) -> None:
        super().__init__()
        if kind == "learned":
            self.weight = nn.Parameter(torch.randn(9, d_model))
        elif kind != "none":
            table = waves(100, d_model)
            if kind == "halves":
                table = torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)
            self.register_buffer("pos_embedding", table[:, None])

    def forward(self, x: Tensor) -> Tensor:
        for table in (*self.parameters(), *self.buffers()):
            x = x + table.view(-1, 1, x.shape[-1])[: len(x)]
        return x


def waves(rows: int, d_model: int, kind: torch.dtype = torch.float32) -> Tensor:
    """As the tutorial computes them, in single precision."""
    slower = torch.exp(-torch.arange(0, d_model, 2, dtype=kind) * math.log(10000) / d_model)
    angle = torch.arange(rows, dtype=kind)[:, None] * slower
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class Translator(nn.Module):
    """The model of PyTorch's tutorial "Language translation with nn.Transformer".

    Sentences are columns: ids of shape (length, batch).
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        names = (*SHAPES[0], "activation", "norm_first", "layer_norm_eps")
        self.transformer = nn.Transformer(**{n: config[n] for n in names if n in config})
        if not config.get("final_norm", True):
            self.transformer.encoder.norm = self.transformer.decoder.norm = None
        d_model = config["d_model"]
        self.scale = math.sqrt(d_model) if config.get("scale_embedding", True) else 1.0
        self.src_tok_emb = Embedding(config["vocab_size"], d_model)
        self.tgt_tok_emb = Embedding(config["decoder_vocab_size"], d_model)
        self.positional_encoding = Positions(config.get("positions", "sinusoidal"), d_model)
        self.generator = nn.Linear(d_model, config["decoder_vocab_size"])

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Logits of shape (length, batch, vocabulary)."""
        future = torch.ones(len(tgt), len(tgt), dtype=torch.bool).triu(1)
        out = self.transformer(
            self.positional_encoding(self.src_tok_emb.embedding(src) * self.scale),
            self.positional_encoding(self.tgt_tok_emb.embedding(tgt) * self.scale),
            tgt_mask=future,
            src_key_padding_mask=(src == PAD).T,
            tgt_key_padding_mask=(tgt == PAD).T,
            memory_key_padding_mask=(src == PAD).T,
        )
        logits: Tensor = self.generator(out)
        return logits


def translator(config: Mapping[str, Any]) -> Translator:
    """Weights as the tutorial draws them, and noise, also where a new model has zeros and ones."""
    torch.manual_seed(config["d_model"])
    made = Translator(config).eval()
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.ndim > 1:
                nn.init.xavier_uniform_(parameter)
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return made


def made(folder: Path, config: Mapping[str, Any]) -> tuple[Translator, Transformer]:
    """A model, and ours from its files."""
    theirs = translator(config)
    ours = read_model(write(folder, theirs.state_dict(), config))[0]
    assert ours.config.n_weights == sum(weights.numel() for weights in ours.parameters())
    return theirs, ours


def ids(vocab_size: int, seed: int) -> Tensor:
    """Two sentences, the shorter one padded."""
    found = torch.randint(4, vocab_size, (2, 7), generator=torch.Generator().manual_seed(seed))
    found[:, 0] = BOS
    found[seed % 2, 5:] = PAD
    return found


def assert_same_numbers(theirs: Translator, ours: Transformer) -> None:
    """Memory and logits, over the rows that are no PAD."""
    src, tgt = ids(60, 5), ids(50, 6)
    memories: list[Tensor] = []
    hook = theirs.transformer.encoder.register_forward_hook(
        lambda _module, _in, out: memories.append(out.transpose(0, 1))
    )
    logits = theirs(src.T, tgt.T).transpose(0, 1)
    hook.remove()
    trace = ours(src, tgt, src_words=src != PAD, tgt_words=tgt != PAD)
    for found, wanted, real in (
        (trace.memory, memories[0], src != PAD),
        (trace.logits, logits, tgt != PAD),
    ):
        assert found.shape == wanted.shape
        torch.testing.assert_close(found[real], wanted[real], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize(
    "more",
    [*(SHAPES[n % 3] | stacks for n, stacks in enumerate(STACKS)), *OTHERS],
    ids=lambda more: "-".join(map(str, more.values())),
)
def test_the_same_numbers(tmp_path: Path, more: dict[str, Any]) -> None:
    assert_same_numbers(*made(tmp_path, SAID | more))


def test_settings_that_may_be_left_out(tmp_path: Path) -> None:
    optional = ("decoder_vocab_size", "bos_token_id", "eos_token_id")
    config = describe(
        write_config(tmp_path, {name: SAID[name] for name in SAID if name not in optional})
    ).config
    assert (config.src_vocab_size, config.tgt_vocab_size) == (60, 60)
    assert (config.src_pad_id, config.tgt_pad_id) == (PAD, PAD)
    assert (config.norm_first, config.final_norm, config.norm_eps) == (False, True, 1e-5)
    assert (config.activation, config.positions, config.max_len) == ("relu", "sinusoidal", 5000)
    assert config.scale_embedding
    assert not config.pad_by_id


class TestNames:
    @pytest.fixture
    def held(self) -> dict[str, Tensor]:
        return translator(SAID).state_dict()

    def test_the_stacks_may_stand_alone(self, tmp_path: Path, held: dict[str, Tensor]) -> None:
        plain = {name.removeprefix("transformer."): tensor for name, tensor in held.items()}
        assert plain.keys() != held.keys()
        assert same_numbers(
            write(tmp_path / "plain", plain, SAID), write(tmp_path / "all", held, SAID)
        )

    def test_names_of_your_own(self, tmp_path: Path, held: dict[str, Tensor]) -> None:
        config = SAID | {"positions": "learned", "max_position_embeddings": 9}
        held = translator(config).state_dict()
        usual = write(tmp_path / "usual", held, config)
        table = held.pop("positional_encoding.weight")
        own = {
            "src_embedding": ("transformer.source.weight", held.pop(SRC_EMBEDDING)),
            "tgt_embedding": ("target.weight", held.pop(TGT_EMBEDDING)),
            "src_positions": ("places", table),
            "tgt_positions": ("other_places", table.clone()),
            "output": ("fc_out.weight", held.pop("generator.weight")),
            "output_bias": ("fc_out.bias", held.pop("generator.bias")),
        }
        config["names"] = {word: name for word, (name, _) in own.items()}
        assert same_numbers(write(tmp_path / "own", held | dict(own.values()), config), usual)

    @pytest.mark.parametrize(
        "prefix",
        ["module.", "_orig_mod.module.", "net.core."],
    )
    def test_the_prefix_of_a_training(
        self, tmp_path: Path, held: dict[str, Tensor], prefix: str
    ) -> None:
        """Also where the stacks alone are compiled, and names of one's own have it or not."""
        usual = write(tmp_path / "usual", held, SAID)
        longer = {f"{prefix}{name}": tensor for name, tensor in held.items()}
        assert same_numbers(write(tmp_path / "all", longer, SAID), usual)
        inner = {n.replace("former.", "former._orig_mod."): t for n, t in longer.items()}
        matrix = inner.pop(f"{prefix}generator.weight")
        for name in ("loss.weight", f"{prefix}fc.weight"):
            config = SAID | {"names": {"output": name}}
            assert same_numbers(write(tmp_path / name, inner | {name: matrix}, config), usual)

    def test_tied_by_save_model(self, tmp_path: Path) -> None:
        """Which keeps one of two names, and notes the other."""
        theirs = translator(SAID)
        theirs.generator.weight = theirs.tgt_tok_emb.embedding.weight
        save_model(theirs, str(write_config(tmp_path, SAID) / "model.safetensors"))
        assert_same_numbers(theirs, read_model(tmp_path)[0])

    def test_one_matrix_for_all(self, tmp_path: Path) -> None:
        config = SAID | {"decoder_vocab_size": 60}
        theirs = translator(config)
        matrix = theirs.src_tok_emb.embedding.weight
        theirs.tgt_tok_emb.embedding.weight = theirs.generator.weight = matrix
        held = dict(theirs.state_dict())
        del held[TGT_EMBEDDING], held["generator.weight"]
        names = dict.fromkeys(("tgt_embedding", "output"), SRC_EMBEDDING)
        ours = read_model(write(tmp_path, held, config | {"names": names}))[0]
        assert_same_numbers(theirs, ours)


class TestRefused:
    def refused(self, folder: Path, config: Mapping[str, Any] = SAID, **changes: Any) -> str:
        """The message, with some tensors changed or, if None, left out."""
        held = {**translator(SAID).state_dict(), **changes}
        return refused(write(folder, {n: t for n, t in held.items() if t is not None}, config))

    def test_a_norm_that_config_leaves_out(self, tmp_path: Path) -> None:
        message = self.refused(tmp_path, SAID | {"final_norm": False})
        assert "hold transformer.decoder.norm.bias, transformer.decoder.norm.weight, " in message
        assert "and 1 more, which torch.nn.Transformer does not have" in message

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"nhead": 3}, "d_model must be divisible by n_heads, got d_model=16, n_heads=3"),
            ({"nhead": 2.0}, "nhead in config.json must be a whole number"),
            ({"num_encoder_layers": 0}, "num_encoder_layers in config.json must be a whole number"),
            ({"dim_feedforward": "24"}, "dim_feedforward in config.json must be a whole number"),
            ({"norm_first": 1}, "norm_first in config.json must be true or false"),
            ({"final_norm": "no"}, "final_norm in config.json must be true or false"),
            ({"activation": "elu"}, "the activation must be one of relu, gelu"),
            ({"positions": ["none"]}, "positions in config.json must be a name"),
            ({"positions": "rotary"}, "one of sinusoidal, halves, learned, none, got 'rotary'"),
            ({"bias": False}, "bias must be True, got False"),
            ({"pad_token_id": 50}, "must be an id of the vocabulary, 0 to 49"),
        ],
        ids=str,
    )
    def test_config(self, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
        assert message in refused(write_config(tmp_path, SAID, **changes))


class TestText:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """A model with words, each sentence in a frame of BOS and EOS."""
        words = ["<unk>", "<pad>", "<bos>", "<eos>", "ein", "haus", *map(str, range(44))]
        known = Tokenizer(models.WordLevel({w: n for n, w in enumerate(words)}, unk_token=words[0]))
        known.add_special_tokens(words[:4])
        known.pre_tokenizer = pre_tokenizers.Whitespace()
        known.post_processor = processors.TemplateProcessing(
            single="<bos> $A <eos>", special_tokens=[("<bos>", BOS), ("<eos>", EOS)]
        )
        config = SAID | {"vocab_size": 50}
        write(tmp_path, translator(config).state_dict(), config)
        known.save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    def test_the_decoder_begins_with_bos_once(self, folder: Path) -> None:
        tokenizer = read_tokenizer(folder, SAID | {"vocab_size": 50})
        assert tokenizer is not None
        batch = tokenizer.batch(["ein haus"], ["haus"])
        assert batch.src.tolist() == [[BOS, 4, 5, EOS]]
        assert batch.tgt.tolist() == [[BOS, 5, EOS]]
        specials = replace(batch.specials, own_names=(), unwritten=None)
        assert specials == SpecialIds(pad=PAD, bos=BOS, eos=EOS, unk=0, unwritten=None)


def refused(folder: Path) -> str:
    with pytest.raises(PretrainedError) as error:
        read_model(folder)
    return str(error.value)
