"""A forward pass that returns every intermediate, against `torch.nn.Transformer`.

Both have the same weights and go from ids to logits. Embeddings, masks and the projection to the
vocabulary, which `torch.nn.Transformer` lacks, are the model's own on both sides. Both use one
thread: with more, the result would depend on the other load of the cores.
"""

import statistics
import time
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

from benchmarks.report import Row, Section
from explorer.config import ModelConfig
from explorer.interop import to_torch
from explorer.masks import causal_mask, padding_mask
from explorer.runtime.memory import keep_memory_at_hand
from explorer.transformer import Transformer

LENGTHS: Final = (12, 32, 64, 128)
PAIRS: Final = 60
WARM_UP: Final = 5
VOCABULARY: Final = 1000
Calls = tuple[Callable[[], Tensor], Callable[[], Tensor]]
Pair = Callable[[Transformer, int], Calls]


def forwards(model: Transformer, length: int) -> Calls:
    """Ours and torch's forward, on one sentence pair whose last two source tokens are PAD."""
    twin = to_torch(model)
    ids = torch.Generator().manual_seed(length)
    src, tgt = torch.randint(4, VOCABULARY, (2, 1, length), generator=ids)
    pad_id = model.config.src_pad_id
    src[:, -2:] = pad_id

    def ours() -> Tensor:
        return model(src, tgt).logits

    def theirs() -> Tensor:
        ignored = ~padding_mask(src, pad_id)[:, 0, 0]
        out = twin(
            model.src_embedding(src).out,
            model.tgt_embedding(tgt).out,
            tgt_mask=~causal_mask(length)[0, 0],
            src_key_padding_mask=ignored,
            memory_key_padding_mask=ignored,
        )
        return model.to_logits(out)

    return ours, theirs


def only_target(model: Transformer, length: int) -> Calls:
    """A forward with an already encoded source, and a full one."""
    ids = torch.Generator().manual_seed(length)
    src, tgt = torch.randint(4, VOCABULARY, (2, 1, length), generator=ids)
    encoded = model.encode(src)
    return lambda: model(src, tgt, encoded=encoded).logits, lambda: model(src, tgt).logits


def seconds(call: Callable[[], Tensor]) -> float:
    """The duration of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure() -> Section:
    """Every length: ours, theirs, ours, theirs, …"""
    torch.set_num_threads(1)
    keep_memory_at_hand()
    config = ModelConfig(
        d_model=512, n_heads=8, n_encoder_layers=6, n_decoder_layers=6, d_ff=2048,
        src_vocab_size=VOCABULARY, tgt_vocab_size=VOCABULARY,
    )  # fmt: skip
    model = Transformer(config).eval()
    return Section(
        title="Forward: the full trace against torch.nn.Transformer",
        rows=[
            *(
                _row(
                    f"{n} tokens: with the full trace / nn.Transformer", "≤ 1.0", forwards, model, n
                )
                for n in LENGTHS
            ),
            *(
                _row(f"{n} tokens: only the target changes / full", "≤ 0.65", only_target, model, n)
                for n in LENGTHS
            ),
        ],
        notes=[
            f"{PAIRS} pairs per length, in turn, in one process on one thread, one sentence pair, "
            "`torch.inference_mode`, ids to logits. Ours returns every intermediate, "
            "`nn.Transformer` (eval, same weights) none. Memory is kept from one pass to the next, "
            "as in the app. Ratio: median over pairs. Attention that keeps its scores and weights "
            "needs separate steps where `nn.Transformer` has one fused step that keeps neither; "
            "all else is equal, so the ratio reaches 1.0 within the spread, but not less.",
        ],
    )


def _row(what: str, aim: str, pair: Pair, model: Transformer, length: int) -> Row:
    with torch.inference_mode():
        ours, theirs = pair(model, length)
        difference = float((ours() - theirs()).abs().max())
        if difference > 1e-3:
            raise RuntimeError(f"the two must agree, they differ by {difference:.1e}")
        pairs = [(seconds(ours), seconds(theirs)) for _ in range(WARM_UP + PAIRS)][WARM_UP:]
    low, middle, high = statistics.quantiles([a / b for a, b in pairs], n=4)
    a, b = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    return Row(
        what=what,
        how="d_model 512, 8 heads, 6+6 layers",
        aim=aim,
        measured=f"**{middle:.2f}** (quartiles {low:.2f}–{high:.2f}; {a:.1f} / {b:.1f} ms)",
    )
