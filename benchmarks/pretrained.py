"""A forward pass with its full trace, against `transformers` with the same weights.

`transformers` runs in eager mode and returns every attention and every hidden state, which is less
than the trace holds. Both use one thread, and both have random weights in the usual sizes.
"""

import statistics
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from benchmarks.forward import PAIRS, WARM_UP, Calls, seconds
from benchmarks.report import Row, Section
from explorer.runtime.memory import keep_memory_at_hand
from explorer.transformer import Transformer
from explorer.weights.huggingface.model import read_model

LENGTHS: Final = (32, 128)
Make = Callable[[Any], Any]


def marian(transformers: Any) -> Any:
    """The usual size of an opus-mt model."""
    return transformers.MarianMTModel(
        transformers.MarianConfig(
            vocab_size=58101, d_model=512, encoder_layers=6, decoder_layers=6,
            encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048,
            decoder_ffn_dim=2048, pad_token_id=58100, decoder_start_token_id=58100,
            eos_token_id=0, activation_function="swish", scale_embedding=True,
            max_position_embeddings=512, attn_implementation="eager",
        )
    )  # fmt: skip


def bert(transformers: Any) -> Any:
    """BERT-base, without a head."""
    config = transformers.BertConfig(vocab_size=30522, attn_implementation="eager")
    return transformers.BertModel(config, add_pooling_layer=False)


def calls(theirs: Any, ours: Transformer, length: int) -> Calls:
    """Our forward and theirs, on the same ids."""
    ids = torch.randint(5, 30000, (1, length), generator=torch.Generator().manual_seed(length))
    both = ours.config.has_decoder
    asked = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if both:
        asked["decoder_input_ids"] = ids

    def of_ours() -> Tensor:
        trace = ours(ids, ids) if both else ours(ids)
        return trace.logits if both else trace.memory

    def of_theirs() -> Tensor:
        out = theirs(**asked, output_attentions=True, output_hidden_states=True, use_cache=False)
        return out.logits if both else out.last_hidden_state

    return of_ours, of_theirs


def measure() -> Section:
    """Both models at every length: ours, theirs, ours, theirs, …"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import transformers
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    keep_memory_at_hand()
    rows = []
    for name, make in (("Marian, 6+6, d_model 512", marian), ("BERT, 12, d_model 768", bert)):
        theirs = make(transformers).eval()
        with tempfile.TemporaryDirectory() as folder:
            theirs.save_pretrained(folder)
            ours = read_model(Path(folder))[0]
        rows += [_row(name, theirs, ours, length) for length in LENGTHS]
    return Section(
        title="Pretrained: the full trace against transformers in eager mode",
        rows=rows,
        notes=[
            "transformers returns all attentions and the hidden states after every layer "
            "(`output_attentions=True`, `output_hidden_states=True`), without a cache."
        ],
    )


def _row(name: str, theirs: Any, ours: Transformer, length: int) -> Row:
    with torch.inference_mode():
        of_ours, of_theirs = calls(theirs, ours, length)
        apart = float((of_ours() - of_theirs()).abs().max())
        for _ in range(WARM_UP):
            of_ours(), of_theirs()
        pairs = [(seconds(of_ours), seconds(of_theirs)) for _ in range(PAIRS // 2)]
    mine, others = (1e3 * statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    return Row(
        what=f"{name}, {length} tokens: with the full trace / transformers",
        how=f"median of {len(pairs)} pairs of forwards; largest difference {apart:.0e}",
        aim="≤ 1.0",
        measured=f"**{ratio:.2f}** ({mine:.0f} / {others:.0f} ms)",
    )
