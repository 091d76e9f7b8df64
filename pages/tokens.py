"""What does the model read? From sentences to tokens, ids and a padded batch."""

from explorer import text
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.controls.sentences import draw_beside
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code, show_missing
from explorer.ui.frame.running import require_words
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.tokens.panels import (
    show_batch,
    show_ids,
    show_readings,
    show_target,
    show_tokens,
)
from explorer.weights.catalogue import Pretrained
from explorer.weights.huggingface.text.tokenizer import PretrainedTokenizer
from explorer.weights.pieces import SubwordTokenizer
from explorer.weights.subwords import train_subwords


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
    draw_beside()
    with stage("what")[0]:
        if settings.config.has_encoder:
            title = tr("Source · the encoder reads `src`")
            show_ids(title, batch.src, batch.src_labels, key="src_ids")
        else:
            show_missing(settings)
        if settings.config.has_decoder:
            show_target(settings, batch, row)
        else:
            show_missing(settings)
    label = tr("The whole batch: targets and real tokens")
    drawer(label, "target_batch", show_batch, settings.config, batch, is_large=True)
    label = tr("Token by token: pair {pair}", pair=row + 1)
    drawer(label, "numbers", show_tokens, settings, batch, row, is_large=True)
    if batch.tgt_out is not None and not isinstance(settings.request.source, Pretrained):
        label, source = tr("One sentence, read in three ways"), settings.sources[row]
        drawer(label, "readings", show_readings, source, is_large=True)
    if isinstance(settings.tokenizer, SubwordTokenizer):
        show_code(train_subwords, SubwordTokenizer.split, text.Batch.from_words)
    elif isinstance(settings.tokenizer, PretrainedTokenizer):
        show_code(PretrainedTokenizer.split, PretrainedTokenizer.batch)
    else:
        show_code(text.tokenize, text.Batch.from_text, text.pad_ids)


show(show_page)
