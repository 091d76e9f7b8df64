"""T5: versions 1.0 and 1.1, Flan-T5 and mT5."""

from typing import Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    HfConfig,
    Names,
    TensorSource,
    UnknownVariantError,
    activation_of,
    require,
)


def t5_config(hf_config: HfConfig) -> ModelConfig:
    require(hf_config, "relative_attention_num_buckets", 32)
    require(hf_config, "relative_attention_max_distance", 128)
    form, _, activation = hf_config.get("feed_forward_proj", "relu").rpartition("-")
    if form not in ("", "gated"):
        raise UnknownVariantError(f"feed_forward_proj must be gated or not, got {form!r}")
    if form and activation == "gelu":  # how T5's authors compute it
        activation = "gelu_new"
    pad = int(hf_config["pad_token_id"])
    return ModelConfig(
        d_model=int(hf_config["d_model"]),
        n_heads=int(hf_config["num_heads"]),
        n_encoder_layers=int(hf_config["num_layers"]),
        n_decoder_layers=int(hf_config.get("num_decoder_layers") or hf_config["num_layers"]),
        d_ff=int(hf_config["d_ff"]),
        src_vocab_size=int(hf_config["vocab_size"]),
        tgt_vocab_size=int(hf_config["vocab_size"]),
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=True,
        norm="rms",
        norm_eps=float(hf_config.get("layer_norm_epsilon", 1e-6)),
        activation=activation_of(activation),
        gated=bool(form),
        positions="t5",
        bias=False,
        logits_bias=False,
        d_kv=int(hf_config["d_kv"]),
        scale_scores=False,
        scale_embedding=False,
        # Version 1.0 scales. Its files once said so by tying the logits to the embeddings.
        scale_logits=bool(
            hf_config.get("scale_decoder_outputs", hf_config.get("tie_word_embeddings", True))
        ),
        tying="all",
        pad_by_id=False,
    )


def mt5_config(hf_config: HfConfig) -> ModelConfig:
    return t5_config(
        {"feed_forward_proj": "gated-gelu", **hf_config, "scale_decoder_outputs": False}
    )


_PARTS: Final = ("attention", "cross", "feed_forward")  # of a layer; an encoder has no cross


def t5_names(config: ModelConfig) -> Names:
    names: dict[str, str | TensorSource] = {
        "src_embedding.token": "encoder.embed_tokens",
        "tgt_embedding.token": "decoder.embed_tokens",
        "to_logits": "lm_head",
    }
    first = "wi_1" if config.gated else "wi"
    for stack, its_parts in (("encoder", _PARTS[::2]), ("decoder", _PARTS)):
        block = f"{stack}.block.#.layer"
        own = f"{block}.0.SelfAttention"
        other, dense = f"{block}.1.EncDecAttention", f"{block}.{len(its_parts) - 1}.DenseReluDense"
        names |= {
            f"{stack}_bias.of_distance": f"{own}.relative_attention_bias".replace("#", "0"),
            f"{stack}_norm": f"{stack}.final_layer_norm",
            **{
                f"{stack}.#.{part}_residual.norm": f"{block}.{place}.layer_norm"
                for place, part in enumerate(its_parts)
            },
            f"{stack}.#.attention.w_qkv": f"{own}.q {own}.k {own}.v",
            f"{stack}.#.attention.w_o": f"{own}.o",
            f"{stack}.#.cross.w_qkv": f"{other}.q {other}.k {other}.v",
            f"{stack}.#.cross.w_o": f"{other}.o",
            f"{stack}.#.feed_forward.w_0": f"{dense}.wi_0",
            f"{stack}.#.feed_forward.w_1": f"{dense}.{first}",
            f"{stack}.#.feed_forward.w_2": f"{dense}.wo",
        }
    return names
