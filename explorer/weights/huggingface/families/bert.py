"""Encoders alone: BERT, MiniLM, RoBERTa and DistilBERT."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from explorer.config import ModelConfig, Tying
from explorer.weights.huggingface.families.family import (
    Family,
    Names,
    Settings,
    TensorSource,
    activation_of,
)
from explorer.weights.huggingface.text.old_files import byte_pieces, word_pieces

_WORDS: Final = "embeddings.word_embeddings"


def _config(
    given: Settings,
    *,
    d_model: str = "hidden_size",
    n_heads: str = "num_attention_heads",
    n_layers: str = "num_hidden_layers",
    d_ff: str = "intermediate_size",
    activation: str = "hidden_act",
    usual_pad: int = 0,
    **variants: Any,
) -> ModelConfig:
    """The config, by the names of its settings."""
    # Where no class is named, the files say whether there is a head for masked words.
    made_for = " ".join(given.names("architectures") or ["MaskedLM"])
    predicts = "MaskedLM" in made_for or "PreTraining" in made_for
    tied = given.flag("tie_word_embeddings", True)
    return ModelConfig(
        d_model=given.size(d_model),
        n_heads=given.size(n_heads),
        n_encoder_layers=given.size(n_layers),
        n_decoder_layers=0,
        d_ff=given.size(d_ff),
        max_len=given.size("max_position_embeddings"),
        src_vocab_size=given.size("vocab_size"),
        src_pad_id=given.id("pad_token_id", usual_pad),
        pad_by_id=False,
        norm_embedding=True,
        activation=activation_of(given.name(activation, "gelu")),
        positions="learned",
        scale_embedding=False,
        output="masked" if predicts else "nothing",
        tying="logits" if predicts and tied else "nothing",
        **variants,
    )


def _bert_config(given: Settings, **variants: Any) -> ModelConfig:
    """With the settings that DistilBERT does not look at."""
    given.require("position_embedding_type", "absolute")
    given.require("is_decoder", False)
    return _config(given, norm_eps=given.epsilon("layer_norm_eps", 1e-12), **variants)


def _roberta_config(given: Settings) -> ModelConfig:
    """Positions count from the id of PAD, whose own row comes first."""
    config = _bert_config(given, usual_pad=1, positions_skip_pad=True)
    return replace(config, max_len=config.max_len - config.src_pad_id - 1)


def _names(config: ModelConfig, *, skip: int = 0) -> Names:
    layer, head = "encoder.layer.#", "cls.predictions"
    own = f"{layer}.attention.self"
    return {
        "src_embedding.token": _WORDS,
        "src_embedding.position.weight": TensorSource(
            ("embeddings.position_embeddings.weight",),
            skip=skip,
            # A lone sentence is of type 0: one more number for every position.
            plus_first_of="embeddings.token_type_embeddings.weight",
        ),
        "src_embedding.norm": "embeddings.LayerNorm",
        "encoder.#.attention.w_qkv": f"{own}.query {own}.key {own}.value",
        "encoder.#.attention.w_o": f"{layer}.attention.output.dense",
        "encoder.#.attention_residual.norm": f"{layer}.attention.output.LayerNorm",
        "encoder.#.feed_forward.w_1": f"{layer}.intermediate.dense",
        "encoder.#.feed_forward.w_2": f"{layer}.output.dense",
        "encoder.#.feed_forward_residual.norm": f"{layer}.output.LayerNorm",
        "masked_head.dense": f"{head}.transform.dense",
        "masked_head.norm": f"{head}.transform.LayerNorm",
        "to_logits.bias": f"{head}.decoder.bias",
        "to_logits.weight": f"{head}.decoder.weight",
    }


def _roberta_names(config: ModelConfig) -> Names:
    return {
        **_names(config, skip=config.src_pad_id),
        "masked_head.dense": "lm_head.dense",
        "masked_head.norm": "lm_head.layer_norm",
        "to_logits.bias": "lm_head.decoder.bias",
        "to_logits.weight": "lm_head.decoder.weight",
    }


def _distilbert_names(config: ModelConfig) -> Names:
    layer = "transformer.layer.#"
    own = f"{layer}.attention"
    return {
        "src_embedding.token": _WORDS,
        "src_embedding.position": "embeddings.position_embeddings",
        "src_embedding.norm": "embeddings.LayerNorm",
        "encoder.#.attention.w_qkv": f"{own}.q_lin {own}.k_lin {own}.v_lin",
        "encoder.#.attention.w_o": f"{own}.out_lin",
        "encoder.#.attention_residual.norm": f"{layer}.sa_layer_norm",
        "encoder.#.feed_forward.w_1": f"{layer}.ffn.lin1",
        "encoder.#.feed_forward.w_2": f"{layer}.ffn.lin2",
        "encoder.#.feed_forward_residual.norm": f"{layer}.output_layer_norm",
        "masked_head.dense": "vocab_transform",
        "masked_head.norm": "vocab_layer_norm",
        "to_logits": "vocab_projector",
    }


def _tied(head: str) -> Mapping[Tying, tuple[tuple[str, ...], ...]]:
    """The names of tied tensors; the bias of the logits has two in any case."""
    biases = (f"{head}.bias", f"{head}.decoder.bias")
    words = (f"{_WORDS}.weight", f"{head}.decoder.weight")
    return {"nothing": (biases,), "logits": (words, biases)}


BERT: Final = Family(
    title="BERT",
    config=_bert_config,
    names=_names,
    tied=_tied("cls.predictions"),
    unused=r"embeddings\.position_ids|pooler\.dense\.(weight|bias)",
    stacks="encoder",
    old_files=word_pieces,
)
ROBERTA: Final = replace(
    BERT,
    title="RoBERTa",
    config=_roberta_config,
    names=_roberta_names,
    tied=_tied("lm_head"),
    old_files=byte_pieces,
)
DISTILBERT: Final = Family(
    title="DistilBERT",
    config=lambda given: _config(
        given,
        d_model="dim",
        n_heads="n_heads",
        n_layers="n_layers",
        d_ff="hidden_dim",
        activation="activation",
        norm_eps=1e-12,
    ),
    names=_distilbert_names,
    tied={"logits": ((f"{_WORDS}.weight", "vocab_projector.weight"),)},
    stacks="encoder",
    old_files=word_pieces,
)
