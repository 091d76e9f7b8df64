"""Models around `torch.nn.Transformer`, with the names of PyTorch's tutorial on translation."""

from typing import Final, cast

from explorer.config import ADDED_POSITIONS, ModelConfig, Positions, require_one_of
from explorer.interop import torch_names
from explorer.weights.huggingface.families.family import (
    Family,
    Names,
    Settings,
    TensorSource,
    activation_of,
)

# The waves, by whatever name: "positional_encoding.pos_embedding", "pos_encoder.pe".
_TABLE: Final = r"(.+\.)?(pe|pos|pos_\w+|\w+_pos|\w*position\w*)(\..+)?"
# What lies outside of nn.Transformer has other names in other programs.
_WORDS: Final = {
    "src_embedding.token.weight": "src_embedding",
    "tgt_embedding.token.weight": "tgt_embedding",
    "src_embedding.position.weight": "src_positions",
    "tgt_embedding.position.weight": "tgt_positions",
    "to_logits.weight": "output",
    "to_logits.bias": "output_bias",
}


def _config(given: Settings) -> ModelConfig:
    given.require("bias", True)
    positions = given.name("positions", "sinusoidal")
    require_one_of("positions", positions, (*ADDED_POSITIONS, "none"))
    names = given.given.get("names", {})
    if not isinstance(names, dict) or not all(
        word in _WORDS.values() and isinstance(name, str) and name for word, name in names.items()
    ):
        raise ValueError(
            f"names must hold the names of tensors by {', '.join(_WORDS.values())}, got "
            f"{repr(names)[:60]}"
        )
    vocab, pad = given.size("vocab_size"), given.id("pad_token_id")
    return ModelConfig(
        d_model=given.size("d_model"),
        n_heads=given.size("nhead"),
        n_encoder_layers=given.size("num_encoder_layers"),
        n_decoder_layers=given.size("num_decoder_layers"),
        d_ff=given.size("dim_feedforward"),
        max_len=given.size("max_position_embeddings", 5000),  # the tutorial's
        src_vocab_size=vocab,
        tgt_vocab_size=given.size("decoder_vocab_size", vocab),
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=given.flag("norm_first", False),
        norm_eps=given.epsilon("layer_norm_eps", 1e-5),
        # nn.Transformer has one, post-norm or pre-norm.
        final_norm=given.flag("final_norm", True),
        activation=activation_of(given.name("activation", "relu")),
        positions=cast(Positions, positions),
        scale_embedding=given.flag("scale_embedding", True),
        pad_by_id=False,
    )


def _names(config: ModelConfig) -> Names:
    return {
        **torch_names(),
        "src_embedding.token": "src_tok_emb.embedding",
        "tgt_embedding.token": "tgt_tok_emb.embedding",
        "src_embedding.position": "positional_encoding",
        "tgt_embedding.position": "positional_encoding",
        "to_logits.weight": "generator.weight",
        "to_logits.bias": TensorSource(("generator.bias",), or_zeros=True),
    }


TORCH: Final = Family(
    title="torch.nn.Transformer",
    config=_config,
    names=_names,
    words=_WORDS,
    positions=_TABLE,
    begins="bos",
    before_target="nothing",  # the tokenizer's frame begins with BOS
)
