"""The translator's loss and its gradients, in half precision and without a trace.

Training needs neither scores nor masks to look at, and most of its time went into keeping them.
What is computed is `Transformer.forward` and `cross_entropy` with label smoothing.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from explorer.attention import MultiHeadAttention
from explorer.intervention import Stack
from explorer.layers import Embedding, FeedForward
from explorer.names import AttentionKind
from explorer.positional import sinusoidal
from explorer.transformer import Transformer

# Pieces whose logits are computed at once: on a CPU, they stay in its cache.
_ROWS: Final = 512
_ROWS_READ_TWICE: Final = 128
_ROWS_ON_A_GPU: Final = 2048
_DICE: Final = 1 << 25
COPYING: Final = 4  # a head of cross-attention: any would do
# By stack and layer: heads that are taught to look at one place, in tokens from their own.
LOOKS: Final[Mapping[tuple[Stack, int], Mapping[int, int]]] = {
    ("encoder", 0): {0: 1, 3: -1},
    ("decoder", 0): {0: -1, 1: -2},
    ("decoder", 1): {7: -1},
    ("decoder", 2): {4: 0},
}


def taught_heads(model: Transformer) -> list[tuple[AttentionKind, int, int]]:
    """Kind, layer and head of the heads that `copying` and `looking` teach, from 0."""
    layers = len(model.decoder)
    copying: list[tuple[AttentionKind, int, int]]
    copying = [("cross", layer, COPYING) for layer in range(max(0, layers - 2), layers)]
    looking = [(stack, layer, head) for (stack, layer), heads in LOOKS.items() for head in heads]
    return [
        (kind, layer, head)
        for kind, layer, head in (*looking, *copying)
        if layer < model.config.layers_of(kind) and head < model.config.n_heads
    ]


class Dropout:
    """Dropout from random numbers that are drawn once; each call begins at a random one of them.

    The share that is dropped is rounded to a multiple of 1/256.
    """

    def __init__(self, p: float, seed: int, device: str = "cpu") -> None:
        bound = round(256 * p)
        dice = torch.Generator().manual_seed(seed)
        thrown = torch.randint(0, 256, (_DICE if bound else 0,), generator=dice, dtype=torch.uint8)
        scales = (thrown >= bound).to(torch.bfloat16) * (256 / (256 - bound))
        self._scales = scales.to(device)

    def __call__(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Drop some elements of x."""
        if not len(self._scales):
            return x
        n = x.numel()
        if n > len(self._scales):
            raise ValueError(f"dropout is for up to {_DICE:,} numbers at once, got {n:,}")
        at = int(torch.randint(0, len(self._scales) - n + 1, (1,), generator=generator))
        return x * self._scales[at : at + n].view(x.shape)


def loss_of(
    model: Transformer,
    src: Int[Tensor, "batch src"],
    tgt: Int[Tensor, "batch tgt"],
    *,
    smoothing: float,
    dropout: Dropout,
    generator: torch.Generator,
    copying: float = 0.0,
    looking: float = 0.0,
    agreeing: float = 0.0,
) -> Float[Tensor, ""]:
    """The mean loss, in nats a piece, of the targets with BOS and EOS, each after those before.

    For models like the translator's: pre-norm, sinusoidal positions, ReLU; PAD on the right.

    With `copying`, so many times the mean of -log a is added, where a is the weight of a piece of
    the source that is to be written next, in the `COPYING` head of the last two layers (guided
    alignment, Chen et al. 2016). It teaches to copy names that were never read before. With
    `looking`, the same is done for the heads of `LOOKS` and their places: some heads do one thing
    only, so that their weights can be read. With `agreeing`, each pair is read twice, with other
    numbers dropped, and so many times the mean divergence of the two predictions is added: the
    mean of KL(p || q) and KL(q || p), where p and q are theirs (R-Drop, Liang et al. 2021, whose α
    is twice as large, since there both readings are summed).
    """
    if agreeing:
        src, tgt = src.repeat(2, 1), tgt.repeat(2, 1)
    return _Pass(model, dropout, generator, looking).loss(src, tgt, smoothing, copying, agreeing)


def _missed(
    attention: MultiHeadAttention,
    head: int,
    query: Tensor,
    memory: Tensor,
    mask: Tensor,
    right: Bool[Tensor, "batch query key"],
) -> Tensor:
    """The mean of -log of what one head attends to the right keys, where there are any."""
    if head >= attention.n_heads:  # a model with fewer heads does without
        return torch.zeros((), device=query.device)
    weight, bias = _half(attention.w_qkv.weight), _half(attention.w_qkv.bias)
    width, d_k = query.shape[-1], query.shape[-1] // attention.n_heads
    first = head * d_k
    of_q, of_k = slice(first, first + d_k), slice(width + first, width + first + d_k)
    q, k = F.linear(query, weight[of_q], bias[of_q]), F.linear(memory, weight[of_k], bias[of_k])
    hidden = mask if mask.ndim == 2 else mask[:, 0]
    logs = (q @ k.mT / math.sqrt(d_k) + hidden).float().log_softmax(dim=-1)
    taught = right.any(dim=-1, keepdim=True)
    # Where there are none, all weights are left: the logarithm of their sum is 0.
    found = logs.masked_fill(taught & ~right, -torch.inf).logsumexp(dim=-1)
    return -found.sum() / taught.sum().clamp(min=1)


