"""Encoders alone: BERT, MiniLM, RoBERTa and DistilBERT."""

from dataclasses import replace
from typing import Any

from explorer.config import ModelConfig, Output
from explorer.weights.huggingface.families.family import (
    Said,
    Tensors,
    TensorSource,
    activation_of,
    pair,
    require,
)


def output_of(said: Said) -> Output:
    made_for = " ".join(said.get("architectures") or [])
    return "masked" if "MaskedLM" in made_for or "PreTraining" in made_for else "nothing"


def bert_config(said: Said, *, skipped: int = 0, **variants: Any) -> ModelConfig:
    require(said, "position_embedding_type", "absolute")
    require(said, "is_decoder", False)
    output = output_of(said)
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
        "activation": activation_of(said.get("hidden_act", "gelu")),
        "positions": "learned",
        "scale_embedding": False,
        "output": output,
        "tying": "logits" if tied else "nothing",
    }
    return ModelConfig(**settings | variants)


def roberta_config(said: Said) -> ModelConfig:
    return bert_config(said, skipped=int(said.get("pad_token_id", 1)) + 1)


def bert_tensors(config: ModelConfig, *, skip: int = 0) -> Tensors:
    yield "src_embedding.token.weight", TensorSource(("embeddings.word_embeddings.weight",))
    yield (
        "src_embedding.position.weight",
        TensorSource(
            ("embeddings.position_embeddings.weight",),
            skip=skip,
            # A lone sentence is of type 0: one more number for every position.
            plus_first_of="embeddings.token_type_embeddings.weight",
        ),
    )
    yield from pair("src_embedding.norm", "embeddings.LayerNorm")
    for n in range(config.n_encoder_layers):
        ours, theirs = f"encoder.{n}", f"encoder.layer.{n}"
        at = f"{theirs}.attention.self"
        yield from pair(
            f"{ours}.attention.w_qkv", *(f"{at}.{x}" for x in ("query", "key", "value"))
        )
        yield from pair(f"{ours}.attention.w_o", f"{theirs}.attention.output.dense")
        yield from pair(f"{ours}.attention_residual.norm", f"{theirs}.attention.output.LayerNorm")
        yield from pair(f"{ours}.feed_forward.w_1", f"{theirs}.intermediate.dense")
        yield from pair(f"{ours}.feed_forward.w_2", f"{theirs}.output.dense")
        yield from pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.output.LayerNorm")
    if config.output == "masked":
        head = "cls.predictions"
        yield from pair("masked_head.dense", f"{head}.transform.dense")
        yield from pair("masked_head.norm", f"{head}.transform.LayerNorm")
        yield "to_logits.bias", TensorSource((f"{head}.bias",))
        if config.tying == "nothing":
            yield "to_logits.weight", TensorSource((f"{head}.decoder.weight",))


def roberta_tensors(config: ModelConfig) -> Tensors:
    names = {
        "cls.predictions.transform.dense": "lm_head.dense",
        "cls.predictions.transform.LayerNorm": "lm_head.layer_norm",
        "cls.predictions.bias": "lm_head.bias",
        "cls.predictions.decoder": "lm_head.decoder",
    }
    for ours, taken in bert_tensors(config, skip=config.src_pad_id + 1):
        name = taken.names[0]
        for theirs, new in names.items():
            name = name.replace(theirs, new)
        yield ours, replace(taken, names=(name, *taken.names[1:]))


def distilbert_config(said: Said) -> ModelConfig:
    return bert_config(
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


def distilbert_tensors(config: ModelConfig) -> Tensors:
    yield "src_embedding.token.weight", TensorSource(("embeddings.word_embeddings.weight",))
    yield "src_embedding.position.weight", TensorSource(("embeddings.position_embeddings.weight",))
    yield from pair("src_embedding.norm", "embeddings.LayerNorm")
    for n in range(config.n_encoder_layers):
        ours, theirs = f"encoder.{n}", f"transformer.layer.{n}"
        qkv = (f"{theirs}.attention.{x}_lin" for x in "qkv")
        yield from pair(f"{ours}.attention.w_qkv", *qkv)
        yield from pair(f"{ours}.attention.w_o", f"{theirs}.attention.out_lin")
        yield from pair(f"{ours}.attention_residual.norm", f"{theirs}.sa_layer_norm")
        yield from pair(f"{ours}.feed_forward.w_1", f"{theirs}.ffn.lin1")
        yield from pair(f"{ours}.feed_forward.w_2", f"{theirs}.ffn.lin2")
        yield from pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.output_layer_norm")
    if config.output == "masked":
        yield from pair("masked_head.dense", "vocab_transform")
        yield from pair("masked_head.norm", "vocab_layer_norm")
        yield "to_logits.bias", TensorSource(("vocab_projector.bias",))
        if config.tying == "nothing":
            yield "to_logits.weight", TensorSource(("vocab_projector.weight",))
