"""The whole Transformer written a second time, with every mistake as a branch of its own.

In float64, einsum by einsum, from the named weights alone: nothing of the model's code but the
dice of its dropout.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import Generator, Tensor

from explorer.attention import drop
from explorer.transformer import Transformer


@dataclass
class ByHand:
    """A forward pass; `weights` collects every attention's weights by kind, layer by layer."""

    model: Transformer
    mistake: str = ""
    dice: Generator | None = None
    weights: dict[str, list[Tensor]] = field(
        default_factory=lambda: {"encoder": [], "decoder": [], "cross": []}
    )

    def __post_init__(self) -> None:
        self.w = {name: tensor.double() for name, tensor in self.model.own_weights().items()}
        self.config = self.model.config
        self.d, self.heads = self.config.d_model, self.config.n_heads
        self.d_k = self.d // self.heads

    def logits(self, src: Tensor, tgt: Tensor) -> Tensor:
        config = self.config
        src_mask, tgt_mask = self.masks(src, tgt)
        x = self.embed("src_embedding", src)
        for n in range(config.n_encoder_layers):
            x = self.add_norm(f"encoder.{n}.attention", x, "encoder", src_mask)
            x = self.add_norm(f"encoder.{n}.feed_forward", x)
        memory = self.norm("encoder_norm", x) if config.norm_first else x
        y = self.embed("tgt_embedding", tgt)
        for n in range(config.n_decoder_layers):
            y = self.add_norm(f"decoder.{n}.attention", y, "decoder", tgt_mask)
            y = self.add_norm(f"decoder.{n}.cross", y, "cross", src_mask, memory)
            y = self.add_norm(f"decoder.{n}.feed_forward", y)
        y = self.norm("decoder_norm", y) if config.norm_first else y
        return self.linear("to_logits", y)

    def masks(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, query, key), for the source with one query."""
        src_word, tgt_word = src != self.config.src_pad_id, tgt != self.config.tgt_pad_id
        if self.mistake == "columns":
            src_word, tgt_word = (by_squares(words) for words in (src_word, tgt_word))
        length = tgt.shape[1]
        past = torch.arange(length)[:, None] >= torch.arange(length)
        if self.mistake == "no_causal":
            past = torch.ones(length, length, dtype=torch.bool)
        if self.mistake == "pad_queries":
            return src_word[:, None], tgt_word[:, :, None] & past
        return src_word[:, None], tgt_word[:, None] & past

    def embed(self, name: str, ids: Tensor) -> Tensor:
        x = self.w[f"{name}.token.weight"][ids]
        if self.mistake != "unscaled_embedding":
            x = x * math.sqrt(self.d)
        base = 1000 if self.mistake == "base_1000" else 10000
        double = 2 if self.mistake == "doubled_exponent" else 1
        for pos in range(ids.shape[1]):
            for dim in range(self.d):
                even = dim - dim % 2
                angle = pos / base ** (double * even / self.d)
                x[:, pos, dim] += math.cos(angle) if dim % 2 else math.sin(angle)
        return drop(x, self.config.dropout, self.dice)

    def add_norm(
        self,
        name: str,
        x: Tensor,
        kind: str = "",
        mask: Tensor | None = None,
        memory: Tensor | None = None,
    ) -> Tensor:
        norm, p = f"{name}_residual.norm", self.config.dropout
        seen = self.norm(norm, x) if self.config.norm_first else x
        if mask is not None:
            out = self.attend(name, kind, seen, seen if memory is None else memory, mask)
        else:
            hidden = self.linear(f"{name}.w_1", seen).clamp(min=0)
            out = self.linear(f"{name}.w_2", drop(hidden, p, self.dice))
        if self.mistake == "dropout_after_norm":
            x = x + out
            return drop(x if self.config.norm_first else self.norm(norm, x), p, self.dice)
        x = x + drop(out, p, self.dice)
        return x if self.config.norm_first else self.norm(norm, x)

    def attend(self, name: str, kind: str, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        rows, columns = x.shape[1], memory.shape[1]
        w, b = self.w[f"{name}.w_qkv.weight"], self.w[f"{name}.w_qkv.bias"]
        from_x, from_memory = (
            [part.unflatten(-1, (self.heads, self.d_k)) for part in (side @ w.T + b).chunk(3, -1)]
            for side in (x, memory)
        )  # each (batch, length, heads, d_k)
        q, k, v = from_x[0], from_memory[1], from_memory[2]
        if self.mistake == "queries_from_encoder" and kind == "cross":
            q, v = fitted(from_memory[0], rows), fitted(from_x[2], columns)
        if self.mistake == "sequence_first":
            context = self.across(kind, q, k, v, mask)
        else:
            context = self.within(kind, q, k, v, mask)
        if self.mistake == "heads_not_merged":
            merged = context.permute(0, 2, 1, 3).contiguous().view(len(x), rows, self.d)
        else:
            merged = context.flatten(2)
        return self.linear(f"{name}.w_o", merged)

    def within(self, kind: str, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
        if self.mistake != "unscaled_scores":
            scores = scores / math.sqrt(self.d_k)
        open_cells = mask[:, None].expand_as(scores)
        powers = torch.where(open_cells, scores.exp(), 0.0)
        total = powers.sum(dim=2 if self.mistake == "wrong_axis" else 3, keepdim=True)
        weights = torch.where(total > 0, powers / total, 0.0)
        self.weights[kind].append(weights)
        return torch.einsum("bhqk,bkhd->bqhd", drop(weights, self.config.dropout, self.dice), v)

    def across(self, kind: str, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        """The word of every sentence at one place, one after the other."""
        batch, rows, columns = len(q), q.shape[1], k.shape[1]
        context, drawn = torch.zeros_like(q), q.new_zeros(batch, self.heads, rows, columns)
        for at in range(min(rows, columns)):
            for one in range(batch):
                others = [
                    other
                    for other in range(batch)
                    if bool(mask[other, at if kind == "decoder" else 0, at])
                    and (kind != "decoder" or other <= one)
                ]
                for head in range(self.heads):
                    powers = [
                        float((q[one, at, head] @ k[other, at, head] / math.sqrt(self.d_k)).exp())
                        for other in others
                    ]
                    for other, power in zip(others, powers, strict=True):
                        context[one, at, head] += power / sum(powers) * v[other, at, head]
                        if other == one:
                            drawn[one, head, at, at] = power / sum(powers)
        self.weights[kind].append(drawn)
        return context

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        spread = (centred.pow(2).mean(dim=-1, keepdim=True) + self.config.norm_eps).sqrt()
        return centred / spread * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]


def fitted(x: Tensor, length: int) -> Tensor:
    """(batch, length, heads, d_k): the first ones, then zeros."""
    out = x.new_zeros(len(x), length, *x.shape[2:])
    out[:, : x.shape[1]] = x[:, :length]
    return out


def by_squares(words: Tensor) -> Tensor:
    """Cell (i, j) of each square is cell (j, i); below the last sentence all is PAD."""
    batch, length = words.shape
    turned = torch.zeros_like(words)
    for i in range(batch):
        for j in range(length):
            at = i // length * length + j
            turned[i, j] = at < batch and words[at, i % length]
    return turned