class _Pass:
    """One pass through a model, in half precision but for sums over many positions."""

    def __init__(
        self, model: Transformer, dropout: Dropout, generator: torch.Generator, looking: float
    ) -> None:
        self.model = model
        self._dropout = dropout
        self._generator = generator
        self._looking = looking
        # The loss of heads that are taught to attend to one place.
        self._guidance = torch.zeros((), device=model.to_logits.weight.device)

    def loss(
        self, src: Tensor, tgt: Tensor, smoothing: float, copying: float, agreeing: float
    ) -> Tensor:
        model, config = self.model, self.model.config
        read, written = tgt[:, :-1], tgt[:, 1:]
        no_pad = _hidden(src == config.src_pad_id)[:, None, None, :]
        past = _hidden(_square(read).triu(1).bool())

        x = self._embed(model.src_embedding, src)
        for number, layer in enumerate(cast(Iterable[Any], model.encoder)):
            y = _norm(x, layer.attention_residual.norm)
            self._teach(("encoder", number), layer.attention, y, no_pad, src != config.src_pad_id)
            x = x + self._drop(self._attend(layer.attention, y, y, no_pad))
            y = _norm(x, layer.feed_forward_residual.norm)
            x = x + self._drop(self._feed_forward(layer.feed_forward, y))
        memory = _norm(x, model.encoder_norm)

        x = self._embed(model.tgt_embedding, read)
        counts = written != config.tgt_pad_id
        same = (written[:, :, None] == src[:, None, :]) & counts[:, :, None]
        for number, layer in enumerate(cast(Iterable[Any], model.decoder)):
            y = _norm(x, layer.attention_residual.norm)
            self._teach(("decoder", number), layer.attention, y, past, counts)
            x = x + self._drop(self._attend(layer.attention, y, y, past))
            y = _norm(x, layer.cross_residual.norm)
            if copying and layer in model.decoder[-2:]:
                missed = _missed(layer.cross, COPYING, y, memory, no_pad, same)
                self._guidance = self._guidance + copying * missed
            x = x + self._drop(self._attend(layer.cross, y, memory, no_pad))
            y = _norm(x, layer.feed_forward_residual.norm)
            x = x + self._drop(self._feed_forward(layer.feed_forward, y))

        x = _norm(x, model.decoder_norm)
        return self._of_words(x, written, counts, smoothing, agreeing) + self._guidance

    def _of_words(
        self, x: Tensor, written: Tensor, counts: Tensor, smoothing: float, agreeing: float
    ) -> Tensor:
        matrix, bias = _half(self.model.to_logits.weight), self.model.to_logits.bias
        found: Tensor = _SmoothedLoss.apply(  # type: ignore[no-untyped-call]
            x[counts], matrix, bias, written[counts], smoothing, agreeing
        )
        return found

    def _teach(
        self,
        place: tuple[Stack, int],
        attention: MultiHeadAttention,
        x: Tensor,
        mask: Tensor,
        counts: Tensor,
    ) -> None:
        """Add the loss of the taught heads of a self-attention, over the tokens that count."""
        if not self._looking:
            return
        for head, away in LOOKS.get(place, {}).items():
            band = _square(x).triu(away).tril(away).bool()
            cells = band & counts[:, :, None] & counts[:, None, :]
            missed = _missed(attention, head, x, x, mask, cells)
            self._guidance = self._guidance + self._looking * missed

    def _drop(self, x: Tensor) -> Tensor:
        return self._dropout(x, self._generator)

    def _embed(self, embedding: Embedding, ids: Tensor) -> Tensor:
        # Single precision: the gradients of a frequent piece are summed over all its places.
        x = F.embedding(ids, embedding.token.weight) * embedding.scale
        waves = sinusoidal(ids.shape[1], x.shape[-1]).to(x.device)
        return self._drop((x + waves).bfloat16())

    def _attend(
        self, attention: MultiHeadAttention, query: Tensor, memory: Tensor, mask: Tensor
    ) -> Tensor:
        weight, bias = _half(attention.w_qkv.weight), _half(attention.w_qkv.bias)
        heads, width = attention.n_heads, query.shape[-1]
        if query is memory:
            q, k, v = F.linear(query, weight, bias).chunk(3, dim=-1)
        else:
            q = F.linear(query, weight[:width], bias[:width])
            k, v = F.linear(memory, weight[width:], bias[width:]).chunk(2, dim=-1)
        q, k, v = (part.view(*part.shape[:2], heads, -1).transpose(1, 2) for part in (q, k, v))
        scores = q @ k.mT / math.sqrt(q.shape[-1]) + mask  # (batch, heads, query, key)
        context = self._drop(scores.softmax(dim=-1)) @ v
        return _linear(context.transpose(1, 2).flatten(2), attention.w_o)

    def _feed_forward(self, part: FeedForward, x: Tensor) -> Tensor:
        return _linear(self._drop(F.relu(_linear(x, part.w_1), inplace=True)), part.w_2)


