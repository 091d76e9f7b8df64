"""The pictures of the decoding page: next words, the search, the source, and a verdict."""

import math

import numpy as np
import streamlit as st

from explorer.figures import describe
from explorer.figures.arithmetic import signed_number
from explorer.figures.attention import Heads, one_head
from explorer.figures.decoding import Node, newest, next_words, share_in_words, tree
from explorer.figures.labels import elide, escape
from explorer.figures.theme import Theme
from explorer.languages import side_by_side, tr, tr_n
from explorer.runtime.generation import DecodingOptions, GeneratedWord, Generation
from explorer.text import Answer, Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.answers import verdict_in_words, verdict_on
from explorer.ui.controls.attention import choose_head
from explorer.ui.page import check_badge, weights_badge
from explorer.ui.settings import Settings

SHOWN = 8  # next words to draw


def said_by(answer: Generation, batch: Batch) -> list[str]:
    """The words of an answer, including EOS."""
    return batch.tgt_names([word.chosen for word in answer.words])


def is_word(batch: Batch, row: int) -> np.ndarray:
    """Which source tokens are not PAD."""
    words: np.ndarray = (batch.src[row] != batch.src_vocab.specials.pad).numpy()
    return words


def show_newest(
    word: GeneratedWord, batch: Batch, row: int, before: list[str], *, layer: int, room: int,
    theme: Theme,
) -> None:  # fmt: skip
    """Draw where the newest position looks, at its own words and at the source."""
    own, source = st.columns([3, 4])
    for column, kind, weights, labels in (
        (own, "decoder", word.decoder, before),
        (source, "cross", word.cross, batch.src_labels[row]),
    ):
        if not len(weights):  # a decoder alone looks at no source
            continue
        newest_word = escape(elide(before[-1]))
        if kind == "decoder":
            title = tr("“{word}” looks at its own words", word=newest_word)
            alt = tr("The newest position looks at its own words, layer {layer}.", layer=layer + 1)
        else:
            title = tr("“{word}” looks at the source", word=newest_word)
            alt = tr("The newest position looks at the source, layer {layer}.", layer=layer + 1)
        heads = [tr("head {head}", head=head + 1) for head in range(len(weights[layer]))]
        looks = describe.attention_in_words(weights[layer], heads, labels)
        with column:
            live_plot(
                newest(
                    weights[layer],
                    np.ones(len(labels), bool) if kind == "decoder" else is_word(batch, row),
                    labels,
                    theme,
                    kind=kind,
                    title=title,
                    room=room if kind == "decoder" else 0,
                    widest=9 if kind == "decoder" else 13,
                ),
                key=f"newest_{kind}",
                alt=f"{alt} {looks}",
                file_name=f"decoding-{kind}",
            )


def show_words(word: GeneratedWord, batch: Batch, options: DecodingOptions, theme: Theme) -> None:
    """Draw the likeliest next words and the chosen one, with what it was chosen by."""
    drawn = options.method == "sampling"
    shares = word.candidates if drawn else word.probabilities
    order = np.argsort(-shares, kind="stable")[:SHOWN].tolist()
    if word.chosen not in order:
        order[-1] = word.chosen
    names = batch.tgt_names(order)
    captions = [tr("Probability of the next word; bold: the chosen one.")]
    if drawn:
        captions = [
            tr("The probabilities that the word is drawn with; bold: the drawn one."),
            tr("Outlined: the model's own, before temperature, top-k and top-p."),
        ]
    if any(name[:1] == "#" for name in names):
        captions.append(tr("#: ids without a word."))
    live_plot(
        next_words(
            shares[order],
            word.probabilities[order] if drawn else None,
            names,
            order.index(word.chosen),
            theme,
            height=300,
        ),
        key="next_words",
        alt=tr(
            "Probabilities of the next word: {words}. Chosen: {chosen}.",
            words=side_by_side(
                f"{name} {share_in_words(float(shares[i]))}"
                for name, i in zip(names, order, strict=True)
            ),
            chosen=names[order.index(word.chosen)],
        ),
        caption=" ".join(captions),
        file_name="next-word",
    )


