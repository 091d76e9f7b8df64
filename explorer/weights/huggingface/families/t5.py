"""T5: versions 1.0 and 1.1, Flan-T5 and mT5."""

from dataclasses import replace
from typing import Final

from explorer.config import ModelConfig
from explorer.weights.huggingface.families.family import (
    Family,
    Names,
    Settings,
    TensorSource,
    activation_of,
)
from explorer.weights.huggingface.text.old_files import t5_pieces


def _config(given: Settings, usual_feed_forward: str = "relu") -> ModelConfig:
    given.require("relative_attention_num_buckets", 32)
    given.require("relative_attention_max_distance", 128)
    form, _, activation = given.name("feed_forward_proj", usual_feed_forward).rpartition("-")
    if form not in ("", "gated"):
        raise ValueError(f"feed_forward_proj must be gated or not, got {form!r}")
    if form and activation == "gelu":  # how T5's authors compute it
        activation = "gelu_new"
    vocab, pad = given.size("vocab_size"), given.id("pad_token_id")
    layers = given.size("num_layers")
    tied = given.flag("tie_word_embeddings", True)
    return ModelConfig(
        d_model=given.size("d_model"),
        n_heads=given.size("num_heads"),
        n_encoder_layers=layers,
        n_decoder_layers=given.size("num_decoder_layers", layers),
        d_ff=given.size("d_ff"),
        src_vocab_size=vocab,
        tgt_vocab_size=vocab,
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=True,
        norm="rms",
        norm_eps=given.epsilon("layer_norm_epsilon", 1e-6),
        activation=activation_of(activation),
        gated=bool(form),
        positions="t5",
        bias=False,
        logits_bias=False,
        d_kv=given.size("d_kv"),
        scale_scores=False,
        scale_embedding=False,
        # Version 1.0 scales. Its files once said so by tying the logits to the embeddings.
        scale_logits=given.flag("scale_decoder_outputs", tied),
        tying="all",
        pad_by_id=False,
    )


def _mt5_config(given: Settings) -> ModelConfig:
    return replace(_config(given, "gated-gelu"), scale_logits=False)


_PARTS: Final = ("attention", "cross", "feed_forward")  # of a layer; an encoder has no cross


def _names(config: ModelConfig) -> Names:
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


T5: Final = Family(
    title="T5",
    config=_config,
    names=_names,
    tied={
        "all": (
            (
                "shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight",
                "lm_head.weight",
            ),
        )
    },
    unused=r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",
    encoder_alone=("EncoderModel", "ForTokenClassification"),
    old_files=t5_pieces,
)  # fmt: skip
MT5: Final = replace(T5, title="mT5", config=_mt5_config)
