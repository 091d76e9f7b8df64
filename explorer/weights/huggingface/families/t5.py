"""T5: versions 1.0 and 1.1, Flan-T5 and mT5."""

from explorer.config import ModelConfig
from explorer.languages import tr
from explorer.weights.huggingface.families.family import (
    Said,
    Tensors,
    TensorSource,
    UnknownVariantError,
    activation_of,
    require,
)


def t5_config(said: Said) -> ModelConfig:
    require(said, "relative_attention_num_buckets", 32)
    require(said, "relative_attention_max_distance", 128)
    form, _, activation = said.get("feed_forward_proj", "relu").rpartition("-")
    if form not in ("", "gated"):
        raise UnknownVariantError(
            tr("feed_forward_proj must be gated or not, got {given}", given=repr(form))
        )
    if form and activation == "gelu":  # how T5's authors compute it
        activation = "gelu_new"
    pad = int(said["pad_token_id"])
    return ModelConfig(
        d_model=int(said["d_model"]),
        n_heads=int(said["num_heads"]),
        n_encoder_layers=int(said["num_layers"]),
        n_decoder_layers=int(said.get("num_decoder_layers") or said["num_layers"]),
        d_ff=int(said["d_ff"]),
        src_vocab_size=int(said["vocab_size"]),
        tgt_vocab_size=int(said["vocab_size"]),
        src_pad_id=pad,
        tgt_pad_id=pad,
        norm_first=True,
        norm="rms",
        norm_eps=float(said.get("layer_norm_epsilon", 1e-6)),
        activation=activation_of(activation),
        gated=bool(form),
        positions="t5",
        bias=False,
        logits_bias=False,
        d_kv=int(said["d_kv"]),
        scale_scores=False,
        scale_embedding=False,
        # Version 1.0 scales. Its files once said so by tying the logits to the embeddings.
        scale_logits=bool(said.get("scale_decoder_outputs", said.get("tie_word_embeddings", True))),
        tying="all",
        starts_with_pad=said.get("decoder_start_token_id", pad) == pad,
    )


def mt5_config(said: Said) -> ModelConfig:
    return t5_config({**said, "scale_decoder_outputs": False})


def t5_tensors(config: ModelConfig) -> Tensors:
    yield "src_embedding.token.weight", TensorSource(("shared.weight",))
    if config.tying != "all":
        yield "to_logits.weight", TensorSource(("lm_head.weight",))
    for stack in ("encoder", "decoder"):
        first = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        yield f"{stack}_bias.of_distance.weight", TensorSource((first,))
        yield f"{stack}_norm.weight", TensorSource((f"{stack}.final_layer_norm.weight",))
        parts = ["attention", "feed_forward"]
        if stack == "decoder":
            parts.insert(1, "cross")
        layers = config.n_encoder_layers if stack == "encoder" else config.n_decoder_layers
        for n in range(layers):
            for place, part in enumerate(parts):
                ours, theirs = f"{stack}.{n}.{part}", f"{stack}.block.{n}.layer.{place}"
                yield f"{ours}_residual.norm.weight", TensorSource((f"{theirs}.layer_norm.weight",))
                if part == "feed_forward":
                    dense = f"{theirs}.DenseReluDense"
                    names = {"w_0": "wi_0", "w_1": "wi_1"} if config.gated else {"w_1": "wi"}
                    for our_name, name in (names | {"w_2": "wo"}).items():
                        yield f"{ours}.{our_name}.weight", TensorSource((f"{dense}.{name}.weight",))
                else:
                    at = f"{theirs}.{'EncDecAttention' if part == 'cross' else 'SelfAttention'}"
                    qkv = tuple(f"{at}.{x}.weight" for x in "qkv")
                    yield f"{ours}.w_qkv.weight", TensorSource(qkv)
                    yield f"{ours}.w_o.weight", TensorSource((f"{at}.o.weight",))
