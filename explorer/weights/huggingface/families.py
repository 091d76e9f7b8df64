"""The families of pretrained models: for each, its config and its tensors in the engine's words.

A tensor of the engine is one of the file, or several on top of each other.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from explorer.config import Activation, ModelConfig, Output

Said = Mapping[str, Any]  # the content of config.json


@dataclass(frozen=True, slots=True)
class Taken:
    """Where a tensor of the engine is in a model's files."""

    names: tuple[str, ...]  # stacked, if they are several; without the family's prefix
    transposed: bool = False  # GPT-2 keeps its matrices as [in, out]
    skip: int = 0  # rows at the beginning that the model never reads
    plus_first_of: str | None = None  # the first row of this table is added to every row
    flat: bool = False  # [1, n] in the file
    or_zeros: bool = False  # left out of some files


Tensors = Iterator[tuple[str, Taken]]


@dataclass(frozen=True, slots=True)
class Family:
    """What all models of a `model_type` share."""

    title: str
    config: Callable[[Said], ModelConfig]
    tensors: Callable[[ModelConfig], Tensors]
    prefix: str = ""  # before every name, in files that hold more than the stacks
    own_logits: str | None = None  # a matrix that only files of an untied model hold
    # Beginnings and ends of names that the engine does not need: copies of tied matrices, tables
    # that are computed, and heads for other purposes.
    unused: tuple[str, ...] = ()


class UnknownVariantError(ValueError):
    """A setting of config.json that the engine does not know."""


_ACTIVATIONS: Final[dict[str, Activation]] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


def _activation(name: str) -> Activation:
    if name not in _ACTIVATIONS:
        raise UnknownVariantError(
            f"the activation must be one of {', '.join(_ACTIVATIONS)}, got {name!r}"
        )
    return _ACTIVATIONS[name]


def _require(said: Said, name: str, wanted: Any) -> None:
    """Refuse another value than the usual one, which may be left out."""
    if (given := said.get(name, wanted)) != wanted:
        raise UnknownVariantError(f"{name} must be {wanted}, got {given!r}")


def _same(said: Said, *names: str) -> int:
    """A size that the engine has once, and the file for each stack."""
    sizes = {int(said[name]) for name in names}
    if len(sizes) > 1:
        raise UnknownVariantError(
            f"{' and '.join(names)} must be equal, got {', '.join(str(said[n]) for n in names)}"
        )
    return sizes.pop()


def _pair(ours: str, *theirs: str, transposed: bool = False, bias: bool = True) -> Tensors:
    """A weight and its bias."""
    yield f"{ours}.weight", Taken(tuple(f"{name}.weight" for name in theirs), transposed)
    if bias:
        yield f"{ours}.bias", Taken(tuple(f"{name}.bias" for name in theirs))


# Marian (opus-mt), BART and mBART


def _bart_config(said: Said, **variants: Any) -> ModelConfig:
    vocab = int(said["vocab_size"])
    shared = said.get("share_encoder_decoder_embeddings", True)
    if not said.get("tie_word_embeddings", True):
        raise UnknownVariantError("tie_word_embeddings must be true, got false")
    settings: dict[str, Any] = {
        "d_model": int(said["d_model"]),
        "n_heads": _same(said, "encoder_attention_heads", "decoder_attention_heads"),
        "n_encoder_layers": int(said["encoder_layers"]),
        "n_decoder_layers": int(said["decoder_layers"]),
        "d_ff": _same(said, "encoder_ffn_dim", "decoder_ffn_dim"),
        "max_len": int(said["max_position_embeddings"]),
        "src_vocab_size": vocab,
        "tgt_vocab_size": vocab if shared else int(said.get("decoder_vocab_size") or vocab),
        "src_pad_id": int(said["pad_token_id"]),
        "tgt_pad_id": int(said["pad_token_id"]),
        "activation": _activation(said["activation_function"]),
        "scale_embedding": bool(said.get("scale_embedding", False)),
        "tying": "all" if shared else "logits",
        "starts_with_pad": said.get("decoder_start_token_id") == said["pad_token_id"],
    }
    return ModelConfig(**settings | variants)


