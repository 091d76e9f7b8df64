"""The pictures of the tokens page."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.figures.batch import ids_heatmap
from explorer.figures.theme import Theme
from explorer.names import BOS, EOS, SpecialIds
from explorer.text import Answer, Batch, tokenize
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.answers import verdict_in_words, verdict_on
from explorer.ui.markdown import literal
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained, subwords
from explorer.weights.pieces import SubwordTokenizer

Labels = Sequence[Sequence[str]]


def show_ids(
    title: str, ids: np.ndarray, labels: Labels, specials: SpecialIds, theme: Theme, key: str
) -> None:
    """Show one padded batch of ids with its tokens."""
    st.markdown(f"**{title}** · shape ({ids.shape[0]}, {ids.shape[1]})")
    words = "; ".join(
        f"sentence {n + 1}: " + " ".join(map("{}={}".format, line, numbers))
        for n, (line, numbers) in enumerate(zip(labels, ids.tolist(), strict=True))
    )
    live_plot(
        ids_heatmap(ids, labels, specials.names().values(), theme),
        key=key,
        alt=f"{title}, tokens=ids. {words}",
        file_name=key,
    )


def show_readings(sentence: str) -> None:
    """The same sentence, cut into tokens in three ways."""
    st.subheader("One sentence, read in three ways", anchor=False)
    ways = {
        "words": tokenize(sentence, "words"),
        "subwords": [" ".join(word) for word in subwords().grouped(sentence)],
        "characters": tokenize(sentence, "characters"),
    }
    counts = {way: len(found) for way, found in ways.items()}
    counts["subwords"] = len(subwords().split(sentence))
    table(
        ["read as", "tokens", "number"],
        [[way, " | ".join(found), counts[way]] for way, found in ways.items()],
        key="readings",
        caption="Words: a vocabulary never holds them all. Characters: long sentences of parts "
        "without meaning. Subwords (byte-pair encoding): frequent words stay whole, rare ones fall "
        f"into pieces, and {subwords().vocabulary.size:,} pieces can write anything; · marks a "
        "piece that continues a word.",
    )


def show_tokens(settings: Settings, batch: Batch, row: int) -> None:
    """The pair on show, token by token, each word in full."""
    folded = st.expander(f"Token by token: pair {row + 1}", key="numbers", on_change="rerun")
    if not folded.open:
        return
    with folded:
        for column, name, ids, labels in zip(
            st.columns(2),
            ("src", "tgt_in"),
            (batch.src[row], batch.tgt_in[row]),
            (batch.src_labels[row], batch.tgt_in_labels[row]),
            strict=True,
        ):
            with column:
                table(
                    ["position", name, "id"],
                    list(zip(range(len(ids)), labels, ids.tolist(), strict=True)),
                    key=f"{name}-tokens",
                    caption=f"{name} of pair {row + 1}",
                )
        ids_of = ", ".join(f"{name} {number}" for number, name in batch.specials.names().items())
        st.caption(
            f"Ids from 0 to {batch.src_vocab.size - 1}; PAD is {batch.pad_id}."
            if batch.tgt_out is None
            else f"{ids_of}; the model's vocabulary has {batch.tgt_vocab.size:,} pieces."
            if isinstance(settings.request.source, Pretrained)
            else f"{ids_of}; source and target share one vocabulary of {batch.src_vocab.size:,} "
            "pieces, learnt from both languages together."
            if isinstance(settings.tokenizer, SubwordTokenizer)
            else f"{ids_of}; words get the next free id in order of first appearance. Source and "
            f"target each have a vocabulary of {batch.src_vocab.size}."
        )


def show_target(settings: Settings, batch: Batch, row: int, theme: Theme) -> None:
    """The input of the decoder and the words it should predict, with their origin."""
    name = "the model's own answer" if settings.answered else "the target"
    start, end = BOS, EOS
    if batch.tgt_out is not None:
        start, end = batch.tgt_names([batch.specials.bos, batch.specials.eos])
    first = start if settings.config.has_encoder else "the text"
    show_ids(
        f"Target · the decoder reads `tgt_in`: {literal(first)}, then {name}",
        batch.tgt_in.numpy(),
        batch.tgt_in_labels,
        batch.specials,
        theme,
        "tgt_in_ids",
    )
    if batch.tgt_out is None:
        st.caption(
            "Ids are used as typed: the decoder reads them all, no BOS or EOS is added, and "
            "nothing is shifted."
        )
        return
    show_ids(
        "Target · `tgt_out`: the model's own answer, one step later"
        if settings.answered
        else "Target · `tgt_out`: the decoder should answer with the target, one step later",
        batch.tgt_out.numpy(),
        batch.tgt_out_labels,
        batch.specials,
        theme,
        "tgt_out_ids",
    )
    answer = settings.targets[row]
    if isinstance(answer, Answer) and (verdict := verdict_on(settings, batch, row, answer)):
        st.text(verdict_in_words(verdict))
    st.markdown(
        "**Why two targets?** Read `tgt_in` and `tgt_out` column by column: at every position "
        "the decoder has read the words so far and is asked for the *next* one. It starts "
        f"from {literal(first)} alone, the causal mask hides the later words, and it ends when it "
        f"answers {literal(end)}."
    )
