"""Marian (opus-mt), BART and mBART."""

from dataclasses import replace
from typing import Any, Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    Family,
    Names,
    Settings,
    TensorSource,
    activation_of,
    no_files,
)
from explorer.weights.huggingface.text.old_files import byte_pieces, letters, marian_pieces


def _config(given: Settings, **variants: Any) -> ModelConfig:
    vocab, pad = given.size("vocab_size"), given.id("pad_token_id")
    shared = given.flag("share_encoder_decoder_embeddings", True)
    tied = given.flag("tie_word_embeddings", True)
    return ModelConfig(
        d_model=given.size("d_model"),
        n_heads=given.same("encoder_attention_heads", "decoder_attention_heads"),
        n_encoder_layers=given.size("encoder_layers"),
        n_decoder_layers=given.size("decoder_layers"),
        d_ff=given.same("encoder_ffn_dim", "decoder_ffn_dim"),
        max_len=given.size("max_position_embeddings"),
        src_vocab_size=vocab,
        tgt_vocab_size=vocab if shared else given.size("decoder_vocab_size", vocab),
        src_pad_id=pad,
        tgt_pad_id=pad,
        activation=activation_of(given.name("activation_function")),
        scale_embedding=given.flag("scale_embedding", False),
        tying=("all" if shared else "logits") if tied else "nothing",
        pad_by_id=False,
        **variants,
    )


def _names(config: ModelConfig) -> Names:
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


# Names of one matrix.
_BY_DECODER, _LOGITS = "decoder.embed_tokens.weight", "lm_head.weight"
_ALL: Final = ("shared.weight", _LOGITS, _BY_DECODER, "encoder.embed_tokens.weight")
BART: Final = Family(
    title="BART",
    config=lambda given: _config(given, positions="learned", norm_embedding=True),
    names=_names,
    tied={"all": (_ALL,)},
    unused=r"shared\.weight|(en|de)coder\.version",
    begins="eos",
    old_files=lambda folder, config: byte_pieces(folder, config) or letters(folder, config),
)
MBART: Final = replace(
    BART,
    title="mBART",
    config=lambda given: _config(given, positions="learned", norm_embedding=True, norm_first=True),
    before_target="language",
    old_files=no_files,
)
MARIAN: Final = replace(
    BART,
    title="Marian",
    config=lambda given: _config(given, positions="halves"),
    tied={"all": (_ALL,), "logits": ((_BY_DECODER, _LOGITS),)},  # two vocabularies
    positions=r"(en|de)coder\.embed_positions\.weight",
    begins="pad",
    old_files=marian_pieces,
)