def _marian_config(said: Said) -> ModelConfig:
    return _bart_config(said, positions="halves")


def _bart_learned_config(said: Said) -> ModelConfig:
    return _bart_config(said, positions="learned", norm_embedding=True)


def _mbart_config(said: Said) -> ModelConfig:
    return _bart_config(said, positions="learned", norm_embedding=True, norm_first=True)


def _bart_tensors(config: ModelConfig) -> Tensors:
    sides = (("src", "encoder"), ("tgt", "decoder"))
    if config.tying == "all":
        yield "src_embedding.token.weight", Taken(("model.shared.weight",))
    for side, stack in sides:
        if config.tying != "all":
            yield f"{side}_embedding.token.weight", Taken((f"model.{stack}.embed_tokens.weight",))
        if config.positions == "learned":
            table = f"model.{stack}.embed_positions.weight"
            yield f"{side}_embedding.position.weight", Taken((table,), skip=2)
        if config.norm_embedding:
            yield from _pair(f"{side}_embedding.norm", f"model.{stack}.layernorm_embedding")
        if config.ends_with_norm:
            yield from _pair(f"{stack}_norm", f"model.{stack}.layer_norm")
        attentions = {"attention": "self_attn", "cross": "encoder_attn"}
        layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        for n in range(layers):
            ours, theirs = f"{stack}.{n}", f"model.{stack}.layers.{n}"
            for our_name, their_name in list(attentions.items())[: 1 + (stack == "decoder")]:
                at = f"{theirs}.{their_name}"
                yield from _pair(f"{ours}.{our_name}.w_qkv", *(f"{at}.{x}_proj" for x in "qkv"))
                yield from _pair(f"{ours}.{our_name}.w_o", f"{at}.out_proj")
                yield from _pair(f"{ours}.{our_name}_residual.norm", f"{at}_layer_norm")
            yield from _pair(f"{ours}.feed_forward.w_1", f"{theirs}.fc1")
            yield from _pair(f"{ours}.feed_forward.w_2", f"{theirs}.fc2")
            yield from _pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.final_layer_norm")
    yield "to_logits.bias", Taken(("final_logits_bias",), flat=True, or_zeros=True)


# T5, version 1.0 and 1.1, Flan-T5 and mT5


def _t5_config(said: Said) -> ModelConfig:
    _require(said, "relative_attention_num_buckets", 32)
    _require(said, "relative_attention_max_distance", 128)
    form, _, activation = said.get("feed_forward_proj", "relu").rpartition("-")
    if form not in ("", "gated"):
        raise UnknownVariantError(f"feed_forward_proj must be gated or not, got {form!r}")
    if form and activation == "gelu":  # how T5's authors compute it
        activation = "gelu_new"
    pad = int(said["pad_token_id"])
    return ModelConfig(
        d_model=int(said["d_model"]),
        n_heads=int(said["num_heads"]),
        n_encoder_layers=int(said["num_layers"]),
        n_decoder_layers=int(said.get("num_decoder_layers") or said["num_layers"]),
        d_ff=int(said["d_ff"]),
        src_vocab_size=int(said["vocab_size"]),
        tgt_vocab_size=int(said["vocab_size"]),
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=True,
        norm="rms",
        norm_eps=float(said.get("layer_norm_epsilon", 1e-6)),
        activation=_activation(activation),
        gated=bool(form),
        positions="t5",
        bias=False,
        logits_bias=False,
        d_kv=int(said["d_kv"]),
        scale_scores=False,
        scale_embedding=False,
        # Version 1.0 scales. Its files once said so by tying the logits to the embeddings.
        scale_logits=bool(said.get("scale_decoder_outputs", said.get("tie_word_embeddings", True))),
        tying="all",
        starts_with_pad=said.get("decoder_start_token_id", pad) == pad,
    )


