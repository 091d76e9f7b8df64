"""A decoder alone: GPT-2."""

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    HfConfig,
    Names,
    TensorSource,
    activation_of,
    require,
)


def gpt2_config(hf_config: HfConfig) -> ModelConfig:
    require(hf_config, "scale_attn_by_inverse_layer_idx", False)
    require(hf_config, "add_cross_attention", False)
    d_model, pad = int(hf_config["n_embd"]), hf_config.get("pad_token_id")
    if pad is None:  # most have none of their own, and some have several ends
        ends = hf_config["eos_token_id"]
        pad = ends[0] if isinstance(ends, list) else ends
    return ModelConfig(
        d_model=d_model,
        n_heads=int(hf_config["n_head"]),
        n_encoder_layers=0,
        n_decoder_layers=int(hf_config["n_layer"]),
        d_ff=int(hf_config.get("n_inner") or 4 * d_model),
        max_len=int(hf_config["n_positions"]),
        tgt_vocab_size=int(hf_config["vocab_size"]),
        tgt_pad_id=int(pad),
        norm_first=True,
        norm_eps=float(hf_config.get("layer_norm_epsilon", 1e-5)),
        activation=activation_of(hf_config.get("activation_function", "gelu_new")),
        positions="learned",
        logits_bias=False,
        scale_scores=bool(hf_config.get("scale_attn_weights", True)),
        scale_embedding=False,
        tying="logits" if hf_config.get("tie_word_embeddings", True) else "nothing",
        pad_by_id=False,
    )


def gpt2_names(config: ModelConfig) -> Names:
    return {
        "tgt_embedding.token": "wte",
        "tgt_embedding.position": "wpe",
        "decoder_norm": "ln_f",
        "to_logits": "lm_head",
        "decoder.#.attention.w_qkv": TensorSource(("h.#.attn.c_attn",), transposed=True),
        "decoder.#.attention.w_o": TensorSource(("h.#.attn.c_proj",), transposed=True),
        "decoder.#.attention_residual.norm": "h.#.ln_1",
        "decoder.#.feed_forward.w_1": TensorSource(("h.#.mlp.c_fc",), transposed=True),
        "decoder.#.feed_forward.w_2": TensorSource(("h.#.mlp.c_proj",), transposed=True),
        "decoder.#.feed_forward_residual.norm": "h.#.ln_2",
    }
