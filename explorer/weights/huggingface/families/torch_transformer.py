"""Models around `torch.nn.Transformer`, with the names of PyTorch's tutorial on translation."""

from typing import Final

from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.weights.huggingface.families.family import (
    HfConfig,
    Names,
    TensorSource,
    UnknownVariantError,
    activation_of,
    require,
)

# The waves, by whatever name: "positional_encoding.pos_embedding", "pos_encoder.pe".
TABLE: Final = r"(.+\.)?(pe|pos|pos_\w+|\w+_pos|\w*position\w*)(\..+)?"
# What lies outside of nn.Transformer has other names in other programs.
WORDS: Final = {
    "src_embedding.token.weight": "src_embedding",
    "tgt_embedding.token.weight": "tgt_embedding",
    "src_embedding.position.weight": "src_positions",
    "tgt_embedding.position.weight": "tgt_positions",
    "to_logits.weight": "output",
    "to_logits.bias": "output_bias",
}


def torch_config(hf_config: HfConfig) -> ModelConfig:
    require(hf_config, "bias", True)
    positions = hf_config.get("positions", "sinusoidal")
    if positions not in (known := (*ADDED_POSITIONS, "none")):
        raise UnknownVariantError(f"positions must be one of {', '.join(known)}, got {positions!r}")
    names = hf_config.get("names", {})
    if not isinstance(names, dict) or not all(
        word in WORDS.values() and isinstance(name, str) and name for word, name in names.items()
    ):
        raise UnknownVariantError(
            f"names must hold the names of tensors by {', '.join(WORDS.values())}, got "
            f"{repr(names)[:60]}"
        )
    vocab, pad = int(hf_config["vocab_size"]), int(hf_config["pad_token_id"])
    return ModelConfig(
        d_model=int(hf_config["d_model"]),
        n_heads=int(hf_config["nhead"]),
        n_encoder_layers=int(hf_config["num_encoder_layers"]),
        n_decoder_layers=int(hf_config["num_decoder_layers"]),
        d_ff=int(hf_config["dim_feedforward"]),
        max_len=int(hf_config.get("max_position_embeddings", 5000)),  # the tutorial's
        src_vocab_size=vocab,
        tgt_vocab_size=int(hf_config.get("decoder_vocab_size", vocab)),
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=bool(hf_config.get("norm_first", False)),
        norm_eps=float(hf_config.get("layer_norm_eps", 1e-5)),
        # nn.Transformer has one, post-norm or pre-norm.
        final_norm=bool(hf_config.get("final_norm", True)),
        activation=activation_of(hf_config.get("activation", "relu")),
        positions=positions,
        scale_embedding=bool(hf_config.get("scale_embedding", True)),
        pad_by_id=False,
    )


def torch_names(config: ModelConfig) -> Names:
    names: dict[str, str | TensorSource] = {
        "src_embedding.token": "src_tok_emb.embedding",
        "tgt_embedding.token": "tgt_tok_emb.embedding",
        "src_embedding.position": "positional_encoding",
        "tgt_embedding.position": "positional_encoding",
        "to_logits.weight": "generator.weight",
        "to_logits.bias": TensorSource(("generator.bias",), or_zeros=True),
    }
    attentions = {"attention": "self_attn", "cross": "multihead_attn"}
    for stack, parts in (("encoder", ["attention"]), ("decoder", ["attention", "cross"])):
        layer = f"{stack}.layers.#"
        names |= {
            f"{stack}_norm": f"{stack}.norm",
            f"{stack}.#.feed_forward.w_1": f"{layer}.linear1",
            f"{stack}.#.feed_forward.w_2": f"{layer}.linear2",
            f"{stack}.#.feed_forward_residual.norm": f"{layer}.norm{len(parts) + 1}",
        }
        for number, part in enumerate(parts, start=1):
            ours, theirs = f"{stack}.#.{part}", f"{layer}.{attentions[part]}"
            names |= {
                f"{ours}.w_qkv.weight": f"{theirs}.in_proj_weight",
                f"{ours}.w_qkv.bias": f"{theirs}.in_proj_bias",
                f"{ours}.w_o": f"{theirs}.out_proj",
                f"{ours}_residual.norm": f"{layer}.norm{number}",
            }
    return names
