"""Masks and positions for notebooks."""

import math
from typing import Any

import numpy as np
import torch

from explorer import masks, positional
from explorer.exploration import Exploration, Positions
from explorer.figures import positional as figures
from explorer.figures.describe import allowed_in_words, mask_in_words
from explorer.figures.masks import mask_grid, mask_row, source_mask
from explorer.figures.theme import LIGHT
from explorer.languages import tr, tr_n
from explorer.notebook.picture import Picture, Plot
from explorer.notebook.words import about

ASPECTS = ("inputs", "encoding", "waves", "similarity")
SHOWN_DIMENSIONS = 128  # of inputs: more would be too narrow to see


def masks_of(seen: Exploration, which: str) -> Picture:
    """The masks of the pair in focus; "targets" are those of all pairs."""
    config = seen.model.config
    offered = {"target": _target, "targets": _targets, "source": _source, "cross": _cross}
    if not config.has_decoder:
        offered = {"source": _source}
    elif not config.has_encoder:
        offered = {"target": _target, "targets": _targets}
    if which != "all" and which not in offered:
        names = ", ".join((*offered, "all"))
        raise ValueError(f"which must be one of {names} for this model, got {which!r}")
    drawn = offered if which == "all" else {which: offered[which]}
    return Picture([draw(seen) for draw in drawn.values()], about(seen))


def _target(seen: Exploration) -> Plot:
    batch, row, first = seen.batch, seen.row, seen.model.config.starts_with_pad
    codes = masks.target_reasons(batch.tgt_in, batch.pad_id, starts_with_pad=first)[row].numpy()
    padding, causal = masks.why_hidden(batch.tgt_in, batch.pad_id, starts_with_pad=first)
    labels = batch.tgt_in_labels[row]
    panels = [
        (tr("padding mask"), padding[row].numpy()),
        (tr("causal mask"), causal[row].numpy()),
        (tr("target mask"), codes),
    ]
    figure = mask_row(panels, labels, labels, LIGHT, signs=("×", "="))
    caption = tr("Padding mask × causal mask = target mask.")
    return Plot(figure, mask_in_words(codes, labels), caption)


def _targets(seen: Exploration) -> Plot:
    batch, first = seen.batch, seen.model.config.starts_with_pad
    codes = masks.target_reasons(batch.tgt_in, batch.pad_id, starts_with_pad=first).numpy()
    labels = batch.tgt_in_labels
    figure = mask_grid(codes, labels, labels, seen.row, LIGHT)
    alt = tr_n("Target masks of {n} sentence.", "Target masks of {n} sentences.", len(codes))
    return Plot(figure, alt, tr("All target masks."))


def _source(seen: Exploration) -> Plot:
    allowed = masks.padding_mask(seen.batch.src, seen.batch.pad_id)[:, 0, 0].numpy()
    return Plot(source_mask(allowed, LIGHT), allowed_in_words(allowed), tr("Source mask."))


def _cross(seen: Exploration) -> Plot:
    batch, row = seen.batch, seen.row
    codes = masks.cross_reasons(batch.src, batch.tgt_in.shape[1], batch.pad_id)[row].numpy()
    queries, keys = batch.tgt_in_labels[row], batch.src_labels[row]
    reasons = (masks.MAY_ATTEND, masks.KEY_IS_PAD)
    figure = mask_row([(tr("cross-attention mask"), codes)], queries, keys, LIGHT, legend=reasons)
    return Plot(figure, mask_in_words(codes, queries), tr("Cross-attention mask."))


def positions_of(seen: Exploration, aspect: str, options: Positions) -> Picture:
    """The positions of the model, or the paper's waves."""
    if aspect not in ASPECTS:
        raise ValueError(f"aspect must be one of {', '.join(ASPECTS)}, got {aspect!r}")
    base, formula = float(options.get("base", 10_000)), options.get("formula", "paper")
    if aspect == "inputs":
        scaled = options.get("scaled", True) and seen.model.config.scale_embedding
        return Picture([_inputs(seen, base, formula, scaled=scaled)], about(seen))
    length, d_model = options.get("length", 80), seen.model.config.d_model
    encoding = positional.sinusoidal(length, d_model, base, formula).numpy()
    if aspect == "encoding":
        figure, name = figures.encoding_heatmap(encoding, LIGHT), tr("Positional encoding")
    elif aspect == "similarity":
        figure = figures.similarity_heatmap(encoding @ encoding.T, LIGHT)
        name = tr("Similarity of positions, PE(p)·PE(q)")
    else:
        first = min(options.get("first", 0), d_model - 1)
        figure, name = _waves(encoding, base, formula, first), tr("Waves of a few dimensions")
    said = tr(
        "{name}: {length} positions, d_model {d_model}, base {base:,.0f}.",
        name=name,
        length=length,
        d_model=d_model,
        base=base,
    )
    return Picture([Plot(figure, said, said)], "")


def _waves(encoding: np.ndarray, base: float, formula: str, first: int) -> Any:
    length, d_model = encoding.shape
    dimensions = [dim for dim in (first, first + 1, first + 4, first + 5) if dim < d_model]
    turn = 2 * math.pi * base ** (positional.VARIANTS[formula] * (first - first % 2) / d_model)
    steps = 20 if length <= 64 else 8
    at = torch.linspace(0, length - 1, (length - 1) * steps + 1, dtype=torch.float64)
    fine = positional.waves(at, d_model, base, formula).numpy()
    marked = (0.0, turn) if turn <= length - 1 else (0.0,)
    return figures.curves(encoding, fine, at.numpy(), dimensions, LIGHT, marked=marked)


def _inputs(seen: Exploration, base: float, formula: str, *, scaled: bool) -> Plot:
    ran, config = seen.run(), seen.model.config
    encoder = config.has_encoder
    trace = ran.trace.src_embedding if encoder else ran.trace.tgt_embedding
    tokens = ran.src_labels if encoder else ran.tgt_labels
    shown = slice(0, SHOWN_DIMENSIONS)
    word = (trace.scaled if scaled else trace.embedded)[0].cpu().numpy()
    position = trace.position.detach().cpu().numpy()
    if config.positions == "sinusoidal":
        position = positional.sinusoidal(len(tokens), config.d_model, base, formula).numpy()
    name = tr("embedding × √{d_model}", d_model=config.d_model) if scaled else tr("embedding")
    panels = [
        (name, word[:, shown]),
        (tr("positional encoding"), position[:, shown]),
        (tr("sum"), (word + position)[:, shown]),
    ]
    alt = tr_n(
        "{embedding}, positional encoding and their sum for {n} token.",
        "{embedding}, positional encoding and their sum for {n} tokens.",
        len(tokens),
        embedding=name,
    )
    return Plot(figures.three_panels(panels, tokens, LIGHT), alt, alt)