def show_verdict(
    settings: Settings, batch: Batch, row: int, said: list[str], answer: Generation
) -> None:
    """Show the answer and how it compares with the right one."""
    ids = [word.chosen for word in answer.words]
    found = Answer(tuple(ids[:-1] if answer.ended else ids), ended=answer.ended)
    verdict = verdict_on(settings, batch, row, found)
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        if not answer.ended:
            text = tr_n(
                "stopped: no EOS within {n} word", "stopped: no EOS within {n} words", len(said)
            )
            check_badge(False, text)
        elif verdict is not None and verdict.kind in ("right", "wrong"):
            right = verdict.kind == "right"
            check_badge(right, tr("right") if right else tr("not the right answer"))
        elif verdict is not None:
            st.badge(tr("outside of what it learnt"), icon=":material/help:", color="gray")
    words = settings.tokenizer.join(said[:-1] if answer.ended else said)
    total = answer.log_probability
    whole = tr("The whole answer: {words}", words=words or tr("(nothing)"))
    logarithm = signed_number(total, 2)
    if total > -30:
        sure = tr(
            "Its log-probability: {logarithm}, a probability of {probability:.2g}.",
            logarithm=logarithm,
            probability=math.exp(total),
        )
    else:
        sure = tr("Its log-probability: {logarithm}.", logarithm=logarithm)
    st.text(f"{whole}\n{sure}")
    if verdict is not None and verdict.kind != "right":
        st.text(verdict_in_words(verdict))


def say_greedy(settings: Settings, greedy: Generation, answer: Generation, batch: Batch) -> None:
    """Compare an answer with the greedy one, word by word and by their log-probabilities."""
    if said_by(greedy, batch) == said_by(answer, batch):
        st.text(tr("Greedy decoding writes the same answer."))
        return
    said = said_by(greedy, batch)
    words = settings.tokenizer.join(said[:-1] if greedy.ended else said)
    writes = tr("Greedy decoding writes: {words}", words=words or tr("(nothing)"))
    logarithm = signed_number(greedy.log_probability, 2)
    sure = tr("Its log-probability: {logarithm}.", logarithm=logarithm)
    st.text(f"{writes}\n{sure}")


def show_tree(
    answer: Generation, at: int, batch: Batch, options: DecodingOptions, theme: Theme
) -> None:
    """Draw the search so far."""
    best = set(answer.best)
    (start,) = batch.tgt_names([batch.specials.bos])
    nodes = [
        Node(parent=None, depth=0, word=start, score=0.0, probability=1.0, kept=True, best=True)
    ]
    last = at + 1 == len(answer.words)
    shown = answer.tree if last else answer.tree[: at + 1]
    for depth, grown in enumerate(shown, start=1):
        names = batch.tgt_names([node.token for node in grown])
        nodes += [
            Node(
                parent=node.parent,
                depth=depth,
                word=name,
                score=node.score,
                probability=float(np.exp(node.log_probability)),
                kept=node.kept,
                best=node.number in best,
            )
            for node, name in zip(grown, names, strict=True)
        ]
    kept = sum(node.kept for node in nodes)
    live_plot(
        tree(nodes, theme, depth=len(answer.tree), width=options.width),
        key="tree",
        alt=tr(
            "Beam search, {steps}: {kept}, {dropped}.",
            steps=tr_n("{n} step", "{n} steps", len(shown)),
            kept=tr_n("{n} beginning kept", "{n} beginnings kept", kept),
            dropped=tr_n("{n} dropped", "{n} dropped", len(nodes) - kept),
        ),
        caption=tr(
            "Each column adds one word; the best beginning is on top, with its score: the "
            "log-probability divided by ((5 + length) / 6)^{alpha:g}. Small and grey: the "
            "likeliest of the dropped ones.",
            alpha=options.alpha,
        ),
        file_name="beam-search",
    )


def show_alignment(
    settings: Settings,
    answer: Generation,
    batch: Batch,
    row: int,
    at: int,
    layer: int,
    theme: Theme,
) -> None:
    """Draw which source words each word of the answer has looked at so far."""
    said, source = said_by(answer, batch), batch.src_labels[row]
    weights = np.stack([word.cross[layer] for word in answer.words], axis=1)  # (heads, word, src)
    weights[:, at + 1 :] = np.nan
    may_attend = np.broadcast_to(is_word(batch, row), weights.shape[1:]).copy()
    heads = Heads(
        weights=weights, scores=None, may_attend=may_attend, query_labels=said, key_labels=source
    )
    with st.container(horizontal=True, vertical_alignment="center", key="alignment_choices"):
        st.subheader(tr("The whole answer and its source"), anchor=False, width="content")
        head = choose_head(settings, "cross", layer, width=125)
    looks = describe.attention_in_words(weights[head, : at + 1], said[: at + 1], source)
    live_plot(
        one_head(
            heads,
            head,
            theme,
            kind="cross",
            row=tr("chosen:"),
            row_title=tr("words, as chosen"),
        ),
        key="alignment",
        alt=tr(
            "Cross-attention, layer {layer}, head {head}, from each word of the answer to the "
            "source. {looks}",
            layer=layer + 1,
            head=head + 1,
            looks=looks,
        ),
        caption=tr(
            "Rows: the words of the answer, at the moment they were chosen. Columns: the source "
            "words."
        ),
        file_name="alignment",
    )
