"""Encoders alone: BERT, MiniLM, RoBERTa and DistilBERT."""

from collections.abc import Mapping
from typing import Any, Final

from explorer.config import ModelConfig, Output, Tying
from explorer.weights.huggingface.families.family import (
    HfConfig,
    Names,
    TensorSource,
    activation_of,
    require,
)

WORDS: Final = "embeddings.word_embeddings"


def output_of(hf_config: HfConfig) -> Output:
    """Where no class is named, the files say whether there is a head for masked words."""
    made_for = " ".join(hf_config.get("architectures") or ["MaskedLM"])
    return "masked" if "MaskedLM" in made_for or "PreTraining" in made_for else "nothing"


def tied(head: str) -> Mapping[Tying, tuple[tuple[str, ...], ...]]:
    """The names of tied tensors; the bias of the logits has two in any case."""
    biases = (f"{head}.bias", f"{head}.decoder.bias")
    words = (f"{WORDS}.weight", f"{head}.decoder.weight")
    return {"nothing": (biases,), "logits": (words, biases)}


def bert_config(hf_config: HfConfig, *, skipped: int = 0, **variants: Any) -> ModelConfig:
    require(hf_config, "position_embedding_type", "absolute")
    require(hf_config, "is_decoder", False)
    output = output_of(hf_config)
    tied = output == "masked" and hf_config.get("tie_word_embeddings", True)
    settings: dict[str, Any] = {
        "d_model": int(hf_config["hidden_size"]),
        "n_heads": int(hf_config["num_attention_heads"]),
        "n_encoder_layers": int(hf_config["num_hidden_layers"]),
        "n_decoder_layers": 0,
        "d_ff": int(hf_config["intermediate_size"]),
        "max_len": int(hf_config["max_position_embeddings"]) - skipped,
        "src_vocab_size": int(hf_config["vocab_size"]),
        "src_pad_id": int(hf_config.get("pad_token_id", 0)),
        "pad_by_id": False,
        "norm_eps": float(hf_config.get("layer_norm_eps", 1e-12)),
        "norm_embedding": True,
        "activation": activation_of(hf_config.get("hidden_act", "gelu")),
        "positions": "learned",
        "scale_embedding": False,
        "output": output,
        "tying": "logits" if tied else "nothing",
    }
    return ModelConfig(**settings | variants)


def roberta_config(hf_config: HfConfig) -> ModelConfig:
    pad = hf_config.get("pad_token_id")
    pad = 1 if pad is None else int(pad)
    # Positions count from the id of PAD, whose own row comes first.
    return bert_config({**hf_config, "pad_token_id": pad}, skipped=pad + 1, positions_skip_pad=True)


def bert_names(config: ModelConfig, *, skip: int = 0) -> Names:
    layer, head = "encoder.layer.#", "cls.predictions"
    own = f"{layer}.attention.self"
    return {
        "src_embedding.token": WORDS,
        "src_embedding.position.weight": TensorSource(
            ("embeddings.position_embeddings.weight",),
            skip=skip,
            # A lone sentence is of type 0: one more number for every position.
            plus_first_of="embeddings.token_type_embeddings.weight",
        ),
        "src_embedding.norm": "embeddings.LayerNorm",
        "encoder.#.attention.w_qkv": f"{own}.query {own}.key {own}.value",
        "encoder.#.attention.w_o": f"{layer}.attention.output.dense",
        "encoder.#.attention_residual.norm": f"{layer}.attention.output.LayerNorm",
        "encoder.#.feed_forward.w_1": f"{layer}.intermediate.dense",
        "encoder.#.feed_forward.w_2": f"{layer}.output.dense",
        "encoder.#.feed_forward_residual.norm": f"{layer}.output.LayerNorm",
        "masked_head.dense": f"{head}.transform.dense",
        "masked_head.norm": f"{head}.transform.LayerNorm",
        "to_logits.bias": f"{head}.decoder.bias",
        "to_logits.weight": f"{head}.decoder.weight",
    }


def roberta_names(config: ModelConfig) -> Names:
    return {
        **bert_names(config, skip=config.src_pad_id),
        "masked_head.dense": "lm_head.dense",
        "masked_head.norm": "lm_head.layer_norm",
        "to_logits.bias": "lm_head.decoder.bias",
        "to_logits.weight": "lm_head.decoder.weight",
    }


def distilbert_config(hf_config: HfConfig) -> ModelConfig:
    return bert_config(
        {
            "hidden_size": hf_config["dim"],
            "num_attention_heads": hf_config["n_heads"],
            "num_hidden_layers": hf_config["n_layers"],
            "intermediate_size": hf_config["hidden_dim"],
            "hidden_act": hf_config.get("activation", "gelu"),
            "layer_norm_eps": 1e-12,
            **{
                name: hf_config[name]
                for name in (
                    "vocab_size", "max_position_embeddings", "pad_token_id", "architectures",
                    "tie_word_embeddings",
                )
                if name in hf_config
            },
        }
    )  # fmt: skip


def distilbert_names(config: ModelConfig) -> Names:
    layer = "transformer.layer.#"
    own = f"{layer}.attention"
    return {
        "src_embedding.token": WORDS,
        "src_embedding.position": "embeddings.position_embeddings",
        "src_embedding.norm": "embeddings.LayerNorm",
        "encoder.#.attention.w_qkv": f"{own}.q_lin {own}.k_lin {own}.v_lin",
        "encoder.#.attention.w_o": f"{own}.out_lin",
        "encoder.#.attention_residual.norm": f"{layer}.sa_layer_norm",
        "encoder.#.feed_forward.w_1": f"{layer}.ffn.lin1",
        "encoder.#.feed_forward.w_2": f"{layer}.ffn.lin2",
        "encoder.#.feed_forward_residual.norm": f"{layer}.output_layer_norm",
        "masked_head.dense": "vocab_transform",
        "masked_head.norm": "vocab_layer_norm",
        "to_logits": "vocab_projector",
    }
