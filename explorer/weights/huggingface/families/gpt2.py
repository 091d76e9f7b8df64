"""A decoder alone: GPT-2."""

from functools import partial
from typing import Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    Family,
    Names,
    Settings,
    TensorSource,
    activation_of,
)
from explorer.weights.huggingface.text.old_files import byte_pieces


def _config(given: Settings) -> ModelConfig:
    given.require("scale_attn_by_inverse_layer_idx", False)
    given.require("add_cross_attention", False)
    d_model, pad = given.size("n_embd"), given.given.get("pad_token_id")
    if pad is None:  # most have none of their own, and some have several ends
        pad = given.ids("eos_token_id")[0]
    return ModelConfig(
        d_model=d_model,
        n_heads=given.size("n_head"),
        n_encoder_layers=0,
        n_decoder_layers=given.size("n_layer"),
        d_ff=given.size("n_inner", 4 * d_model),
        max_len=given.size("n_positions"),
        tgt_vocab_size=given.size("vocab_size"),
        tgt_pad_id=given.id("pad_token_id", pad),
        norm_first=True,
        norm_eps=given.epsilon("layer_norm_epsilon", 1e-5),
        activation=activation_of(given.name("activation_function", "gelu_new")),
        positions="learned",
        logits_bias=False,
        scale_scores=given.flag("scale_attn_weights", True),
        scale_embedding=False,
        tying="logits" if given.flag("tie_word_embeddings", True) else "nothing",
        pad_by_id=False,
    )


def _names(config: ModelConfig) -> Names:
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


GPT2: Final = Family(
    title="GPT-2",
    config=_config,
    names=_names,
    tied={"logits": (("wte.weight", "lm_head.weight"),)},
    unused=r"h\.\d+\.attn\.(masked_)?bias",  # causal masks, in older files
    stacks="decoder",
    old_files=partial(byte_pieces, framed=False),
)
