"""Marian (opus-mt), BART and mBART."""

from typing import Any

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    HfConfig,
    Names,
    TensorSource,
    activation_of,
    same,
)


def bart_config(hf_config: HfConfig, **variants: Any) -> ModelConfig:
    vocab = int(hf_config["vocab_size"])
    shared = hf_config.get("share_encoder_decoder_embeddings", True)
    tied = hf_config.get("tie_word_embeddings", True)
    settings: dict[str, Any] = {
        "d_model": int(hf_config["d_model"]),
        "n_heads": same(hf_config, "encoder_attention_heads", "decoder_attention_heads"),
        "n_encoder_layers": int(hf_config["encoder_layers"]),
        "n_decoder_layers": int(hf_config["decoder_layers"]),
        "d_ff": same(hf_config, "encoder_ffn_dim", "decoder_ffn_dim"),
        "max_len": int(hf_config["max_position_embeddings"]),
        "src_vocab_size": vocab,
        "tgt_vocab_size": vocab if shared else int(hf_config.get("decoder_vocab_size") or vocab),
        "src_pad_id": int(hf_config["pad_token_id"]),
        "tgt_pad_id": int(hf_config["pad_token_id"]),
        "activation": activation_of(hf_config["activation_function"]),
        "scale_embedding": bool(hf_config.get("scale_embedding", False)),
        "tying": ("all" if shared else "logits") if tied else "nothing",
        "pad_by_id": False,
    }
    return ModelConfig(**settings | variants)


def marian_config(hf_config: HfConfig) -> ModelConfig:
    pad = hf_config["pad_token_id"]  # Marian's decoder begins with it where the file does not say
    return bart_config({"decoder_start_token_id": pad, **hf_config}, positions="halves")


def bart_learned_config(hf_config: HfConfig) -> ModelConfig:
    return bart_config(hf_config, positions="learned", norm_embedding=True)


def mbart_config(hf_config: HfConfig) -> ModelConfig:
    return bart_config(hf_config, positions="learned", norm_embedding=True, norm_first=True)


def bart_names(config: ModelConfig) -> Names:
    names: dict[str, str | TensorSource] = {
        "to_logits.weight": "lm_head.weight",
        "to_logits.bias": TensorSource(("final_logits_bias",), flat=True, or_zeros=True),
    }
    for side, stack in (("src", "encoder"), ("tgt", "decoder")):
        layer = f"{stack}.layers.#"
        names |= {
            f"{side}_embedding.token": f"{stack}.embed_tokens",
            f"{side}_embedding.position": TensorSource((f"{stack}.embed_positions",), skip=2),
            f"{side}_embedding.norm": f"{stack}.layernorm_embedding",
            f"{stack}_norm": f"{stack}.layer_norm",
            f"{stack}.#.feed_forward.w_1": f"{layer}.fc1",
            f"{stack}.#.feed_forward.w_2": f"{layer}.fc2",
            f"{stack}.#.feed_forward_residual.norm": f"{layer}.final_layer_norm",
        }
        for part, its in (("attention", "self_attn"), ("cross", "encoder_attn")):
            ours, at = f"{stack}.#.{part}", f"{layer}.{its}"
            names |= {
                f"{ours}.w_qkv": f"{at}.q_proj {at}.k_proj {at}.v_proj",
                f"{ours}.w_o": f"{at}.out_proj",
                f"{ours}_residual.norm": f"{at}_layer_norm",
            }
    return names