def _mt5_config(said: Said) -> ModelConfig:
    return _t5_config({**said, "scale_decoder_outputs": False})


def _t5_tensors(config: ModelConfig) -> Tensors:
    yield "src_embedding.token.weight", Taken(("shared.weight",))
    if config.tying != "all":
        yield "to_logits.weight", Taken(("lm_head.weight",))
    for stack in ("encoder", "decoder"):
        first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        yield f"{stack}_bias.of_distance.weight", Taken((first,))
        yield f"{stack}_norm.weight", Taken((f"{stack}.final_layer_norm.weight",))
        parts = ["attention", "feed_forward"]
        if stack == "decoder":
            parts.insert(1, "cross")
        layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        for n in range(layers):
            for place, part in enumerate(parts):
                ours, theirs = f"{stack}.{n}.{part}", f"{stack}.block.{n}.layer.{place}"
                yield f"{ours}_residual.norm.weight", Taken((f"{theirs}.layer_norm.weight",))
                if part == "feed_forward":
                    dense = f"{theirs}.DenseReluDense"
                    names = {"w_0": "wi_0", "w_1": "wi_1"} if config.gated else {"w_1": "wi"}
                    for our_name, name in (names | {"w_2": "wo"}).items():
                        yield f"{ours}.{our_name}.weight", Taken((f"{dense}.{name}.weight",))
                else:
                    at = f"{theirs}.{'EncDecAttention' if part == 'cross' else 'SelfAttention'}"
                    qkv = tuple(f"{at}.{x}.weight" for x in "qkv")
                    yield f"{ours}.w_qkv.weight", Taken(qkv)
                    yield f"{ours}.w_o.weight", Taken((f"{at}.o.weight",))


# Encoders alone: BERT, MiniLM, RoBERTa and DistilBERT


def _output(said: Said) -> Output:
    made_for = " ".join(said.get("architectures") or [])
    return "masked" if "MaskedLM" in made_for or "PreTraining" in made_for else "nothing"


def _bert_config(said: Said, *, skipped: int = 0, **variants: Any) -> ModelConfig:
    _require(said, "position_embedding_type", "absolute")
    _require(said, "is_decoder", False)
    output = _output(said)
    tied = output == "masked" and said.get("tie_word_embeddings", True)
    settings: dict[str, Any] = {
        "d_model": int(said["hidden_size"]),
        "n_heads": int(said["num_attention_heads"]),
        "n_encoder_layers": int(said["num_hidden_layers"]),
        "n_decoder_layers": 0,
        "d_ff": int(said["intermediate_size"]),
        "max_len": int(said["max_position_embeddings"]) - skipped,
        "src_vocab_size": int(said["vocab_size"]),
        "src_pad_id": int(said.get("pad_token_id", 0)),
        "norm_eps": float(said.get("layer_norm_eps", 1e-12)),
        "norm_embedding": True,
        "activation": _activation(said.get("hidden_act", "gelu")),
        "positions": "learned",
        "scale_embedding": False,
        "output": output,
        "tying": "logits" if tied else "nothing",
    }
    return ModelConfig(**settings | variants)


def _roberta_config(said: Said) -> ModelConfig:
    return _bert_config(said, skipped=int(said.get("pad_token_id", 1)) + 1)


