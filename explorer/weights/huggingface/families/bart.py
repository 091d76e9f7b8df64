"""Marian (opus-mt), BART and mBART."""

from typing import Any

from explorer.config import ModelConfig
from explorer.languages import tr
from explorer.weights.huggingface.families.family import (
    Said,
    Tensors,
    TensorSource,
    UnknownVariantError,
    activation_of,
    pair,
    same,
)


def bart_config(said: Said, **variants: Any) -> ModelConfig:
    vocab = int(said["vocab_size"])
    shared = said.get("share_encoder_decoder_embeddings", True)
    if not said.get("tie_word_embeddings", True):
        raise UnknownVariantError(tr("tie_word_embeddings must be true, got false"))
    settings: dict[str, Any] = {
        "d_model": int(said["d_model"]),
        "n_heads": same(said, "encoder_attention_heads", "decoder_attention_heads"),
        "n_encoder_layers": int(said["encoder_layers"]),
        "n_decoder_layers": int(said["decoder_layers"]),
        "d_ff": same(said, "encoder_ffn_dim", "decoder_ffn_dim"),
        "max_len": int(said["max_position_embeddings"]),
        "src_vocab_size": vocab,
        "tgt_vocab_size": vocab if shared else int(said.get("decoder_vocab_size") or vocab),
        "src_pad_id": int(said["pad_token_id"]),
        "tgt_pad_id": int(said["pad_token_id"]),
        "activation": activation_of(said["activation_function"]),
        "scale_embedding": bool(said.get("scale_embedding", False)),
        "tying": "all" if shared else "logits",
        "starts_with_pad": said.get("decoder_start_token_id") == said["pad_token_id"],
    }
    return ModelConfig(**settings | variants)


def marian_config(said: Said) -> ModelConfig:
    pad = said["pad_token_id"]  # Marian's decoder begins with it where the file does not say
    return bart_config({"decoder_start_token_id": pad, **said}, positions="halves")


def bart_learned_config(said: Said) -> ModelConfig:
    return bart_config(said, positions="learned", norm_embedding=True)


def mbart_config(said: Said) -> ModelConfig:
    return bart_config(said, positions="learned", norm_embedding=True, norm_first=True)


def bart_tensors(config: ModelConfig) -> Tensors:
    sides = (("src", "encoder"), ("tgt", "decoder"))
    if config.tying == "all":
        yield "src_embedding.token.weight", TensorSource(("model.shared.weight",))
    for side, stack in sides:
        if config.tying != "all":
            yield (
                f"{side}_embedding.token.weight",
                TensorSource((f"model.{stack}.embed_tokens.weight",)),
            )
        if config.positions == "learned":
            table = f"model.{stack}.embed_positions.weight"
            yield f"{side}_embedding.position.weight", TensorSource((table,), skip=2)
        if config.norm_embedding:
            yield from pair(f"{side}_embedding.norm", f"model.{stack}.layernorm_embedding")
        if config.ends_with_norm:
            yield from pair(f"{stack}_norm", f"model.{stack}.layer_norm")
        attentions = {"attention": "self_attn", "cross": "encoder_attn"}
        layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        for n in range(layers):
            ours, theirs = f"{stack}.{n}", f"model.{stack}.layers.{n}"
            for our_name, their_name in list(attentions.items())[: 1 + (stack == "decoder")]:
                at = f"{theirs}.{their_name}"
                yield from pair(f"{ours}.{our_name}.w_qkv", *(f"{at}.{x}_proj" for x in "qkv"))
                yield from pair(f"{ours}.{our_name}.w_o", f"{at}.out_proj")
                yield from pair(f"{ours}.{our_name}_residual.norm", f"{at}_layer_norm")
            yield from pair(f"{ours}.feed_forward.w_1", f"{theirs}.fc1")
            yield from pair(f"{ours}.feed_forward.w_2", f"{theirs}.fc2")
            yield from pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.final_layer_norm")
    yield "to_logits.bias", TensorSource(("final_logits_bias",), flat=True, or_zeros=True)
