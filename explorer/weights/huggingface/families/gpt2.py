"""A decoder alone: GPT-2."""

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    Said,
    Tensors,
    TensorSource,
    activation_of,
    pair,
    require,
)


def gpt2_config(said: Said) -> ModelConfig:
    require(said, "scale_attn_by_inverse_layer_idx", False)
    require(said, "add_cross_attention", False)
    d_model, end = int(said["n_embd"]), int(said["eos_token_id"])
    pad = int(said.get("pad_token_id", end))  # most have no PAD of their own
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


def gpt2_tensors(config: ModelConfig) -> Tensors:
    yield "tgt_embedding.token.weight", TensorSource(("wte.weight",))
    yield "tgt_embedding.position.weight", TensorSource(("wpe.weight",))
    yield from pair("decoder_norm", "ln_f")
    if config.tying == "nothing":
        yield "to_logits.weight", TensorSource(("lm_head.weight",))
    for n in range(config.n_decoder_layers):
        ours, theirs = f"decoder.{n}", f"h.{n}"
        yield from pair(f"{ours}.attention.w_qkv", f"{theirs}.attn.c_attn", transposed=True)
        yield from pair(f"{ours}.attention.w_o", f"{theirs}.attn.c_proj", transposed=True)
        yield from pair(f"{ours}.attention_residual.norm", f"{theirs}.ln_1")
        yield from pair(f"{ours}.feed_forward.w_1", f"{theirs}.mlp.c_fc", transposed=True)
        yield from pair(f"{ours}.feed_forward.w_2", f"{theirs}.mlp.c_proj", transposed=True)
        yield from pair(f"{ours}.feed_forward_residual.norm", f"{theirs}.ln_2")
