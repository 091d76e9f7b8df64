"""The pictures of the tokens page."""

from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from explorer.choices.settings import Settings
from explorer.config import ModelConfig
from explorer.languages import between, sentences, tr
from explorer.markdown import literal
from explorer.names import PAD
from explorer.text import Batch, tokenize
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.views.about import vocabularies_in_words
from explorer.views.tokens import ids_picture, shift_picture
from explorer.weights.catalogue import subwords
from explorer.weights.pieces import SubwordTokenizer

Labels = Sequence[Sequence[str]]


def show_ids(title: str, ids: Tensor, labels: Labels, *, key: str) -> None:
    """Show one padded batch of ids with its tokens."""
    rows, columns = ids.shape
    st.markdown(
        tr("**{title}** · shape ({rows}, {columns})", title=title, rows=rows, columns=columns)
    )
    live_plot(ids_picture(key, title, ids.numpy(), labels))


def show_readings(sentence: str) -> None:
    """The same sentence, cut into tokens in three ways."""
    words, characters = tokenize(sentence, "words"), tokenize(sentence, "characters")
    pieces = [" ".join(word) for word in subwords().grouped(sentence)]
    table(
        [tr("read as"), tr("tokens"), tr("number")],
        [
            [tr("words"), " | ".join(words), len(words)],
            [tr("subwords"), " | ".join(pieces), len(subwords().split(sentence))],
            [tr("characters"), " | ".join(characters), len(characters)],
        ],
        key="readings",
        caption=tr(
            "Words: a vocabulary never holds them all. Characters: long sentences of parts "
            "without meaning. Subwords (byte-pair encoding): frequent words stay whole, rare ones "
            "fall into pieces, and {pieces:,} pieces can write anything; · marks a piece that "
            "continues a word.",
            pieces=subwords().vocabulary.size,
        ),
    )


def show_tokens(settings: Settings, batch: Batch, row: int) -> None:
    """The pair on show, token by token, each word in full."""
    for column, name, ids, labels in zip(
        st.columns(2),
        ("src", "tgt_in"),
        (batch.src[row], batch.tgt_in[row]),
        (batch.src_labels[row], batch.tgt_in_labels[row]),
        strict=True,
    ):
        with column:
            table(
                [tr("position"), name, tr("id")],
                list(zip(range(len(ids)), labels, ids.tolist(), strict=True)),
                key=f"{name}-tokens",
                caption=tr("{name} of pair {pair}", name=name, pair=row + 1),
            )
    st.caption(_ids_in_words(settings, batch))


def _ids_in_words(settings: Settings, batch: Batch) -> str:
    """The ids of the special tokens, in words."""
    if batch.tgt_out is None:
        last = batch.src_vocab.size - 1
        return tr("Ids from 0 to {last}; PAD is {pad}.", last=last, pad=batch.pad_id)
    ids_of = ", ".join(f"{name} {number}" for number, name in batch.specials.names().items())
    if isinstance(settings.tokenizer, SubwordTokenizer):
        return tr(
            "{specials}; source and target share one vocabulary of {pieces:,} pieces, learnt from "
            "both languages together.",
            specials=ids_of,
            pieces=batch.src_vocab.size,
        )
    return sentences(f"{ids_of}.", vocabularies_in_words(settings.config))


def show_target(settings: Settings, batch: Batch, row: int) -> None:
    """The input of the decoder and the words it should predict, with their origin."""
    if batch.tgt_out is None:
        title = tr("Target · the decoder reads `tgt_in`: the ids as typed")
        show_ids(title, batch.tgt_in, batch.tgt_in_labels, key="tgt_in_ids")
        st.caption(
            tr(
                "Ids are used as typed: the decoder reads them all, no BOS or EOS is added, and "
                "nothing is shifted."
            )
        )
        return
    start, end = map(literal, batch.tgt_names([batch.specials.bos, batch.specials.eos]))
    first = start if settings.config.has_encoder else tr("the text")
    st.markdown(
        tr(
            "**Target · the decoder reads `tgt_in`: {first}, then the model's own answer. It "
            "answers with `tgt_out`: the same, one step later**",
            first=first,
        )
        if settings.answered
        else tr(
            "**Target · the decoder reads `tgt_in`: {first}, then the target. It should answer "
            "with `tgt_out`: the same, one step later**",
            first=first,
        )
    )
    if (picture := shift_picture(batch, row)) is not None:
        live_plot(picture)
    st.markdown(_why_two_targets(first, end))


def _why_two_targets(first: str, end: str) -> str:
    why = tr(
        "**Why two targets?** At each position the decoder has read the words so far, and is asked "
        "for the *next* one."
    )
    course = tr(
        "It starts from {first} alone, the causal mask hides the later words, and it ends when it "
        "answers {end}.",
        first=first,
        end=end,
    )
    return sentences(why, course)


def _counts_in_words(config: ModelConfig, batch: Batch) -> str:
    """How many tokens are real."""
    counts = []
    if config.has_encoder:
        real = sum(label != PAD for labels in batch.src_labels for label in labels)
        counts.append(tr("{real} of {all} in the source", real=real, all=batch.src.numel()))
    if config.has_decoder:
        real, cells = batch.n_tokens, batch.tgt_in.numel()
        counts.append(tr("{real} of {all} in the target", real=real, all=cells))
    return tr("**Real tokens**, PAD not counted: {counts}.", counts=between(", ").join(counts))


def show_batch(config: ModelConfig, batch: Batch) -> None:
    """The target of the whole batch, and how many of its tokens are real."""
    st.markdown(_counts_in_words(config, batch))
    if batch.tgt_out is not None:
        reads, writes = "`tgt_in = tgt[:, :-1]`", "`tgt_out = tgt[:, 1:]`"
        show_ids(reads, batch.tgt_in, batch.tgt_in_labels, key="tgt_in_ids")
        show_ids(writes, batch.tgt_out, batch.tgt_out_labels, key="tgt_out_ids")