class _SmoothedLoss(torch.autograd.Function):
    """Cross-entropy with label smoothing of h Wᵀ + b, whose gradients come with it.

    So the logits, by far the largest of all tensors, are never kept. With `agreeing`, the rows are
    those of a first reading and then those of a second.
    """

    @staticmethod
    def forward(
        ctx: Any,
        h: Tensor,
        matrix: Tensor,
        bias: Tensor,
        wanted: Tensor,
        smoothing: float,
        agreeing: float,
    ) -> Tensor:
        sure, other = 1.0 - smoothing, smoothing / len(matrix)
        grad_h = torch.empty_like(h)
        grad_matrix, grad_bias = torch.zeros_like(matrix, dtype=torch.float), torch.zeros_like(bias)
        total = torch.zeros((), device=h.device)
        n_rows = _ROWS_ON_A_GPU if h.is_cuda else _ROWS_READ_TWICE if agreeing else _ROWS
        # By reading: (readings, pieces, ...).
        readings = 2 if agreeing else 1
        by_h, by_grad = (part.view(readings, -1, h.shape[-1]) for part in (h, grad_h))
        by_wanted = wanted.view(readings, -1, 1)
        for first in range(0, by_h.shape[1], n_rows):
            rows = slice(first, first + n_rows)
            rows_of_h, right = by_h[:, rows], by_wanted[:, rows]
            logits = (rows_of_h @ matrix.mT).float() + bias
            total_of_row = logits.logsumexp(dim=-1, keepdim=True)
            missed = total_of_row - sure * logits.gather(-1, right) - other * logits.sum(-1, True)
            total += missed.sum()
            logs = logits.sub_(total_of_row)
            if agreeing:
                divergence, of_divergence = _divergence(logs)
                total += 2 * agreeing * divergence
            gradient = logs.exp_().sub_(other)
            gradient.scatter_add_(-1, right, gradient.new_full(right.shape, -sure))
            if agreeing:
                gradient += 2 * agreeing * of_divergence
            grad_bias += gradient.sum(dim=(0, 1))
            slope = gradient.to(h.dtype)
            by_grad[:, rows] = slope @ matrix
            grad_matrix += slope.flatten(0, 1).mT @ rows_of_h.flatten(0, 1)
        ctx.save_for_backward(grad_h, grad_matrix, grad_bias)
        return total / len(h)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        grad_h, grad_matrix, grad_bias = ctx.saved_tensors
        share = grad / len(grad_h)
        kept = (grad_h * share).to(grad_h.dtype)
        return kept, grad_matrix * share, grad_bias * share, None, None, None


def _divergence(logs: Float[Tensor, "2 pieces vocabulary"]) -> tuple[Tensor, Tensor]:
    """The divergence of two readings, summed over all pieces, and its gradient by the logits."""
    p, q = logs.exp()
    apart, more = logs[0] - logs[1], p - q
    kl_of_p = (p * apart).sum(dim=-1, keepdim=True)
    kl_of_q = -(q * apart).sum(dim=-1, keepdim=True)
    gradient = torch.stack([p * (apart - kl_of_p) + more, q * (-apart - kl_of_q) - more])
    return (kl_of_p.sum() + kl_of_q.sum()) / 2, gradient / 2


class _Half(torch.autograd.Function):
    """The weights in half precision; their gradients are added up in single precision."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor) -> Tensor:
        return weight.bfloat16()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad.float()


def _half(weight: Tensor) -> Tensor:
    found: Tensor = _Half.apply(weight)  # type: ignore[no-untyped-call]
    return found


def _norm(x: Tensor, norm: nn.Module) -> Tensor:
    assert isinstance(norm, nn.LayerNorm)
    weight, bias = _half(norm.weight), _half(norm.bias)
    return F.layer_norm(x, weight.shape, weight, bias, norm.eps)


def _linear(x: Tensor, linear: nn.Linear) -> Tensor:
    return F.linear(x, _half(linear.weight), _half(linear.bias))


def _hidden(where: Tensor) -> Tensor:
    """The mask as numbers to add to scores: −∞ where a key is hidden."""
    zeros = torch.zeros(where.shape, dtype=torch.bfloat16, device=where.device)
    return zeros.masked_fill_(where, -torch.inf)


def _square(x: Tensor) -> Float[Tensor, "n n"]:
    """Ones for each pair of the positions of x."""
    return torch.ones(x.shape[1], x.shape[1], device=x.device)