def _bert_tensors(config: ModelConfig, *, skip: int = 0) -> Tensors:
    yield "src_embedding.token.weight", Taken(("embeddings.word_embeddings.weight",))
    yield (
        "src_embedding.position.weight",
        Taken(
            ("embeddings.position_embeddings.weight",),
            skip=skip,
            # A lone sentence is of type 0: one more number for every position.
            plus_first_of="embeddings.token_type_embeddings.weight",
        ),
    )
    yield from _pair("src_embedding.norm", "embeddings.LayerNorm")
    for n in range(config.n_encoder_layers):
        ours, theirs = f"encoder.{n}", f"encoder.layer.{n}"
        at = f"{theirs}.attention.self"
        yield from _pair(
            f"{ours}.attention.w_qkv", *(f"{at}.{x}" for x in ("query", "key", "value"))
        )
        yield from _pair(f"{ours}.attention.w_o", f"{theirs}.attention.output.dense")
        yield from _pair(f"{ours}.attention_residual.norm", f"{theirs}.attention.output.LayerNorm")
        yield from _pair(f"{ours}.feed_forward.w_1", f"{theirs}.intermediate.dense")
        yield from _pair(f"{ours}.feed_forward.w_2", f"{theirs}.output.dense")
        yield from _pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.output.LayerNorm")
    if config.output == "masked":
        head = "cls.predictions"
        yield from _pair("masked_head.dense", f"{head}.transform.dense")
        yield from _pair("masked_head.norm", f"{head}.transform.LayerNorm")
        yield "to_logits.bias", Taken((f"{head}.bias",))
        if config.tying == "nothing":
            yield "to_logits.weight", Taken((f"{head}.decoder.weight",))


def _roberta_tensors(config: ModelConfig) -> Tensors:
    names = {
        "cls.predictions.transform.dense": "lm_head.dense",
        "cls.predictions.transform.LayerNorm": "lm_head.layer_norm",
        "cls.predictions.bias": "lm_head.bias",
        "cls.predictions.decoder": "lm_head.decoder",
    }
    for ours, taken in _bert_tensors(config, skip=config.src_pad_id + 1):
        name = taken.names[0]
        for theirs, new in names.items():
            name = name.replace(theirs, new)
        yield ours, Taken((name, *taken.names[1:]), skip=taken.skip,
                          plus_first_of=taken.plus_first_of)  # fmt: skip


def _distilbert_config(said: Said) -> ModelConfig:
    return _bert_config(
        {
            "hidden_size": said["dim"],
            "num_attention_heads": said["n_heads"],
            "num_hidden_layers": said["n_layers"],
            "intermediate_size": said["hidden_dim"],
            "hidden_act": said.get("activation", "gelu"),
            "layer_norm_eps": 1e-12,
            **{
                name: said[name]
                for name in (
                    "vocab_size", "max_position_embeddings", "pad_token_id", "architectures",
                    "tie_word_embeddings",
                )
                if name in said
            },
        }
    )  # fmt: skip


def _distilbert_tensors(config: ModelConfig) -> Tensors:
    yield "src_embedding.token.weight", Taken(("embeddings.word_embeddings.weight",))
    yield "src_embedding.position.weight", Taken(("embeddings.position_embeddings.weight",))
    yield from _pair("src_embedding.norm", "embeddings.LayerNorm")
    for n in range(config.n_encoder_layers):
        ours, theirs = f"encoder.{n}", f"transformer.layer.{n}"
        qkv = (f"{theirs}.attention.{x}_lin" for x in "qkv")
        yield from _pair(f"{ours}.attention.w_qkv", *qkv)
        yield from _pair(f"{ours}.attention.w_o", f"{theirs}.attention.out_lin")
        yield from _pair(f"{ours}.attention_residual.norm", f"{theirs}.sa_layer_norm")
        yield from _pair(f"{ours}.feed_forward.w_1", f"{theirs}.ffn.lin1")
        yield from _pair(f"{ours}.feed_forward.w_2", f"{theirs}.ffn.lin2")
        yield from _pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.output_layer_norm")
    if config.output == "masked":
        yield from _pair("masked_head.dense", "vocab_transform")
        yield from _pair("masked_head.norm", "vocab_layer_norm")
        yield "to_logits.bias", Taken(("vocab_projector.bias",))
        if config.tying == "nothing":
            yield "to_logits.weight", Taken(("vocab_projector.weight",))


# A decoder alone: GPT-2


