"""Which heads does the model need? Each one switched off, over many sentences (Michel et al. 2019).

The measure is the log-probability of every word that follows in the target, or, of an encoder
that predicts masked words, of the likeliest word at every position.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from explorer.analysis.causes.question import encoder_part, run
from explorer.intervention import Intervention, given_to_heads
from explorer.names import PAD, AttentionId, AttentionKind
from explorer.text import Batch
from explorer.transformer import Transformer, TransformerTrace

ROWS: Final = 8  # sentences × heads at once; more would take memory and make others wait


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadNeed(Mapping[AttentionKind, Float[np.ndarray, "layers heads"]]):
    """For each attention, the mean change of log-probability without each head, in nats a word.

    Negative where the words become less probable: the model needs the head. A head that others can
    replace shows no need, though it may do the same work.
    """

    changes: Mapping[AttentionKind, Float[np.ndarray, "layers heads"]]
    errors: Mapping[
        AttentionKind, Float[np.ndarray, "layers heads"]
    ]  # standard errors of the means; NaN for one sentence
    words: int  # in the means
    sentences: int  # the sample of the errors

    def __getitem__(self, kind: AttentionKind) -> Float[np.ndarray, "layers heads"]:
        return self.changes[kind]

    def __iter__(self) -> Iterator[AttentionKind]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)


def heads_needed(
    model: Transformer, batches: Sequence[Batch]
) -> Iterator[tuple[float, HeadNeed | None]]:
    """Yield the share of the work that is done, every few runs; at the end with the result.

    To switch off a head, its output (before W_O) is replaced by 0.

    Raises:
        ValueError: if there is no sentence, or the model predicts no words.
    """
    if not model.config.n_logits:
        raise ValueError(
            "this model predicts no words, so no head can change how probable they are"
        )
    if not batches:
        raise ValueError("sentences are needed: give at least one")
    attentions = model.config.attentions
    changes: dict[AttentionId, list[Tensor]] = {attention: [] for attention in attentions}
    counts: list[Tensor] = []
    for number, batch in enumerate(batches):
        read = _BatchRun(model, batch)
        counts.append(read.counted.sum(dim=1))
        for at, attention in enumerate(attentions):
            done = 0
            for of_some in read.without_heads(attention):
                changes[attention].append(of_some)
                done += len(of_some)
                of_batch = (at + done / len(batch.src)) / len(attentions)
                yield (number + of_batch) / len(batches), None
    whole = {attention: torch.cat(parts) for attention, parts in changes.items()}
    yield 1.0, _summed(whole, torch.cat(counts).cpu().double())


class _BatchRun:
    """A run of the model on a batch, with the log-probability of each word."""

    def __init__(self, model: Transformer, batch: Batch) -> None:
        self.model = model
        src, tgt = batch.sources.to(model.device), batch.targets_in.to(model.device)
        self.src, self.tgt = src.ids, tgt.ids
        config = model.config
        masks = Intervention(
            src_mask=model.src_mask(src.ids, src.words) if config.has_encoder else None,
            tgt_mask=model.tgt_mask(tgt.ids, tgt.words) if config.has_decoder else None,
        )
        self.trace = run(model, self.src, self.tgt, masks)
        self.words, self.counted = _measured(self.trace, batch)
        self.log_p = _log_p(self.trace, self.words)

    def without_heads(self, attention: AttentionId) -> Iterator[Float[Tensor, "some heads"]]:
        """The summed change of log-probability of every sentence, without each head.

        A few sentences at a time, in their order.
        """
        sentences, heads = self.trace.attention(*attention).context.shape[:2]
        off = torch.eye(heads, dtype=torch.bool, device=self.words.device)
        at_once = max(1, ROWS // heads)
        for first in range(0, sentences, at_once):
            rows = torch.arange(first, min(first + at_once, sentences))
            # One run for every sentence and head; the heads of a sentence lie together.
            every = rows.repeat_interleave(heads)
            given = replace(
                given_to_heads(attention, off.repeat(len(rows), 1)),
                src_mask=self.trace.src_mask[every],
                tgt_mask=self.trace.tgt_mask[every],
            )
            # The encoder runs again only if one of its own heads is off.
            reuses = self.model.config.has_encoder and attention[0] != "encoder"
            encoded = encoder_part(self.trace, every) if reuses else None
            trace = run(self.model, self.src[every], self.tgt[every], given, encoded)
            changes = _log_p(trace, self.words[every]) - self.log_p[every]
            total = torch.where(self.counted[every], changes, 0.0).sum(dim=1)
            yield total.view(len(rows), heads).cpu().double()


def _measured(
    trace: TransformerTrace, batch: Batch
) -> tuple[Int[Tensor, "sentences written"], Bool[Tensor, "sentences written"]]:
    """The words whose probability is measured, and the positions that have one."""
    if not trace.decoder:
        return trace.logits.argmax(dim=-1), trace.src_mask[:, 0, 0]
    counted = trace.tgt_mask[:, 0].diagonal(dim1=-2, dim2=-1)
    if batch.tgt_out is None:
        return trace.logits.argmax(dim=-1), counted
    # The last word of a shorter row has no word after it.
    follows = torch.tensor([[label != PAD for label in row[1:]] for row in batch.tgt_labels])
    return batch.tgt_out.to(counted.device), counted & follows.to(counted.device)


def _log_p(
    trace: TransformerTrace, words: Int[Tensor, "runs written"]
) -> Float[Tensor, "runs written"]:
    """log p of these words."""
    with torch.inference_mode():
        return trace.logits.log_softmax(dim=-1).gather(-1, words[..., None])[..., 0]


def _summed(
    changes: Mapping[AttentionId, Float[Tensor, "sentences heads"]],
    counts: Float[Tensor, " sentences"],
) -> HeadNeed:
    """Means over words; errors from the spread between sentences."""
    total, n = counts.sum(), len(counts)
    correction = n / (n - 1) if n > 1 else torch.nan  # one sentence has no spread
    means: dict[AttentionKind, list[np.ndarray]] = {}
    errors: dict[AttentionKind, list[np.ndarray]] = {}
    for (kind, _), of_sentences in changes.items():
        mean = of_sentences.sum(dim=0) / total
        # The residuals of a ratio of sums (Cochran 1977, 6.4).
        residuals = of_sentences - counts[:, None] * mean
        spread = (residuals.square().sum(dim=0) * correction).sqrt() / total
        means.setdefault(kind, []).append(mean.numpy())
        errors.setdefault(kind, []).append(spread.numpy())
    return HeadNeed(
        changes={kind: np.stack(layers) for kind, layers in means.items()},
        errors={kind: np.stack(layers) for kind, layers in errors.items()},
        words=int(total),
        sentences=n,
    )
