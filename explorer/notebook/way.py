"""The stack and the answer as it is written, for notebooks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from explorer.analysis.stops import Stop, residual_stream, stops, stream_measure
from explorer.exploration import Exploration
from explorer.figures import describe
from explorer.figures.attention import Heads, one_head
from explorer.figures.decoding import Node, next_words, tree
from explorer.figures.stack import SHOWN, lens, stream, token_heatmap
from explorer.figures.theme import LIGHT
from explorer.languages import mark, tr, tr_n
from explorer.names import PAD
from explorer.notebook.attention import Place, known_heads, name_of, telling
from explorer.notebook.picture import Picture, Plot
from explorer.notebook.words import about
from explorer.runtime.engine import Run
from explorer.runtime.generation import DecodingOptions, Generation, generate
from explorer.text import Answer

Measure = Literal["similarity", "change", "norm"]
MEASURES: Final[dict[Measure, str]] = {
    "similarity": mark("likeness to the start"),
    "change": mark("change"),
    "norm": mark("vector norm"),
}
SHOWN_WORDS: Final = 8  # likeliest next words


def stack_of(seen: Exploration, at: int, measure: Measure, *, change: bool) -> Picture:
    """One stop, the residual stream of its side, and what the decoder would write."""
    if measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    ran = seen.run()
    way = stops(seen.model, ran.trace)
    if not 0 <= at < len(way):
        raise ValueError(f"stop must lie in 0 … {len(way) - 1}, got {at}")
    plots = [_stop(way[at], ran, change=change), _stream(way, way[at], ran, measure)]
    if seen.model.config.has_decoder:
        plots.append(_lens(ran))
    return Picture(plots, about(seen))


def _stop(stop: Stop, ran: Run, *, change: bool) -> Plot:
    drawn = stop.values
    if change and stop.before is not None:
        drawn = stop.values - stop.before
    values, width = drawn.cpu().numpy(), stop.values.shape[1]
    labels = ran.src_labels if stop.side == "src" else ran.tgt_labels
    names: Sequence[str] | None = None
    scale: Literal["signed", "weights"] = "signed"
    if stop.name in ("logits", "probabilities"):
        words = len(ran.batch.tgt_vocab.tokens)
        ids = np.arange(min(width, SHOWN, 4 + words if words else SHOWN))
        if 4 + words > SHOWN:  # the first ids are no more telling than others
            ids = np.sort(np.argsort(-values.max(axis=0), kind="stable")[:SHOWN])
        values, names = values[:, ids], ran.batch.tgt_names(ids.tolist())
        if stop.name == "probabilities":
            scale = "weights"
    title, shape = stop.title, tuple(stop.values.shape)
    said = tr("{stop}, shape {shape}.", stop=title[:1].upper() + title[1:], shape=shape)
    figure = token_heatmap(values[:, :SHOWN], labels, LIGHT, columns=names, scale=scale)
    return Plot(figure, said, said)


def _stream(way: list[Stop], here: Stop, ran: Run, measure: Measure) -> Plot:
    passed = residual_stream(way, here.side)
    labels = ran.src_labels if here.side == "src" else ran.tgt_labels
    name = tr(MEASURES[measure])
    figure = stream(
        stream_measure(passed, measure).T,
        labels,
        [stop.stage for stop in passed],
        LIGHT,
        measure=name,
        signed=measure == "similarity",
        here=next((n for n, stop in enumerate(passed) if stop is here), None),
    )
    said = tr("The residual stream: {measure}.", measure=name)
    return Plot(figure, said, said)


def _lens(ran: Run) -> Plot:
    found, batch = ran.logit_lens(), ran.batch
    asked = ran.tgt_labels if batch.tgt_out is None else batch.tgt_out_labels[ran.row]
    real = [at for at, label in enumerate(asked) if label != PAD]
    words = [batch.tgt_names(line) for line in found.best[:, real].tolist()]
    layers = (tr("layer {layer}", layer=n + 1) for n in range(len(words) - 1))
    names = [tr("embedding"), *layers]
    read = [ran.tgt_labels[at] for at in real]
    said = tr("The logit lens: the likeliest next word after each layer.")
    return Plot(lens(words, found.sure[:, real], read, names, LIGHT), said, said)


def decoded(
    seen: Exploration,
    options: DecodingOptions,
    place: tuple[int | None, int | None],
    at: int | None,
) -> Picture:
    """The next word at one step, the source of each word, and the search of a beam.

    Raises:
        ValueError: if the model writes nothing.
    """
    answer = answer_of(seen, options)
    last = len(answer.words) - 1
    at = last if at is None else at
    if not 0 <= at <= last:
        raise ValueError(f"at must lie in 0 … {last}, got {at}")
    said = seen.batch.tgt_names([word.chosen for word in answer.words])
    plots = [_next_word(seen, answer, options, at)]
    if answer.tree:
        plots.append(_tree(seen, answer, options, at))
    if seen.model.config.has_encoder:
        plots.append(_alignment(seen, answer, at, place))
    text = seen.tokenizer.join(said[:-1] if answer.ended else said)
    pair = tr("“{source}” → “{target}”", source=seen.sources[seen.row], target=text)
    return Picture(plots, pair)


def answer_of(seen: Exploration, options: DecodingOptions) -> Generation:
    """The answer of the model, and everything that led to each word."""
    batch, row, config = seen.batch, seen.row, seen.model.config
    if not config.has_decoder or batch.tgt_out is None:
        raise ValueError("this model has no decoder, or typed ids have no BOS: it writes nothing")
    src = batch.src[row : row + 1]
    if seen.learnt is not None:
        options = replace(options, limit=seen.learnt.answer_limit(src.shape[1]))
    prompt: tuple[int, ...] = ()
    if not config.has_encoder:
        prompt = seen.tokenizer.batch([seen.sources[row]], [Answer(())]).prompts[0]
    return generate(seen.engine, seen.request, src, options, specials=batch.specials, prompt=prompt)


def _next_word(seen: Exploration, answer: Generation, options: DecodingOptions, at: int) -> Plot:
    word = answer.words[at]
    drawn = options.method == "sampling"
    shares = word.candidates if drawn else word.probabilities
    order = np.argsort(-shares, kind="stable")[:SHOWN_WORDS].tolist()
    if word.chosen not in order:
        order[-1] = word.chosen
    names = seen.batch.tgt_names(order)
    own = word.probabilities[order] if drawn else None
    chosen = order.index(word.chosen)
    figure = next_words(shares[order], own, names, chosen, LIGHT)
    said = tr(
        "Word {number}: probability of the next word; chosen: {chosen}.",
        number=at + 1,
        chosen=names[chosen],
    )
    return Plot(figure, said, said)


def _tree(seen: Exploration, answer: Generation, options: DecodingOptions, at: int) -> Plot:
    batch, best = seen.batch, set(answer.best)
    (start,) = batch.tgt_names([batch.specials.bos])
    nodes = [
        Node(parent=None, depth=0, word=start, score=0.0, probability=1.0, kept=True, best=True)
    ]
    last = at + 1 == len(answer.words)
    for depth, grown in enumerate(answer.tree if last else answer.tree[: at + 1], start=1):
        nodes += [
            Node(
                parent=node.parent,
                depth=depth,
                word=batch.tgt_names([node.token])[0],
                score=node.score,
                probability=float(np.exp(node.log_probability)),
                kept=node.kept,
                best=node.number in best,
            )
            for node in grown
        ]
    said = tr_n(
        "Beam search, {n} step, width {width}.",
        "Beam search, {n} steps, width {width}.",
        len(answer.tree),
        width=options.width,
    )
    return Plot(tree(nodes, LIGHT, depth=len(answer.tree), width=options.width), said, said)


def _alignment(
    seen: Exploration, answer: Generation, at: int, place: tuple[int | None, int | None]
) -> Plot:
    known = known_heads(seen)
    last = seen.model.config.n_decoder_layers - 1
    usual = last if known is None else known.aligning[0]
    layer = usual if place[0] is None else place[0]
    _, _, head = telling(seen, Place("cross", layer, place[1]))
    source = seen.batch.src_labels[seen.row]
    said = seen.batch.tgt_names([word.chosen for word in answer.words])
    weights = np.stack([word.cross[layer] for word in answer.words], axis=1)
    weights[:, at + 1 :] = np.nan
    words = (seen.batch.src[seen.row] != seen.batch.src_vocab.specials.pad).numpy()
    heads = Heads(
        weights=weights,
        scores=None,
        may_attend=np.broadcast_to(words, weights.shape[1:]).copy(),
        query_labels=said,
        key_labels=source,
    )
    figure = one_head(
        heads, head, LIGHT, kind="cross", row=tr("chosen:"), row_title=tr("words, as chosen")
    )
    alt = describe.attention_in_words(weights[head, : at + 1], said[: at + 1], source)
    name = name_of("cross", layer, head)
    return Plot(figure, alt, tr("The whole answer and its source: {head}.", head=name))
