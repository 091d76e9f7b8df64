"""The pictures of the tokens page."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import streamlit as st

from explorer.figures.batch import ids_heatmap, token_colors
from explorer.figures.shift import MOST_ARROWS, shift
from explorer.figures.theme import Theme
from explorer.names import BOS, PAD
from explorer.text import Answer, Batch, tokenize
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.answers import verdict_in_words, verdict_on
from explorer.ui.markdown import literal
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained, subwords
from explorer.weights.pieces import SubwordTokenizer

Labels = Sequence[Sequence[str]]


def colors_of(batch: Batch, row: int, theme: Theme) -> Mapping[str, int]:
    """One colour for each token of the batch, in the source and in the target."""
    return token_colors(
        [chain(*batch.src_labels), batch.tgt_labels[row], chain(*batch.tgt_labels)], theme
    )


def show_ids(
    title: str,
    ids: np.ndarray,
    labels: Labels,
    colors: Mapping[str, int],
    theme: Theme,
    *,
    key: str,
) -> None:
    """Show one padded batch of ids with its tokens."""
    st.markdown(f"**{title}** · shape ({ids.shape[0]}, {ids.shape[1]})")
    words = "; ".join(
        f"sentence {n + 1}: " + " ".join(map("{}={}".format, line, numbers))
        for n, (line, numbers) in enumerate(zip(labels, ids.tolist(), strict=True))
    )
    live_plot(
        ids_heatmap(ids, labels, colors, theme),
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
    colors = colors_of(batch, row, theme)
    if batch.tgt_out is None:
        show_ids(
            "Target · the decoder reads `tgt_in`: the ids as typed",
            batch.tgt_in.numpy(),
            batch.tgt_in_labels,
            colors,
            theme,
            key="tgt_in_ids",
        )
        st.caption(
            "Ids are used as typed: the decoder reads them all, no BOS or EOS is added, and "
            "nothing is shifted."
        )
        return
    start, end = map(literal, batch.tgt_names([batch.specials.bos, batch.specials.eos]))
    first = start if settings.config.has_encoder else "the text"
    name = "the model's own answer" if settings.answered else "the target"
    asked = "answers with" if settings.answered else "should answer with"
    st.markdown(
        f"**Target · the decoder reads `tgt_in`: {first}, then {name}. It {asked} `tgt_out`: "
        "the same, one step later**"
    )
    show_shift(batch, row, colors, theme)
    answer = settings.targets[row]
    if isinstance(answer, Answer) and (verdict := verdict_on(settings, batch, row, answer)):
        st.text(verdict_in_words(verdict))
    also = " (some tutorials call it START or SOS)" if start == BOS else ""
    st.markdown(
        "**Why two targets?** At each position the decoder has read the words so far, and is "
        f"asked for the *next* one. It starts from {first} alone{also if first == start else ''}, "
        f"the causal mask hides the later words, and it ends when it answers {end}."
    )
    show_target_batch(batch, colors, theme)


def show_shift(batch: Batch, row: int, colors: Mapping[str, int], theme: Theme) -> None:
    """`tgt_in` and `tgt_out` of the pair on show, one under the other."""
    if batch.tgt_out is None:
        return
    reads, asked = (
        list(zip(labels[row], ids[row].tolist(), strict=True))
        for labels, ids in (
            (batch.tgt_in_labels, batch.tgt_in),
            (batch.tgt_out_labels, batch.tgt_out),
        )
    )
    pairs = [
        f"{one} → {other}"
        for (one, _), (other, _) in zip(reads, asked, strict=True)
        if other != PAD
    ]
    leads = "An arrow leads from the last word read"
    if len(reads) > MOST_ARROWS:
        leads = "Go one step down and to the right from the last word read"
    live_plot(
        shift(reads, asked, colors, theme),
        key="shift",
        alt=f"tgt_in: {' '.join(map('{0[0]}={0[1]}'.format, reads))}. "
        f"tgt_out: {' '.join(map('{0[0]}={0[1]}'.format, asked))}. "
        f"Each position reads one token and is asked for the next: {'; '.join(pairs)}.",
        caption=f"Pair {row + 1}. The same token has the same colour; PAD is grey. {leads} "
        "to the word that should come next; PAD is not asked for.",
        file_name="shift",
    )


def show_target_batch(batch: Batch, colors: Mapping[str, int], theme: Theme) -> None:
    """Folded away: the whole batch as the decoder reads it, and what it is asked for."""
    folded = st.expander("The target of the whole batch", key="target_batch", on_change="rerun")
    if not folded.open or batch.tgt_out is None:
        return
    with folded:
        show_ids(
            "`tgt_in = tgt[:, :-1]`",
            batch.tgt_in.numpy(),
            batch.tgt_in_labels,
            colors,
            theme,
            key="tgt_in_ids",
        )
        show_ids(
            "`tgt_out = tgt[:, 1:]`",
            batch.tgt_out.numpy(),
            batch.tgt_out_labels,
            colors,
            theme,
            key="tgt_out_ids",
        )
