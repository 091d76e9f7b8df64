"""What does the model read? From sentences to tokens, ids and a padded batch."""

import streamlit as st

from explorer import text
from explorer.choices.settings import Settings
from explorer.config import ModelConfig
from explorer.languages import between, tr
from explorer.names import PAD
from explorer.text import Batch
from explorer.ui.frame import show
from explorer.ui.page import heading, show_code, show_missing
from explorer.ui.running import require_words
from explorer.ui.tokens.panels import show_ids, show_readings, show_target, show_tokens
from explorer.weights.catalogue import Pretrained
from explorer.weights.huggingface.text.tokenizer import PretrainedTokenizer
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.subwords import train_subwords


def counts_in_words(config: ModelConfig, batch: Batch) -> str:
    """How many tokens are real."""
    counts = []
    if config.has_encoder:
        real = sum(label != PAD for labels in batch.src_labels for label in labels)
        counts.append(tr("{real} of {all} in the source", real=real, all=batch.src.numel()))
    if config.has_decoder:
        real, cells = batch.n_tokens, batch.tgt_in.numel()
        counts.append(
            tr("{real} of {all} in the target", real=real, all=cells)
            if batch.tgt_out is None
            else tr("{real} of {all} asked for in the target", real=real, all=cells)
        )
    return tr("**Real tokens**, PAD not counted: {counts}.", counts=between(", ").join(counts))


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("What does the model read?"),
        tr(
            "Sentences become tokens, tokens become ids, and PAD fills all rows up to the same "
            "length."
        ),
    )
    batch, row = settings.batch(), settings.row
    require_words(batch, row)
    if settings.config.has_encoder:
        title = tr("Source · the encoder reads `src`")
        show_ids(title, batch.src, batch.src_labels, key="src_ids")
    else:
        show_missing(settings, tr("it has no source: the decoder goes on from the text"))
    if settings.config.has_decoder:
        show_target(settings, batch, row)
    else:
        show_missing(settings, tr("it has no target, and writes nothing"))
    st.markdown(counts_in_words(settings.config, batch))
    show_tokens(settings, batch, row)
    if batch.tgt_out is not None and not isinstance(settings.request.source, Pretrained):
        show_readings(settings.sources[row])
    ran = tr("The code that ran")
    if isinstance(settings.tokenizer, SubwordTokenizer):
        show_code(ran, train_subwords, SubwordTokenizer.split, text.Batch.from_words)
    elif isinstance(settings.tokenizer, PretrainedTokenizer):
        show_code(ran, PretrainedTokenizer.split, PretrainedTokenizer.batch)
    else:
        show_code(ran, text.tokenize, text.Batch.from_text, text.pad_ids)


show(show_page)
