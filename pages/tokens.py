"""What does the model read? From sentences to tokens, ids and a padded batch."""

import streamlit as st

from explorer import text
from explorer.figures.theme import THEMES
from explorer.names import PAD
from explorer.ui.frame import show
from explorer.ui.page import heading, lacks, show_code
from explorer.ui.running import require_words
from explorer.ui.settings import Settings
from explorer.ui.tokens.panels import colors_of, show_ids, show_readings, show_target, show_tokens
from explorer.weights.catalogue import Pretrained
from explorer.weights.huggingface.text.tokenizer import PretrainedTokenizer
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.subwords import train_subwords


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "What does the model read?",
        "Sentences become tokens, tokens become ids, and PAD fills all rows up to the same length.",
    )
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    require_words(batch, row)
    theme = THEMES[settings.theme]
    src = batch.src.numpy()
    n_read = sum(label != PAD for labels in batch.src_labels for label in labels)
    if settings.config.has_encoder:
        title = "Source · the encoder reads `src`"
        colors = colors_of(batch, row, theme)
        show_ids(title, src, batch.src_labels, colors, theme, key="src_ids")
    else:
        lacks(settings, "source: the decoder goes on from the text")
    if settings.config.has_decoder:
        show_target(settings, batch, row, theme)
    else:
        lacks(settings, "target, and writes nothing")
    asked = "in the target" if batch.tgt_out is None else "asked for in the target"
    counts = [
        *([f"{n_read} of {src.size} in the source"] * settings.config.has_encoder),
        *([f"{batch.n_tokens} of {batch.tgt_in.numel()} {asked}"] * settings.config.has_decoder),
    ]
    st.markdown(f"**Real tokens**, PAD not counted: {', '.join(counts)}.")
    show_tokens(settings, batch, row)
    if batch.tgt_out is not None and not isinstance(settings.request.source, Pretrained):
        show_readings(settings.sources[row])
    if isinstance(settings.tokenizer, SubwordTokenizer):
        show_code(
            "The code that ran", train_subwords, SubwordTokenizer.split, text.Batch.from_words
        )
    elif isinstance(settings.tokenizer, PretrainedTokenizer):
        show_code("The code that ran", PretrainedTokenizer.split, PretrainedTokenizer.batch)
    else:
        show_code("The code that ran", text.tokenize, text.Batch.from_text, text.pad_ids)


show(show_page)
