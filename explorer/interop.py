"""Conversion to and from `torch.nn`: the same weights give the same numbers.

`torch.nn.Transformer` adds a final norm to both stacks, which the paper does not have; the stacks
built here leave it out (`norm=None`) unless the model is pre-norm. Its boolean masks mean *ignore*,
the opposite of ours.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from explorer.config import ModelConfig
from explorer.layers import ACTIVATIONS
from explorer.transformer import Transformer, TransformerTrace

_LAYER: Final = re.compile(r"\.(\d+)\.")
L = TypeVar("L", nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)


def has_twin(config: ModelConfig) -> bool:
    """Whether `torch.nn.Transformer` can express the stacks of such a model."""
    return (
        config.has_encoder
        and config.has_decoder
        and config.norm == "layer"
        and config.positions not in ("t5", "alibi", "rotary")
        and config.bias
        and config.d_kv is None
        and config.scale_scores
        and not config.gated
    )


def to_torch(model: Transformer) -> nn.Transformer:
    """Both stacks as a `torch.nn.Transformer` in eval mode that *shares* the model's weights.

    It maps embedded source and target (batch first) to the decoder's output; embeddings and the
    final projection to the vocabulary stay with `model`. No weight is copied: training one trains
    both.

    Raises:
        ValueError: if torch cannot express the model (see `has_twin`).
    """
    if not has_twin(model.config):
        raise ValueError(
            "torch.nn.Transformer has two stacks with biases and LayerNorm, q·k ÷ √d_k and no "
            "relative positions, and this model differs; see has_twin"
        )
    twin = _empty_stacks(model.config)
    for (ours, name), (theirs, their_name) in _pairs(model, twin):
        setattr(theirs, their_name, getattr(ours, name))
    return twin.eval()


def from_torch(stacks: nn.Transformer, config: ModelConfig, *, seed: int = 0) -> Transformer:
    """A `Transformer` whose two stacks copy the weights of `stacks`.

    Embeddings and the projection to the vocabulary, which `torch.nn.Transformer` lacks, are drawn
    from `seed`.

    Raises:
        ValueError: if the stacks do not match `config`.
    """
    _require_same_kind(stacks, config)
    model = Transformer(config, seed=seed)
    wanted = {name: tuple(p.shape) for name, p in _empty_stacks(config).named_parameters()}
    given = {name: tuple(p.shape) for name, p in stacks.named_parameters()}
    if wanted != given:
        name = min(
            name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name)
        )
        raise ValueError(
            f"stacks must have the shapes of config, got {name}: {given.get(name, 'missing')} "
            f"where config needs {wanted.get(name, 'nothing')}; "
            "build it with norm=None in both stacks for a post-norm model"
        )
    with torch.no_grad():
        for (ours, name), (theirs, their_name) in _pairs(model, stacks):
            getattr(ours, name).copy_(getattr(theirs, their_name))
    return model


def run_torch(twin: nn.Transformer, trace: TransformerTrace) -> tuple[Tensor, Tensor]:
    """`memory` and the decoder's output, computed by `twin` from the trace's embeddings.

    Shapes: (batch, src, d_model) and (batch, tgt, d_model). In torch, a query that may attend to
    nothing gives NaN, and the NaN spreads. So here such a query, always PAD, attends to itself, and
    in a source without words, every PAD is visible. Compare real rows only.
    """
    src_real = trace.src_mask[:, 0, 0]  # (batch, src)
    src_ignore = ~src_real & src_real.any(dim=-1, keepdim=True)
    may = trace.tgt_mask[:, 0]  # (batch, tgt, tgt)
    stuck = ~may.any(dim=-1, keepdim=True)
    itself = torch.eye(may.shape[-1], dtype=torch.bool, device=may.device)
    heads = twin.decoder.layers[0].self_attn.num_heads
    cross_ignore = src_ignore[:, None, :].expand(-1, may.shape[1], -1)  # (batch, tgt, src)
    with torch.no_grad():
        memory = twin.encoder(trace.src_embedding.out, src_key_padding_mask=src_ignore)
        out = twin.decoder(
            trace.tgt_embedding.out,
            memory,
            tgt_mask=(~(may | stuck & itself)).repeat_interleave(heads, dim=0),
            # As a key padding mask, it would make torch import sympy: 45 MB.
            memory_mask=cross_ignore.repeat_interleave(heads, dim=0),
        )
    return memory, out


def largest_difference(twin: nn.Transformer, trace: TransformerTrace) -> float:
    """The largest difference between `twin` and the trace over memory and decoder output.

    PAD rows and sentences with an empty source are left out (see `run_torch`). Infinite if either
    side has a NaN.
    """
    memory, out = run_torch(twin, trace)
    src_real = trace.src_mask[:, 0, 0]
    # The last target position sees every token except PAD.
    tgt_real = trace.tgt_mask[:, 0, -1] & src_real.any(dim=-1, keepdim=True)
    with torch.no_grad():
        differences = torch.cat(
            [(memory - trace.memory)[src_real], (out - trace.decoder_out)[tgt_real]]
        ).abs()
    return float(differences.nan_to_num(torch.inf).max()) if len(differences) else 0.0


def _require_same_kind(stacks: nn.Transformer, config: ModelConfig) -> None:
    """Check the settings that the shapes of the weights do not show."""
    layer = stacks.encoder.layers[0]
    activation = "relu" if layer.activation is F.relu else "gelu"
    facts = (
        ("n_heads", layer.self_attn.num_heads, config.n_heads),
        ("norm_first", layer.norm_first, config.norm_first),
        ("norm_eps", layer.norm1.eps, config.norm_eps),
        ("activation", activation, config.activation),
    )
    for name, given, wanted in facts:
        if given != wanted:
            raise ValueError(
                f"stacks must have {name}={wanted}, got {name}={given}; "
                "build them with it, or change config"
            )


def _empty_stacks(config: ModelConfig) -> nn.Transformer:
    def layer(kind: type[L]) -> L:
        return kind(
            config.d_model,
            config.n_heads,
            config.d_ff,
            config.dropout,
            ACTIVATIONS[config.activation] if config.activation != "relu" else F.relu,
            config.norm_eps,
            batch_first=True,
            norm_first=config.norm_first,
            device="meta",
        )

    def final_norm() -> nn.LayerNorm | None:
        if not config.ends_with_norm:
            return None
        return nn.LayerNorm(config.d_model, config.norm_eps, device="meta")

    final = [final_norm() for _ in "ed"]
    return nn.Transformer(
        config.d_model,
        config.n_heads,
        batch_first=True,
        norm_first=config.norm_first,
        custom_encoder=nn.TransformerEncoder(
            layer(nn.TransformerEncoderLayer),
            config.n_encoder_layers,
            final[0],
            enable_nested_tensor=False,
        ),
        custom_decoder=nn.TransformerDecoder(
            layer(nn.TransformerDecoderLayer), config.n_decoder_layers, final[1]
        ),
        device="meta",
    )


def torch_names() -> dict[str, str]:
    """The parts of both stacks by our names, and what `torch.nn.Transformer` calls them.

    # stands for the number of a layer; a name without "weight" or "bias" is for both.
    """
    names: dict[str, str] = {}
    for stack, parts in (("encoder", ["attention"]), ("decoder", ["attention", "cross"])):
        layer = f"{stack}.layers.#"
        names |= {
            f"{stack}_norm": f"{stack}.norm",
            f"{stack}.#.feed_forward.w_1": f"{layer}.linear1",
            f"{stack}.#.feed_forward.w_2": f"{layer}.linear2",
            f"{stack}.#.feed_forward_residual.norm": f"{layer}.norm{len(parts) + 1}",
        }
        for number, part in enumerate(parts, start=1):
            ours = f"{stack}.#.{part}"
            theirs = f"{layer}.{'multihead_attn' if part == 'cross' else 'self_attn'}"
            names |= {
                f"{ours}.w_qkv.weight": f"{theirs}.in_proj_weight",
                f"{ours}.w_qkv.bias": f"{theirs}.in_proj_bias",
                f"{ours}.w_o": f"{theirs}.out_proj",
                f"{ours}_residual.norm": f"{layer}.norm{number}",
            }
    return names


Slot = tuple[nn.Module, str]  # a module, and the name of a parameter in it


def _pairs(model: Transformer, stacks: nn.Transformer) -> Iterator[tuple[Slot, Slot]]:
    """Pairs of our parameters and torch's."""
    names = torch_names()
    for ours, _ in model.named_parameters():
        layer, key = _LAYER.search(ours), _LAYER.sub(".#.", ours)
        part, _, end = key.rpartition(".")
        theirs = names.get(key) or (f"{names[part]}.{end}" if part in names else "")
        if theirs:  # embeddings and logits are not in the stacks
            theirs = theirs.replace("#", layer[1] if layer else "")
            yield _slot(model, ours), _slot(stacks, theirs)


def _slot(module: nn.Module, path: str) -> Slot:
    part, _, name = path.rpartition(".")
    return module.get_submodule(part), name