def _gpt2_config(said: Said) -> ModelConfig:
    _require(said, "scale_attn_by_inverse_layer_idx", False)
    _require(said, "add_cross_attention", False)
    d_model = int(said["n_embd"])
    return ModelConfig(
        d_model=d_model,
        n_heads=int(said["n_head"]),
        n_encoder_layers=0,
        n_decoder_layers=int(said["n_layer"]),
        d_ff=int(said.get("n_inner") or 4 * d_model),
        max_len=int(said["n_positions"]),
        tgt_vocab_size=int(said["vocab_size"]),
        tgt_pad_id=int(said["eos_token_id"]),  # it has no PAD of its own
        norm_first=True,
        norm_eps=float(said.get("layer_norm_epsilon", 1e-5)),
        activation=_activation(said.get("activation_function", "gelu_new")),
        positions="learned",
        logits_bias=False,
        scale_scores=bool(said.get("scale_attn_weights", True)),
        scale_embedding=False,
        tying="logits" if said.get("tie_word_embeddings", True) else "nothing",
        starts_with_pad=True,
    )


def _gpt2_tensors(config: ModelConfig) -> Tensors:
    yield "tgt_embedding.token.weight", Taken(("wte.weight",))
    yield "tgt_embedding.position.weight", Taken(("wpe.weight",))
    yield from _pair("decoder_norm", "ln_f")
    if config.tying == "nothing":
        yield "to_logits.weight", Taken(("lm_head.weight",))
    for n in range(config.n_decoder_layers):
        ours, theirs = f"decoder.{n}", f"h.{n}"
        yield from _pair(f"{ours}.attention.w_qkv", f"{theirs}.attn.c_attn", transposed=True)
        yield from _pair(f"{ours}.attention.w_o", f"{theirs}.attn.c_proj", transposed=True)
        yield from _pair(f"{ours}.attention_residual.norm", f"{theirs}.ln_1")
        yield from _pair(f"{ours}.feed_forward.w_1", f"{theirs}.mlp.c_fc", transposed=True)
        yield from _pair(f"{ours}.feed_forward.w_2", f"{theirs}.mlp.c_proj", transposed=True)
        yield from _pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.ln_2")


_BART_UNUSED: Final = (
    "lm_head.weight",
    "model.encoder.embed_tokens.weight",
    "model.decoder.embed_tokens.weight",
)
_BERT_UNUSED: Final = ("embeddings.position_ids", "pooler.", "cls.", "lm_head.")
_FAMILIES: Final[Mapping[str, Family]] = {
    "marian": Family(
        "Marian",
        _marian_config,
        _bart_tensors,
        unused=(
            *_BART_UNUSED,
            "model.shared.weight",
            "model.encoder.embed_positions.weight",
            "model.decoder.embed_positions.weight",
        ),
    ),
    "bart": Family("BART", _bart_learned_config, _bart_tensors, unused=_BART_UNUSED),
    "mbart": Family("mBART", _mbart_config, _bart_tensors, unused=_BART_UNUSED),
    "t5": Family(
        "T5",
        _t5_config,
        _t5_tensors,
        own_logits="lm_head.weight",
        unused=(
            "encoder.embed_tokens.weight",
            "decoder.embed_tokens.weight",
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
        ),
    ),
    "bert": Family("BERT", _bert_config, _bert_tensors, prefix="bert.", unused=_BERT_UNUSED),
    "roberta": Family(
        "RoBERTa", _roberta_config, _roberta_tensors, prefix="roberta.", unused=_BERT_UNUSED
    ),
    "distilbert": Family(
        "DistilBERT",
        _distilbert_config,
        _distilbert_tensors,
        prefix="distilbert.",
        unused=("vocab_",),
    ),
    "gpt2": Family(
        "GPT-2",
        _gpt2_config,
        _gpt2_tensors,
        prefix="transformer.",
        unused=(
            "lm_head.weight",
            *(f"h.{n}.attn.{name}" for n in range(99) for name in ("bias", "masked_bias")),
        ),  # fmt: skip
    ),
}
FAMILIES: Final[Mapping[str, Family]] = {
    **_FAMILIES,
    "mt5": replace(_FAMILIES["t5"], title="mT5", config=_mt5_config),
}
