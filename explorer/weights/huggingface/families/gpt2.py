"""A decoder alone: GPT-2."""

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    Names,
    Said,
    TensorSource,
    activation_of,
    require,
)


def gpt2_config(said: Said) -> ModelConfig:
    require(said, "scale_attn_by_inverse_layer_idx", False)
    require(said, "add_cross_attention", False)
    d_model, end = int(said["n_embd"]), int(said["eos_token_id"])
    pad = said.get("pad_token_id")
    pad = end if pad is None else int(pad)  # most have no PAD of their own
    return ModelConfig(
        d_model=d_model,
        n_heads=int(said["n_head"]),
        n_encoder_layers=0,
        n_decoder_layers=int(said["n_layer"]),
        d_ff=int(said.get("n_inner") or 4 * d_model),
        max_len=int(said["n_positions"]),
        tgt_vocab_size=int(said["vocab_size"]),
        tgt_pad_id=pad,
        norm_first=True,
        norm_eps=float(said.get("layer_norm_epsilon", 1e-5)),
        activation=activation_of(said.get("activation_function", "gelu_new")),
        positions="learned",
        logits_bias=False,
        scale_scores=bool(said.get("scale_attn_weights", True)),
        scale_embedding=False,
        tying="logits" if said.get("tie_word_embeddings", True) else "nothing",
        starts_with_pad=pad == end,
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
