"""Tiny models in the layout of Hugging Face, written without its package: names and shapes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from explorer.weights.huggingface.model import read_model

Shapes = dict[str, tuple[int, ...]]


def norm(name: str) -> Shapes:
    return {f"{name}.weight": (8,), f"{name}.bias": (8,)}


def dense(name: str, out: int, of: int) -> Shapes:
    return {f"{name}.weight": (out, of), f"{name}.bias": (out,)}


def square(*names: str) -> Shapes:
    return {tensor: shape for name in names for tensor, shape in dense(name, 8, 8).items()}


BART: dict[str, Any] = {
    "model_type": "bart", "vocab_size": 20, "d_model": 8, "max_position_embeddings": 10,
    "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_layers": 1,
    "decoder_layers": 1, "encoder_ffn_dim": 12, "decoder_ffn_dim": 12, "pad_token_id": 1,
    "bos_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 2, "dropout": 0.1,
    "scale_embedding": True, "decoder_vocab_size": 20,
    "activation_function": "gelu",
}  # fmt: skip
ENCODER, DECODER = "model.encoder.layers.0", "model.decoder.layers.0"
BART_SHAPES: Shapes = {
    "final_logits_bias": (1, 20),
    "model.shared.weight": (20, 8),
    "model.encoder.embed_positions.weight": (12, 8),
    "model.decoder.embed_positions.weight": (12, 8),
    **norm("model.encoder.layernorm_embedding"),
    **norm("model.decoder.layernorm_embedding"),
    **square(*(f"{ENCODER}.self_attn.{x}_proj" for x in ("q", "k", "v", "out"))),
    **norm(f"{ENCODER}.self_attn_layer_norm"),
    **dense(f"{ENCODER}.fc1", 12, 8),
    **dense(f"{ENCODER}.fc2", 8, 12),
    **norm(f"{ENCODER}.final_layer_norm"),
    **square(*(f"{DECODER}.self_attn.{x}_proj" for x in ("q", "k", "v", "out"))),
    **norm(f"{DECODER}.self_attn_layer_norm"),
    **square(*(f"{DECODER}.encoder_attn.{x}_proj" for x in ("q", "k", "v", "out"))),
    **norm(f"{DECODER}.encoder_attn_layer_norm"),
    **dense(f"{DECODER}.fc1", 12, 8),
    **dense(f"{DECODER}.fc2", 8, 12),
    **norm(f"{DECODER}.final_layer_norm"),
}

BERT: dict[str, Any] = {
    "model_type": "bert", "vocab_size": 20, "hidden_size": 8, "num_attention_heads": 2,
    "num_hidden_layers": 1, "intermediate_size": 12, "max_position_embeddings": 10,
    "type_vocab_size": 2, "pad_token_id": 0, "architectures": ["BertModel"],
}  # fmt: skip
LAYER = "bert.encoder.layer.0"
TYPES = "embeddings.token_type_embeddings.weight"
BERT_SHAPES: Shapes = {
    "bert.embeddings.word_embeddings.weight": (20, 8),
    "bert.embeddings.position_embeddings.weight": (10, 8),
    f"bert.{TYPES}": (2, 8),
    **norm("bert.embeddings.LayerNorm"),
    **square(*(f"{LAYER}.attention.self.{x}" for x in ("query", "key", "value"))),
    **square(f"{LAYER}.attention.output.dense"),
    **norm(f"{LAYER}.attention.output.LayerNorm"),
    **dense(f"{LAYER}.intermediate.dense", 12, 8),
    **dense(f"{LAYER}.output.dense", 8, 12),
    **norm(f"{LAYER}.output.LayerNorm"),
}

# Settings of the other families, for what needs no tensors.
T5: dict[str, Any] = {
    "model_type": "t5", "vocab_size": 20, "d_model": 8, "d_kv": 4, "num_heads": 2, "num_layers": 1,
    "num_decoder_layers": 1, "d_ff": 12, "pad_token_id": 0, "eos_token_id": 1,
    "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu", "layer_norm_epsilon": 1e-6,
    "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
    "tie_word_embeddings": False,
}  # fmt: skip
ROBERTA = BERT | {
    "model_type": "roberta", "pad_token_id": 1, "hidden_act": "gelu", "layer_norm_eps": 1e-5,
    "position_embedding_type": "absolute", "is_decoder": False,
}  # fmt: skip
DISTILBERT: dict[str, Any] = {
    "model_type": "distilbert", "vocab_size": 20, "dim": 8, "n_heads": 2, "n_layers": 1,
    "hidden_dim": 12, "max_position_embeddings": 10, "pad_token_id": 0, "activation": "gelu",
    "architectures": ["DistilBertForMaskedLM"],
}  # fmt: skip
GPT2: dict[str, Any] = {
    "model_type": "gpt2", "vocab_size": 20, "n_embd": 8, "n_head": 2, "n_layer": 1, "n_inner": 12,
    "n_positions": 10, "eos_token_id": 19, "layer_norm_epsilon": 1e-5,
    "activation_function": "gelu_new", "scale_attn_weights": True, "add_cross_attention": False,
    "scale_attn_by_inverse_layer_idx": False,
}  # fmt: skip
TORCH: dict[str, Any] = {
    "model_type": "torch.nn.Transformer", "d_model": 8, "nhead": 2, "num_encoder_layers": 1,
    "num_decoder_layers": 1, "dim_feedforward": 12, "vocab_size": 20, "decoder_vocab_size": 20,
    "max_position_embeddings": 10, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3,
    "activation": "gelu", "norm_first": True, "final_norm": True, "layer_norm_eps": 1e-5,
    "positions": "halves", "scale_embedding": True, "names": {"output": "fc_out.weight"},
}  # fmt: skip
EVERY_FAMILY = (BART, T5, BERT, ROBERTA, DISTILBERT, GPT2, TORCH)


def tensors(shapes: Mapping[str, tuple[int, ...]] = BART_SHAPES) -> dict[str, Tensor]:
    """Random numbers of these shapes, the same each time."""
    generator = torch.Generator().manual_seed(1)
    return {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


def write_config(folder: Path, config: Mapping[str, Any] = BART, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    return folder


def write(
    folder: Path, weights: Mapping[str, Tensor] | None = None, config: Mapping[str, Any] = BART
) -> Path:
    """A whole model, without a tokenizer."""
    write_config(folder, config)
    save_file(dict(tensors() if weights is None else weights), folder / "model.safetensors")
    return folder


def write_shards(folder: Path, weight_map: Any = None) -> Path:
    """A BART of two shards, with an index."""
    weights, names = tensors(), ("model-1-of-2.safetensors", "model-2-of-2.safetensors")
    write_config(folder)
    placed = {name: names[number % 2] for number, name in enumerate(weights)}
    for shard in names:
        save_file({n: weights[n] for n, at in placed.items() if at == shard}, folder / shard)
    index = {"weight_map": placed if weight_map is None else weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def same_numbers(one: Path, other: Path) -> bool:
    """Whether both folders hold the same model."""
    ours, theirs = (dict(read_model(folder)[0].named_parameters()) for folder in (one, other))
    return ours.keys() == theirs.keys() and all(torch.equal(ours[n], theirs[n]) for n in ours)
